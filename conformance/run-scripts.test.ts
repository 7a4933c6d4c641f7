// Every case again, on real scripts that print the recorded bytes. Several at a time, for most of it is waiting.

import { describe, expect, test } from 'vitest'
import { allCases, TOPICS } from './load.js'
import { runScripts } from './scripts.js'

const cases = allCases().filter(({ case: one }) => one.only !== 'recorded')

for (const topic of TOPICS) {
  const own = cases.filter(one => one.topic === topic).map(({ case: one }) => [one.note, one] as const)
  if (own.length === 0) continue
  describe.concurrent(topic, () => {
    test.each(own)('%s', async (_, one) => {
      expect(await runScripts(one)).toEqual([])
    })
  })
}
