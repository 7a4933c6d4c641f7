// A configured hook in the form that pages receive.

import { eventsUnder, findEvent, type HookDefinition, type Profile } from '@holdfast/hooks/protocol'
import { POLICY_WORDS, policyOf } from '../../print/policy.js'
import { shortHook } from '../../print/words.js'
import type { TrustState } from '../../trusted.js'
import type { ProblemShape } from '../problems.js'
import { groupOf } from '../runs/row.js'
import type { HookHistory } from './history.js'
import { fingerprintOf } from './seen.js'

export interface HookContext {
  readonly profile: Profile
  readonly roots: readonly string[]
  readonly sourceId: string
  /** Starts at 1, among the hooks of its event. */
  readonly order: number
  readonly trust: TrustState | undefined
  readonly history: HookHistory | undefined
  readonly problems: readonly ProblemShape[]
}

export function toHook(hook: HookDefinition, context: HookContext) {
  const { profile, sourceId, order, trust, history, problems, roots } = context
  const spec = eventsUnder(profile).get(hook.event) ?? findEvent(hook.event)!
  const policy = policyOf(hook, spec, profile)
  return {
    id: hook.id,
    sourceId,
    source: hook.source,
    event: hook.event,
    command: hook.command ?? hook.prompt ?? hook.name,
    name: shortHook(hook),
    file: hook.file ?? '',
    line: hook.line ?? 0,
    matcher: hook.matcher.kind === 'all' ? '' : hook.matcher.text,
    state: stateOf(hook, trust),
    fingerprint: fingerprintOf(hook),
    type: hook.type,
    mode: hook.mode,
    timeoutS: hook.timeoutMs / 1000,
    failClosed: hook.failClosed === true,
    ...(spec.loop === 'counts' && hook.loopLimit !== null ? { loopLimit: hook.loopLimit } : {}),
    onFailure: `${POLICY_WORDS[policy.effect]}: ${policy.why}`,
    order,
    ...(history && history.runs > 0 ? { history } : {}),
    problems: [...problems],
    gap: hook.gap ?? '',
    group: groupOf(
      {
        source: hook.source,
        hook: hook.name,
        file: hook.file,
        ...(hook.managed?.id === undefined ? {} : { hook_id: hook.managed.id }),
      },
      roots,
    ),
  }
}

export type HookShape = ReturnType<typeof toHook>

const stateOf = ({ trusted, matcher }: HookDefinition, trust: TrustState | undefined): string => {
  if (!trusted) return trust === 'changed' ? 'changed' : 'untrusted'
  return matcher.kind === 'invalid' ? 'invalid' : 'loaded'
}
