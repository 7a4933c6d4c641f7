// How a device is, in words that say what to do about it.

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

/** The order in which people want to see them: what needs a hand first. */
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
  no_bundle: 'nothing taken yet',
  revoked: 'revoked',
  left: 'left',
}

export function stateWords(device: Judged, now: number): StateWords {
  const { state, release, wantedRelease } = device
  switch (state) {
    case 'in_sync':
      return release === 0
        ? { words: 'in sync', tone: 'good', meaning: 'There is nothing for it to take yet.' }
        : { words: 'in sync', tone: 'good', meaning: `It has release ${release}, as it should.` }
    case 'behind':
      return wantedRelease > release
        ? {
            words: `behind by ${wantedRelease - release}`,
            tone: 'wait',
            meaning: `It has release ${release} and should have ${wantedRelease}. It takes it when it next asks.`,
          }
        : {
            words: `to go back to ${wantedRelease}`,
            tone: 'wait',
            meaning: `It has release ${release} and should go back to ${wantedRelease}.`,
          }
    case 'attention':
      return {
        words: 'needs attention',
        tone: 'bad',
        meaning: 'It rejected what the server sent, or restored files that another program had changed.',
      }
    case 'silent':
      return {
        words: `silent ${silentFor(device.lastSeenAt, now)}`,
        tone: 'bad',
        meaning: 'Nothing was heard of it for three days or more. Is it switched off, or gone?',
      }
    case 'stale':
      return {
        words: 'stale',
        tone: 'bad',
        meaning: 'Its lease ran out before a new one came: it goes on with the last hooks that it has.',
      }
    case 'killed':
      return {
        words: 'killed',
        tone: 'bad',
        meaning: 'The kill switch is on: it runs none of the team’s hooks.',
      }
    case 'no_bundle':
      return {
        words: 'nothing taken yet',
        tone: 'wait',
        meaning: `It is enrolled and has not taken release ${wantedRelease} yet.`,
      }
    case 'revoked':
      return {
        words: 'revoked',
        tone: 'off',
        meaning: 'Somebody took it out of the team. It gets nothing any more.',
      }
    case 'left':
      return { words: 'left', tone: 'off', meaning: 'It left the team by itself.' }
    default:
      return { words: state.replaceAll('_', ' ') || 'unknown', tone: 'off', meaning: '' }
  }
}

function silentFor(lastSeenAt: string, now: number): string {
  const days = Math.floor((now - Date.parse(lastSeenAt)) / DAY_MS)
  return Number.isFinite(days) ? `${Math.max(0, days)} d` : 'since it was enrolled'
}
