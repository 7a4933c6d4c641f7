// Makes the host feel the verdict: go on, ask, or stop.

import type { SourceKind } from '../protocol/config.js'
import type { EventSpec } from '../protocol/events.js'
import type { LooseFacts } from '../protocol/payload.js'
import { isAsking, isBlocked, type Verdict } from '../protocol/verdict.js'
import { type BlockTexts, blockTexts } from './messages.js'

export interface Question {
  readonly verdict: Verdict
  readonly facts: LooseFacts
  /** What the hooks want the person to know. */
  readonly message: string | null
  readonly signal: AbortSignal | undefined
}

export type OnAsk = (question: Question) => boolean | Promise<boolean>

export interface EnforceOptions {
  readonly onAsk: OnAsk | undefined
  /** Sources whose allow is a grant. */
  readonly grants: readonly SourceKind[]
  readonly signal?: AbortSignal | undefined
}

export type Enforced =
  | { readonly kind: 'go'; readonly facts: LooseFacts; readonly granted: boolean }
  | { readonly kind: 'stop'; readonly texts: BlockTexts }

export async function enforce(
  spec: EventSpec,
  facts: LooseFacts,
  verdict: Verdict,
  options: EnforceOptions,
): Promise<Enforced> {
  const stop = (extra?: string): Enforced => ({
    kind: 'stop',
    texts: blockTexts(spec, facts, verdict, extra),
  })
  if (isBlocked(verdict)) return stop()
  const changed = withUpdatedInput(facts, verdict)
  if (isAsking(verdict)) {
    const { onAsk, signal } = options
    if (!onAsk) return stop('A hook wants a person to approve this, and nobody can be asked here.')
    const yes = await onAsk({ verdict, facts: changed, message: verdict.userMessage, signal })
    // Anything but a clear yes is a no.
    return yes === true
      ? { kind: 'go', facts: changed, granted: true }
      : stop('The person did not approve this.')
  }
  const granted =
    verdict.permission === 'allow' &&
    verdict.deciders.some(({ hook }) => options.grants.includes(hook.source))
  return { kind: 'go', facts: changed, granted }
}

/** `updated_input` replaces the keys it names. */
function withUpdatedInput(facts: LooseFacts, { updatedInput }: Verdict): LooseFacts {
  if (!updatedInput) return facts
  return { ...facts, tool_input: { ...(facts.tool_input as object | undefined), ...updatedInput } }
}
