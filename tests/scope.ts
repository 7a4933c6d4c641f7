// `npm test` runs a covering set of the large matrices and one journey of each page; `npm run test:all` runs everything.
// CONTRIBUTING.md lists the difference and the reasons.

import { it, type TestAPI } from 'vitest'

export const runsEverything = process.env.HOLDFAST_TEST_ALL === '1'

/** A test that only `npm run test:all` runs. */
export const itInAll: ReturnType<TestAPI['runIf']> = it.runIf(runsEverything)

/** All variants of a test, or only the first in the default run. */
export const firstOf = <T>(all: readonly T[]): readonly T[] => (runsEverything ? all : all.slice(0, 1))

/** The number of random values for a property. Each run of the tests uses other seeds. */
export const randomRuns = (all: number): number => (runsEverything ? all : Math.ceil(all / 8))
