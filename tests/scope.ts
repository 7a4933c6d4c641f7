// `npm test` runs a covering set of the large matrices; `npm run test:all` runs every combination.
// CONTRIBUTING.md lists what runs only there, and why.

export const runsEverything = process.env.HOLDFAST_TEST_ALL === '1'
