// The situation that decides what devices get, cached until something changes: a poll without a change needs no query.

import type { StateRules } from '../store/device-states.js'
import type { Team } from '../team.js'
import { type Situation, situationOf } from './delivery.js'

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

/** The same as plain values, for the queries that judge many devices. */
export const rulesBy =
  ({ now }: Team, situations: Situations) =>
  async (): Promise<StateRules> => {
    const { isKilled, pins, settings, releases } = await situations.current()
    const at = now()
    return {
      now: at,
      isKilled,
      pins: [...pins].flatMap(([key, { release, until }]) => {
        const [kind, whom] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]
        return until > at ? [{ kind: kind as 'device' | 'group', whom, release }] : []
      }),
      rings: settings.rings,
      releases,
    }
  }
