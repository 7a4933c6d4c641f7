// `npm test` runs a covering set of the large matrices, and one test of each kind of page and failure; `npm run test:all`
// runs every combination. CONTRIBUTING.md lists what runs only there, and why.

import { it, type TestAPI } from 'vitest'

export const runsEverything = process.env.HOLDFAST_TEST_ALL === '1'

/** A test that only `npm run test:all` runs. */
export const itInAll: ReturnType<TestAPI['runIf']> = it.runIf(runsEverything)

/** How often a law is tried on random values. Seeds differ, so each run of the tests looks at others. */
export const randomRuns = (all: number): number => (runsEverything ? all : Math.ceil(all / 4))
