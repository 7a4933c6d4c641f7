// One entry as it was written, checked and completed, before anybody looked at the scripts that it names.

import { ENTRY_FIELDS, type Managed, type Matcher, type Mode } from '../protocol/config.js'
import type { EventName, EventSpec } from '../protocol/events.js'
import type { Place } from './json.js'

export interface Draft {
  readonly event: EventName
  readonly type: 'command' | 'prompt'
  /** What a person calls it, where that is neither the command nor the prompt. */
  readonly name?: string
  readonly mode?: Mode
  readonly managed?: Managed
  readonly command?: string
  readonly prompt?: string
  readonly model?: string
  readonly matcher: Matcher
  readonly timeoutMs: number
  readonly failClosed?: boolean
  readonly loopLimit: number | null
  readonly place: Place
  readonly path: string
  /** Where the command itself stands: mistakes in it are shown there. */
  readonly commandAt: { readonly place: Place; readonly path: string }
}

/** The checked fields of one entry. */
export interface Fields {
  command?: string
  type?: 'command' | 'prompt'
  prompt?: string
  model?: string
  timeout?: number
  loop_limit?: number | null
  matcher?: string
  failClosed?: boolean
}

const PROMPT_TIMEOUT_S = 30

/** Timers count in 31 bits; a longer wait would be taken for none at all. */
const LONGEST_MS = 2 ** 31 - 1

export function toDraft(
  spec: EventSpec,
  fields: Fields,
  matcher: Matcher,
  loopLimit: number | null,
  at: Pick<Draft, 'place' | 'path' | 'commandAt'>,
): Draft {
  const isPrompt = fields.type === 'prompt'
  const seconds = fields.timeout ?? (isPrompt ? PROMPT_TIMEOUT_S : ENTRY_FIELDS.timeout.default)
  const draft: { -readonly [K in keyof Draft]: Draft[K] } = {
    event: spec.name,
    type: isPrompt ? 'prompt' : 'command',
    matcher,
    timeoutMs: Math.min(Math.max(Math.round(seconds * 1000), 1), LONGEST_MS),
    loopLimit: fields.loop_limit === undefined ? loopLimit : fields.loop_limit,
    place: at.place,
    path: at.path,
    commandAt: at.commandAt,
  }
  if (isPrompt) draft.prompt = fields.prompt ?? ''
  else draft.command = fields.command ?? ''
  if (isPrompt && fields.model !== undefined) draft.model = fields.model
  if (fields.failClosed !== undefined) draft.failClosed = fields.failClosed
  return draft
}
