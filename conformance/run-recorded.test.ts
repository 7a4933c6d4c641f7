// Every case on its recorded exits.

import { describe, expect, test } from 'vitest'
import { differences } from './compare.js'
import { PLACES } from './definitions.js'
import { allCases, TOPICS } from './load.js'
import { runRecorded } from './recorded.js'

const cases = allCases().filter(({ case: one }) => one.only !== 'scripts')

for (const topic of TOPICS) {
  const own = cases.filter(one => one.topic === topic).map(({ case: one }) => [one.note, one] as const)
  if (own.length === 0) continue
  describe(topic, () => {
    test.each(own)('%s', async (_, one) => {
      expect(differences(one.expect, await runRecorded(one), PLACES)).toEqual([])
    })
  })
}
