// The rollout settings: validated, and changed. With four-eyes on, that needs a second person too, or one admin could
// switch it off.

import type { Person } from '../access/actor.js'
import { withSecondPerson } from '../approval/four-eyes.js'
import { append } from '../audit/chain.js'
import { RequestError } from '../request-error.js'
import { type Settings, saveSettings, settingsIn } from '../store/team.js'
import type { Team } from '../team.js'

const MOST_RINGS = 10

/** Throws the error message. */
export function checked(settings: Omit<Settings, 'records'> & { records: string }): Settings {
  const { rings, records } = settings
  const refuse = (message: string): never => {
    throw new RequestError('invalid', message)
  }
  if (rings.length === 0 || rings.length > MOST_RINGS) refuse(`There must be 1 to ${MOST_RINGS} rings.`)
  if (new Set(rings.map(({ name }) => name)).size < rings.length) refuse('Two rings have the same name.')
  rings.forEach(({ name, share }, index) => {
    if (!/^[\w -]{1,40}$/.test(name)) refuse(`"${name}" is not a name of 1 to 40 letters and digits.`)
    const before = rings[index - 1]?.share ?? 0
    if (!(share > before && share <= 1)) {
      refuse(`The ring ${name} has the share ${share}; it must be above ${before} and at most 1.`)
    }
  })
  if (rings.at(-1)!.share !== 1)
    refuse('The last ring must have the share 1, or some devices get no release.')
  inside('soak_minutes', settings.soakMinutes, 0, 60 * 24 * 30)
  inside('failure_limit', settings.failureLimit, 0, 1)
  inside('denial_limit', settings.denialLimit, 0, 1)
  inside('release_days', settings.releaseDays, 1, 3650)
  inside('revert_depth', settings.revertDepth, 1, 100)
  if (records !== 'managed' && records !== 'all')
    refuse(`records is "${records}"; expected "managed" or "all".`)
  return settings as Settings
}

function inside(field: string, value: number, from: number, to: number): void {
  if (value >= from && value <= to) return
  throw new RequestError('invalid', `${field} is ${value}; expected ${from} to ${to}.`)
}

export async function setRollout(team: Team, actor: Person, wanted: Settings): Promise<void> {
  const change = {
    method: 'RolloutService/SetRolloutSettings',
    subject: 'the rollout settings',
    wish: wanted,
    call: { settings: wanted },
  }
  await withSecondPerson(team, actor, change, async (tx, by) => {
    const before = await settingsIn(tx)
    await saveSettings(tx, wanted)
    await append(tx, actor, team.now(), {
      action: 'rollout.settings',
      subject: `team ${team.id}`,
      detail: { before, after: wanted, ...by },
    })
  })
  team.hub.changed('releases')
}
