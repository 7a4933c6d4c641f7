// What somebody should look at, the worst first. Pure: from figures to sentences, each with where it leads.

import type { GetOverviewResponse, GetRolloutSettingsResponse, Release } from '@holdfast/team/messages'
import { count } from '../../../words/number.js'
import { whole } from '../../../words/time.js'

export interface Attention {
  readonly tone: 'bad' | 'open' | 'wait'
  readonly words: string
  /** What it means, or what to do. */
  readonly more: string
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
}

const SOON_MS = 14 * 86_400_000

export interface Known {
  readonly overview: Pick<GetOverviewResponse, 'now' | 'silent' | 'devices'> | undefined
  readonly rollout: Pick<GetRolloutSettingsResponse, 'killed' | 'killedBecause'> | undefined
  /** Newest first. */
  readonly releases: readonly Pick<Release, 'number' | 'state' | 'haltedBecause' | 'expiresAt'>[] | undefined
  readonly range: string
  readonly now: number
}

export function attention({ overview, rollout, releases = [], range, now }: Known): Attention[] {
  const found: Attention[] = []
  const newest = releases[0]
  const serving = releases.find(({ state }) => state === 'rolling' || state === 'done')
  if (rollout?.killed)
    found.push({
      tone: 'bad',
      words: 'The kill switch is on',
      more: `No device runs a hook of the team${rollout.killedBecause ? `: ${rollout.killedBecause}` : ''}.`,
      to: '/rollout',
    })
  if (newest?.state === 'halted')
    found.push({
      tone: 'bad',
      words: `Release ${newest.number} is halted`,
      more: newest.haltedBecause || 'Its devices went back to the release before.',
      to: `/rollout/${newest.number}`,
    })
  const failedOpen = overview?.now?.failedOpen ?? 0
  if (failedOpen > 0)
    found.push({
      tone: 'open',
      words: `${count(failedOpen, 'run')} failed open`,
      more: 'The hook broke, and what it guards went through.',
      to: '/audit',
      search: { verdict: 'failed_open', range },
    })
  if (overview && overview.silent > 0)
    found.push({
      tone: 'wait',
      words: `${count(overview.silent, 'device')} ${overview.silent === 1 ? 'is' : 'are'} silent`,
      more: 'Nothing was heard for three days or more.',
      to: '/devices',
      search: { state: 'silent' },
    })
  if (newest?.state === 'unsigned')
    found.push({
      tone: 'wait',
      words: `Release ${newest.number} waits to be signed`,
      more: 'Its key is kept elsewhere: holdfast keys sign.',
      to: `/rollout/${newest.number}`,
    })
  const left = serving ? Date.parse(serving.expiresAt) - now : Number.POSITIVE_INFINITY
  if (serving && left < SOON_MS)
    found.push({
      tone: left <= 0 ? 'bad' : 'wait',
      words: left <= 0 ? `Release ${serving.number} is over` : `Release ${serving.number} ends soon`,
      more: `No device takes it after ${whole(serving.expiresAt)}. Publish once before.`,
      to: `/rollout/${serving.number}`,
    })
  return found
}
