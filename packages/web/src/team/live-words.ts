// What is live of a hook, in words. The server computes it; every page reads it from here.

import type { LiveState } from '@holdfast/team/messages'
import { count, figure } from '../words/number.js'

export const LIVE: Readonly<Record<string, { readonly word: string; readonly tone: string }>> = {
  draft: { word: 'Never published', tone: 'none' },
  released: { word: 'Not yet active', tone: 'ask' },
  partial: { word: 'Partly active', tone: 'accent' },
  active: { word: 'Active', tone: 'allow' },
  removing: { word: 'Being removed', tone: 'ask' },
  removed: { word: 'Removed', tone: 'none' },
  killed: { word: 'Kill switch on', tone: 'deny' },
}

export interface Reach {
  readonly revision: number
  readonly active: number
  readonly pending: number
  readonly failed: number
  readonly silent: number
}

/** By revision, the newest first; 0 is without the hook. */
export function reachOf({ rings }: Pick<LiveState, 'rings'>): Reach[] {
  const all = new Map<number, Reach>()
  for (const { revision, active, pending, failed, silent } of rings.flatMap(({ revisions }) => revisions)) {
    const sum = all.get(revision) ?? { revision, active: 0, pending: 0, failed: 0, silent: 0 }
    all.set(revision, {
      revision,
      active: sum.active + active,
      pending: sum.pending + pending,
      failed: sum.failed + failed,
      silent: sum.silent + silent,
    })
  }
  return [...all.values()].sort((a, b) => b.revision - a.revision)
}

const seenIn = (reach: readonly Reach[]) => reach.reduce((sum, { active }) => sum + active, 0)

/** 2 of 37: the devices that have the released revision, of those that were seen. */
export function reachWords(live: LiveState): string {
  const reach = reachOf(live)
  const seen = seenIn(reach)
  if (live.released === 0 || seen === 0) return ''
  const on = reach.find(({ revision }) => revision === live.released)?.active ?? 0
  return `${figure(on)} of ${figure(seen)}`
}

/** Of a revision that no device has yet: the one that most devices have, such as revision 1 on 37 of 37. */
export function formerOf(live: LiveState): { readonly revision: number; readonly reach: string } | undefined {
  const reach = reachOf(live)
  const [former] = reach
    .filter(({ revision, active }) => revision !== live.released && revision > 0 && active > 0)
    .sort((a, b) => b.active - a.active)
  return live.state === 'released' && former
    ? { revision: former.revision, reach: `${figure(former.active)} of ${figure(seenIn(reach))}` }
    : undefined
}

/** Revision 2 on 2 of 37 devices, revision 1 on 35. */
export function liveSentence(live: LiveState): string {
  const { state, released, release } = live
  const reach = reachOf(live)
  const seen = seenIn(reach)
  const onOther = reach
    .filter(({ revision, active }) => revision !== released && active > 0)
    .map(({ revision, active }) =>
      revision === 0 ? `not on ${figure(active)}` : `revision ${revision} on ${figure(active)}`,
    )
  const sum = (key: 'failed' | 'silent') => reach.reduce((total, row) => total + row[key], 0)
  const rest = [
    ...(sum('failed') > 0 ? [`failed on ${figure(sum('failed'))}`] : []),
    ...(sum('silent') > 0 ? [`${figure(sum('silent'))} silent`] : []),
  ]
  const join = (parts: readonly string[]) => `${parts.join(', ')}.`
  switch (state) {
    case 'draft':
      return 'Never published.'
    case 'removed':
      return release === 0 ? 'In no release.' : `Not in release ${release}, and on no device.`
    case 'removing': {
      const has = reach.filter(({ revision }) => revision > 0)
      const on = has.reduce((total, { active, silent }) => total + active + silent, 0)
      return `Not in release ${release}, and still on ${count(on, 'device')}.`
    }
    case 'killed':
      return `Revision ${released} is in release ${release}, but the kill switch is on.`
    case 'active':
      return join([`Revision ${released} on all ${count(seen, 'device')}`, ...rest])
    case 'partial':
      return join([`Revision ${released} on ${reachWords(live)} devices`, ...onOther, ...rest])
    default:
      return join([
        `Revision ${released} is in release ${release} and on no device yet`,
        ...onOther.filter(words => !words.startsWith('not')),
        ...rest,
      ])
  }
}
