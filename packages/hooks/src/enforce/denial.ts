// A denied tool call is told as one that failed.

import type { EventSpec } from '../protocol/events.js'
import type { LooseFacts } from '../protocol/payload.js'
import { type BlockTexts, filled } from './messages.js'

/** The facts of the event that follows a denial; undefined when no tool call was denied. */
export function denialFacts(
  spec: EventSpec,
  facts: LooseFacts,
  texts: BlockTexts,
): Record<string, unknown> | undefined {
  if (!spec.denies) return undefined
  return {
    tool_name: filled(spec.denies.tool, facts),
    tool_input: inputOf(spec.denies.input, facts),
    tool_use_id: facts.tool_use_id ?? facts.tool_call_id ?? '',
    cwd: typeof facts.cwd === 'string' ? facts.cwd : '',
    error_message: texts.agent,
    failure_type: 'permission_denied',
    duration: 0,
    is_interrupt: false,
  }
}

/** One field that is the input, or the fields that make it up. */
function inputOf(fields: readonly string[], facts: LooseFacts): unknown {
  if (fields.length === 1 && fields[0] === 'tool_input') return facts.tool_input ?? {}
  return Object.fromEntries(
    fields.filter(field => facts[field] !== undefined).map(field => [field, facts[field]]),
  )
}
