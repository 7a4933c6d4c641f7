// What a row of the table can say of an event.

import type * as v from 'valibot'
import type { AnswerField, AnswerFieldName } from './answer.js'
import type { Version } from './versions.js'

/** What a matcher is held against: a field, a word of the event's own, or nothing at all. */
export type Subject =
  | {
      readonly field: string
      readonly otherwise?: string
      readonly doc: string
      /** What it often is: a tool can say which of these a pattern takes. */
      readonly examples: readonly string[]
    }
  | { readonly word: string; readonly doc: string }
  | { readonly none: true; readonly doc: string }

export interface EventRow {
  readonly category: 'agent' | 'tab' | 'app'
  readonly since: Version
  readonly summary: string
  /** How hooks stop the action: with `permission`, with `continue`, or not at all. */
  readonly gate: 'permission' | 'continue' | 'none'
  /** What `ask` does: it asks, counts as deny, is not a valid word here, or means nothing. */
  readonly ask: 'asks' | 'denies' | 'invalid' | 'none'
  /** What a failed hook does when its entry has no failClosed. */
  readonly failure: 'open' | 'closed' | 'recorded'
  readonly subject: Subject
  /** The host's facts. Fields without a default must be given. */
  readonly payload: Readonly<Record<string, v.GenericSchema>>
  /** Whether the payload belongs to a conversation and carries its ids. */
  readonly conversation: boolean
  readonly answer: Readonly<Partial<Record<AnswerFieldName, AnswerField>>>
  readonly sample: Readonly<Record<string, unknown>>
  /** The part of the host's own state that this event moves. */
  readonly loop?: 'counts' | 'resets'
  /** A follow-up is taken only when this field has this value. */
  readonly followupWhen?: { readonly field: string; readonly is: string }
  /** Fields whose content is private: the log can leave them out by kind. */
  readonly sensitive?: Readonly<Record<string, 'contents' | 'prompts' | 'outputs'>>
  /** The output of this tool is the content of a file. */
  readonly readingTool?: string
  /** Other spellings of payload fields that are accepted from hosts and recordings. */
  readonly accepts?: Readonly<Record<string, string>>
  /** Texts of a block, word for word where the original gives them; {field} stands for a fact. */
  readonly blocked?: {
    readonly user?: string
    readonly agent?: string
    /** Said instead of `user` when a failed hook is the reason. */
    readonly failedClosed?: string
    readonly code?: string
    /** A line that always ends what the model reads. */
    readonly agentNote?: string
  }
  /** The tool call that a denial of this event ends: its name, and the facts that were its input. */
  readonly denies?: { readonly tool: string; readonly input: readonly string[] }
  /** Its place in what is told of a conversation afterwards. */
  readonly trace?: Trace
  /** Other rules that a reader of the reference needs. */
  readonly notes?: readonly string[]
}

/** Some work begins or ends with an event, or is over in it. */
export interface Trace {
  readonly kind: 'session' | 'prompt' | 'tool' | 'shell' | 'mcp' | 'read' | 'edit' | 'subagent' | 'event'
  readonly part: 'begins' | 'ends' | 'whole'
  /** Fields by which an end finds its beginning: all that both have must be the same. */
  readonly by?: readonly string[]
  /** The field that says how long it took, in milliseconds. */
  readonly took?: string
}
