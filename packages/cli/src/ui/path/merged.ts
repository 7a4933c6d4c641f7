// How what several hooks said became one verdict, in words. By the engine's own rules: the strictest decision wins, a
// failure that stops counts as deny, and who failed open, observes or says nothing has no say.

import { type Decision, type EventSpec, type Profile, STRICTNESS } from '@holdfast/hooks/protocol'
import { versionName } from '../../profiles/names.js'

export interface Voice {
  readonly name: string
  /** What it counted as, or would have. */
  readonly decision: Decision
  readonly hasFailed: boolean
  readonly observes: boolean
  /** The verdict is its decision. */
  readonly decided: boolean
}

export type FinalDecision = 'allow' | 'ask' | 'deny' | 'none'

export interface Merged {
  readonly gate: EventSpec['gate']
  readonly decision: FinalDecision
  readonly profile: Profile
  readonly voices: readonly Voice[]
  /** Why it is denied whatever hooks respond; empty when it is not. */
  readonly denial: string
}

export function mergedWords({ gate, decision, profile, voices, denial }: Merged): string {
  if (gate === 'none') {
    if (voices.length === 0) return 'No hook ran.'
    return 'This event cannot be stopped: what its hooks answer is taken up, and no permission is decided.'
  }
  const heard = voices.filter(({ observes }) => !observes)
  return [
    denial === '' ? head(decision, heard, voices.length) : `It is denied whatever hooks respond. ${denial}`,
    ...overruledWords(decision, heard, profile),
    ...silentWords(heard, voices),
  ].join(' ')
}

function head(decision: FinalDecision, heard: readonly Voice[], ran: number): string {
  const deciders = heard.filter(({ decided }) => decided)
  if (decision === 'none') {
    if (ran === 0) return 'No hook ran, so it may proceed.'
    return heard.some(({ hasFailed }) => hasFailed)
      ? 'No hook that worked had an opinion, so it may proceed.'
      : 'No hook had an opinion, so it may proceed.'
  }
  if (deciders.every(({ hasFailed }) => hasFailed)) {
    return `${names(deciders)} failed, and that counts as deny.`
  }
  const weaker = (['ask', 'allow'] as const).filter(
    word => STRICTNESS[word] < STRICTNESS[decision] && heard.some(({ decision }) => decision === word),
  )
  if (weaker.length > 0) return `${capital(decision)} wins over ${weaker.join(' and ')}.`
  const [only] = deciders
  return deciders.length === 1
    ? `Only ${only!.name} had an opinion: ${decision}.`
    : `All hooks with an opinion said ${decision}.`
}

/** Old versions do not hear everybody. */
function overruledWords(
  decision: FinalDecision,
  heard: readonly Voice[],
  { name, merge }: Profile,
): string[] {
  const verdict = decision === 'none' ? 'abstain' : decision
  const lost = heard.filter(({ decision }) => STRICTNESS[decision] > STRICTNESS[verdict])
  if (lost.length === 0) return []
  const why =
    merge.permission === 'highest-source'
      ? 'hears only the highest source with an opinion'
      : 'forgets it when another hook prints nothing'
  const what = [...new Set(lost.map(({ decision }) => decision))].join(' and ')
  return [`The ${what} of ${names(lost)} is lost: ${versionName(name)} ${why}.`]
}

function silentWords(heard: readonly Voice[], all: readonly Voice[]): string[] {
  const failed = heard.filter(({ hasFailed, decision }) => hasFailed && decision === 'abstain')
  const watching = all.length - heard.length
  return [
    ...(failed.length > 0
      ? [
          `${names(failed)} failed, and a failed hook has no say${failed.length === heard.length ? '' : ' here'}.`,
        ]
      : []),
    ...(watching > 0 ? [`A hook that observes has no say.`] : []),
  ]
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)

function names(voices: readonly Voice[]): string {
  const all = [...new Set(voices.map(({ name }) => name))]
  if (all.length > 3) return `${all.slice(0, 2).join(', ')} and ${all.length - 2} more`
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}
