// Changes the rollout settings. With four-eyes on, that needs a second person too, or one admin could switch it off.

import type { Person } from '../access/actor.js'
import { withSecondPerson } from '../approval/four-eyes.js'
import { append } from '../audit/chain.js'
import type { Settings } from '../store/team.js'
import { saveSettings, settingsIn } from '../store/team.js'
import type { Team } from '../team.js'

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
