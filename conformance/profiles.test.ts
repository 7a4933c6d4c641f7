// Every field in which a version differs from the current one has a case that fails with the current value.

import { describe, expect, test } from 'vitest'
import { PROFILE_NAMES, PROFILES } from '../packages/hooks/src/protocol/profiles.js'
import type { Case } from './case.js'
import { differences } from './compare.js'
import { PLACES } from './definitions.js'
import { allCases, profileOf } from './load.js'
import { mutantsOf } from './mutants.js'
import { runRecorded } from './recorded.js'

const cases = allCases().map(({ case: one }) => one)

/** Fields that have no visible effect in a version, with the reason. */
const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  // No event of these versions accepts context or a rewrite; in the first, no event accepts any other single value.
  'cursor-1.7': ['merge.single', 'merge.context', 'merge.rewrites'],
  'cursor-2.1': ['merge.context', 'merge.rewrites'],
  // The first response ends the event, so there are never two, and never two at once.
  'cursor-2.3': ['run.concurrent', 'merge.single', 'merge.context', 'merge.rewrites'],
}

describe.each(PROFILE_NAMES.filter(name => name !== 'holdfast'))('%s', name => {
  const own = cases.filter(one => profileOf(one) === name && one.only !== 'scripts')

  test('every field is checked by a case', async () => {
    const unseen: string[] = []
    const passing: Case[] = []
    for (const one of own) {
      if (differences(one.expect, await runRecorded(one), PLACES).length === 0) passing.push(one)
    }
    for (const { field, profile } of mutantsOf(name)) {
      let noticed = false
      for (const one of passing) {
        noticed = differences(one.expect, await runRecorded(one, profile), PLACES).length > 0
        if (noticed) break
      }
      if (!noticed) unseen.push(field)
    }
    expect(unseen.sort()).toEqual([...(UNSEEN[name] ?? [])].sort())
  })

  test('reloading is checked on real files', () => {
    const how = cases.filter(one => profileOf(one) === name && one.change).map(one => one.change!.how)
    expect(how).toContain('save')
    if (PROFILES[name].config.reload === 'watch-writes') expect(how).toContain('delete')
  })
})
