// Cases on real scripts that print the recorded bytes: all of them in `npm run test:all`, a covering set in `npm test`.
// Several at a time, because most of the time is waiting; in two halves, for two workers.

import { describe, expect, test } from 'vitest'
import { cover } from '../tests/cover.js'
import { runsEverything } from '../tests/scope.js'
import { featuresOf } from './features.js'
import { allCases, type FiledCase, TOPICS } from './load.js'
import { runScripts } from './scripts.js'

export const onScripts = allCases().filter(({ case: one }) => one.only !== 'recorded')
export const covering: ReadonlySet<FiledCase> = cover(onScripts, featuresOf)

export function runHalf(half: 0 | 1): void {
  const cases = onScripts
    .filter(one => runsEverything || covering.has(one))
    .filter((_, at) => at % 2 === half)
  for (const topic of TOPICS) {
    const own = cases.filter(one => one.topic === topic).map(({ case: one }) => [one.note, one] as const)
    if (own.length === 0) continue
    describe.concurrent(topic, () => {
      test.each(own)('%s', async (_, one) => {
        expect(await runScripts(one)).toEqual([])
      })
    })
  }
}
