// Every case on its recorded exits.

import { describe, expect, test } from 'vitest'
import { allCases, TOPICS } from './case.js'
import { differences } from './compare.js'
import { PLACES } from './definitions.js'
import { runRecorded } from './recorded.js'

const cases = allCases().filter(({ case: one }) => one.only !== 'scripts')

describe.each(TOPICS)('%s', topic => {
  const own = cases.filter(one => one.topic === topic).map(({ case: one }) => one)
  test.each(own.map(one => [one.note, one] as const))('%s', async (_, one) => {
    expect(differences(one.expect, await runRecorded(one), PLACES)).toEqual([])
  })
})
