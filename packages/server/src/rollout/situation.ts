// What devices are judged by, kept in memory until something changes: a poll that finds nothing new asks no database.

import type { Intended } from '../people/device-state.js'
import type { DeviceRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { type Situation, situationOf, wantedFor } from './delivery.js'

export interface Situations {
  current(): Promise<Situation>
}

export function keepSituation(team: Team): Situations {
  let kept: { epoch: number; situation: Promise<Situation> } | null = null
  return {
    current() {
      const epoch = team.hub.epoch('releases')
      if (kept?.epoch !== epoch) {
        const situation = situationOf(team)
        kept = { epoch, situation }
        situation.catch(() => {
          if (kept?.situation === situation) kept = null
        })
      }
      return kept!.situation
    },
  }
}

export const intendedBy =
  ({ now }: Team, situations: Situations) =>
  async (device: Pick<DeviceRow, 'id' | 'place' | 'group'>): Promise<Intended> => {
    const situation = await situations.current()
    const { release, ring } = wantedFor(device, situation, now())
    return { release: situation.isKilled ? 0 : (release?.number ?? 0), ring }
  }
