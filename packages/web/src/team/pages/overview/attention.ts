// The items that need attention, the worst first. Pure: from figures to sentences, each with a link.

import type { GetOverviewResponse, GetRolloutSettingsResponse, Release } from '@holdfast/team/messages'
import type { LinkProps } from '@tanstack/react-router'
import { count } from '../../../words/number.js'
import { moment } from '../../../words/time.js'
import { toRelease } from '../../links.js'

export interface Attention {
  readonly tone: 'bad' | 'open' | 'wait'
  readonly words: string
  /** Its meaning, or what to do. */
  readonly more: string
  readonly link: Pick<LinkProps, 'to' | 'params' | 'search'>
}

export interface Known {
  readonly overview: Pick<GetOverviewResponse, 'now' | 'silent' | 'expiring' | 'deviceStates'> | undefined
  readonly rollout:
    | Pick<GetRolloutSettingsResponse, 'killed' | 'killedBecause' | 'emergency' | 'requests'>
    | undefined
  /** Newest first. */
  readonly releases: readonly Pick<Release, 'number' | 'state' | 'haltedBecause'>[] | undefined
  readonly range: string
}

export function attention({ overview, rollout, releases = [], range }: Known): Attention[] {
  const found: Attention[] = []
  const newest = releases[0]
  if (rollout?.killed)
    found.push({
      tone: 'bad',
      words: 'The kill switch is on',
      more: `No device runs a hook of the team${rollout.killedBecause ? `: ${rollout.killedBecause}` : ''}.`,
      link: { to: '/rollout' },
    })
  if (rollout?.emergency)
    found.push({
      tone: 'bad',
      words: `${rollout.emergency.by} switched off all hooks without a second admin`,
      more: `In an emergency, at ${moment(rollout.emergency.at)}: ${rollout.emergency.reason}`,
      link: { to: '/audit' },
    })
  for (const { by, method, subject } of rollout?.requests ?? [])
    found.push({
      tone: 'wait',
      words: `${by} requests a second admin`,
      more: `To confirm, make the same change of ${subject}: ${method.split('/').pop()}.`,
      link: { to: '/rollout' },
    })
  if (newest?.state === 'halted')
    found.push({
      tone: 'bad',
      words: `Release ${newest.number} is halted`,
      more: newest.haltedBecause || 'Its devices returned to the previous release.',
      link: toRelease(newest.number),
    })
  const failedOpen = overview?.now?.failedOpen ?? 0
  if (failedOpen > 0)
    found.push({
      tone: 'open',
      words: `${count(failedOpen, 'run')} failed open`,
      more: 'A hook failed, and the action continued.',
      link: { to: '/audit', search: { verdict: 'failed_open', range } },
    })
  const troubled = overview?.deviceStates.find(({ name }) => name === 'attention')?.count ?? 0
  if (troubled > 0)
    found.push({
      tone: 'bad',
      words: `${count(troubled, 'device')} ${troubled === 1 ? 'needs' : 'need'} attention`,
      more: 'They rejected a release, or restored files that another program had changed.',
      link: { to: '/devices', search: { state: 'attention' } },
    })
  if (overview && overview.silent > 0)
    found.push({
      tone: 'wait',
      words: `${count(overview.silent, 'device')} ${overview.silent === 1 ? 'is' : 'are'} silent`,
      more: 'No contact for three days or more.',
      link: { to: '/devices', search: { state: 'silent' } },
    })
  if (newest?.state === 'unsigned')
    found.push({
      tone: 'wait',
      words: `Release ${newest.number} is unsigned`,
      more: 'Sign it with holdfast keys sign where the release key is.',
      link: toRelease(newest.number),
    })
  for (const { what, name, message, daysLeft } of overview?.expiring ?? [])
    found.push({
      tone: daysLeft === 0 ? 'bad' : 'wait',
      words:
        what === 'release'
          ? `${name.charAt(0).toUpperCase()}${name.slice(1)} expires`
          : `Your token “${name}” expires`,
      more: message,
      link: what === 'release' ? { to: '/rollout' } : { to: '/settings/$tab', params: { tab: 'tokens' } },
    })
  return found
}
