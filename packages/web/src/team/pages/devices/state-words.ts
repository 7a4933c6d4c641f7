// The state of a device, in words that imply what to do.

import type { Device } from '@holdfast/team/messages'

export type Tone = 'good' | 'wait' | 'bad' | 'off'

export interface StateWords {
  readonly words: string
  readonly tone: Tone
  /** What it means, in a sentence. */
  readonly meaning: string
}

type Judged = Pick<Device, 'state' | 'release' | 'wantedRelease' | 'lastSeenAt' | 'looksCloned'>

const DAY_MS = 86_400_000

/** Ordered by urgency. */
export const STATES = [
  'attention',
  'silent',
  'behind',
  'no_bundle',
  'stale',
  'killed',
  'in_sync',
  'revoked',
  'left',
] as const

export const STATE_NAMES: Readonly<Record<string, string>> = {
  in_sync: 'in sync',
  attention: 'needs attention',
  behind: 'behind',
  silent: 'silent',
  stale: 'stale',
  killed: 'killed',
  no_bundle: 'no release yet',
  revoked: 'revoked',
  left: 'left',
}

export function stateWords(device: Judged, now: number): StateWords {
  const { state, release, wantedRelease } = device
  switch (state) {
    case 'in_sync':
      return release === 0
        ? { words: 'in sync', tone: 'good', meaning: 'There is no release yet.' }
        : { words: 'in sync', tone: 'good', meaning: `It has release ${release}, as planned.` }
    case 'behind':
      return wantedRelease > release
        ? {
            words: `behind by ${wantedRelease - release}`,
            tone: 'wait',
            meaning: `It has release ${release} and should have ${wantedRelease}. It updates when it next connects.`,
          }
        : {
            words: `returns to ${wantedRelease}`,
            tone: 'wait',
            meaning: `It has release ${release} and should go back to ${wantedRelease}.`,
          }
    case 'attention':
      return {
        words: 'needs attention',
        tone: 'bad',
        meaning: 'It rejected a release, or restored files that another program had changed.',
      }
    case 'silent':
      return {
        words: `silent ${silentFor(device.lastSeenAt, now)}`,
        tone: 'bad',
        meaning: 'No contact for three days or more. Check whether it is switched off or retired.',
      }
    case 'stale':
      return {
        words: 'stale',
        tone: 'bad',
        meaning: 'Its lease expired before it was renewed. It keeps its last hooks.',
      }
    case 'killed':
      return {
        words: 'killed',
        tone: 'bad',
        meaning: 'The kill switch is on: it runs none of the team’s hooks.',
      }
    case 'no_bundle':
      return {
        words: 'no release yet',
        tone: 'wait',
        meaning: `It is enrolled and has not downloaded release ${wantedRelease} yet.`,
      }
    case 'revoked':
      return {
        words: 'revoked',
        tone: 'off',
        meaning: 'An admin revoked it. It receives no more releases.',
      }
    case 'left':
      return { words: 'left', tone: 'off', meaning: 'It left the team.' }
    default:
      return { words: state.replaceAll('_', ' ') || 'unknown', tone: 'off', meaning: '' }
  }
}

function silentFor(lastSeenAt: string, now: number): string {
  const days = Math.floor((now - Date.parse(lastSeenAt)) / DAY_MS)
  return Number.isFinite(days) ? `${Math.max(0, days)} d` : 'since it was enrolled'
}
