// Explains why the runs of an event led to its verdict. The engine has decided; nothing is decided again here.

import { type Decision, type EventSpec, type Profile, STRICTNESS } from '@holdfast/hooks/protocol'
import { versionName } from '../../profiles/names.js'

export interface RunDecision {
  readonly name: string
  /** The decision that it counted as, or would have. */
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
  readonly decisions: readonly RunDecision[]
  /** Why it is denied whatever the hooks respond; empty if it is not. */
  readonly denial: string
}

export function mergedWords({ gate, decision, profile, decisions, denial }: Merged): string {
  if (gate === 'none') {
    if (decisions.length === 0) return 'No hook ran.'
    return 'This event cannot be blocked: the host uses the responses, and no permission is decided.'
  }
  const enforced = decisions.filter(({ observes }) => !observes)
  return [
    denial === ''
      ? head(decision, enforced, decisions.length)
      : `It is denied whatever the hooks respond. ${denial}`,
    ...overruledWords(decision, enforced, profile),
    ...silentWords(enforced, decisions),
  ].join(' ')
}

function head(decision: FinalDecision, enforced: readonly RunDecision[], ran: number): string {
  const deciders = enforced.filter(({ decided }) => decided)
  if (decision === 'none') {
    if (ran === 0) return 'No hook ran, so the action may proceed.'
    return 'No hook decided, so the action may proceed.'
  }
  if (deciders.every(({ hasFailed }) => hasFailed)) {
    return `${names(deciders)} failed, and that counts as deny.`
  }
  const weaker = (['ask', 'allow'] as const).filter(
    word => STRICTNESS[word] < STRICTNESS[decision] && enforced.some(({ decision }) => decision === word),
  )
  if (weaker.length > 0) return `${capital(decision)} takes precedence over ${weaker.join(' and ')}.`
  const [only] = deciders
  return deciders.length === 1
    ? `Only ${only!.name} decided: ${decision}.`
    : `All hooks that decided chose ${decision}.`
}

/** Old versions ignore some hooks. */
function overruledWords(
  decision: FinalDecision,
  enforced: readonly RunDecision[],
  { name, merge }: Profile,
): string[] {
  const verdict = decision === 'none' ? 'abstain' : decision
  const lost = enforced.filter(({ decision }) => STRICTNESS[decision] > STRICTNESS[verdict])
  if (lost.length === 0) return []
  const why =
    merge.permission === 'highest-source'
      ? 'uses only the highest source that decides'
      : 'drops it when another hook prints nothing'
  const what = [...new Set(lost.map(({ decision }) => decision))].join(' and ')
  return [`The ${what} of ${names(lost)} does not count: ${versionName(name)} ${why}.`]
}

function silentWords(enforced: readonly RunDecision[], all: readonly RunDecision[]): string[] {
  const failed = enforced.filter(({ hasFailed, decision }) => hasFailed && decision === 'abstain')
  const audited = all.length - enforced.length
  return [
    ...(failed.length > 0
      ? [
          `${names(failed)} failed, and a failure does not decide${failed.length === enforced.length ? '' : ' here'}.`,
        ]
      : []),
    ...(audited > 0 ? ['A hook in audit mode does not decide.'] : []),
  ]
}

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)

function names(decisions: readonly RunDecision[]): string {
  const all = [...new Set(decisions.map(({ name }) => name))]
  if (all.length > 3) return `${all.slice(0, 2).join(', ')} and ${all.length - 2} more`
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}
