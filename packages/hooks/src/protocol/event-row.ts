// The columns of the event table, with the parts that several rows share.

import type * as v from 'valibot'
import type { ResponseField, ResponseFieldName } from './response-fields.js'

/** Versions of Cursor in which something changed, oldest first. */
export const VERSIONS = ['1.7', '2.0', '2.1', '2.3', '2.4', '3'] as const

export type Version = (typeof VERSIONS)[number]

export const isAtLeast = (version: Version, since: Version): boolean =>
  VERSIONS.indexOf(version) >= VERSIONS.indexOf(since)

/** The text that a matcher is tested against: a field, a word of the event's own, or nothing. */
export type Subject =
  | {
      readonly field: string
      readonly otherwise?: string
      readonly doc: string
      /** Frequent values: a tool can show which of these a pattern matches. */
      readonly examples: readonly string[]
    }
  | { readonly word: string; readonly doc: string }
  | { readonly none: true; readonly doc: string }

export interface EventRow {
  readonly category: 'agent' | 'tab' | 'app'
  readonly since: Version
  /** Cursor does not have the event: only the profile holdfast has it. */
  readonly isOurs?: true
  readonly summary: string
  /** How hooks stop the action: with `permission`, with `continue`, or not at all. */
  readonly gate: 'permission' | 'continue' | 'none'
  /** What `ask` does: it asks, counts as deny, is not a valid word here, or means nothing. */
  readonly ask: 'asks' | 'denies' | 'invalid' | 'none'
  /** The effect of a failed hook if its entry has no failClosed. */
  readonly failure: 'open' | 'closed' | 'recorded'
  readonly subject: Subject
  /** The fields that a host passes. Those without a default are required. */
  readonly payload: Readonly<Record<string, v.GenericSchema>>
  /** Whether the payload belongs to a conversation and carries its ids. */
  readonly conversation: boolean
  readonly answer: Readonly<Partial<Record<ResponseFieldName, ResponseField>>>
  readonly sample: Readonly<Record<string, unknown>>
  /** The part of the host's own state that this event moves. */
  readonly loop?: 'counts' | 'resets'
  /** A follow-up is only accepted if this field has this value. */
  readonly followupWhen?: { readonly field: string; readonly is: string }
  /** Fields whose content is private: the log can leave them out by kind. */
  readonly sensitive?: Readonly<Record<string, 'contents' | 'prompts' | 'outputs'>>
  /** The output of this tool is the content of a file. */
  readonly readingTool?: string
  /** Other spellings of payload fields that are accepted from hosts and recordings. */
  readonly accepts?: Readonly<Record<string, string>>
  /**
   * Texts of a block, identical to those of Cursor where it has them; {field} is replaced by that field of the payload.
   */
  readonly blocked?: {
    readonly user?: string
    readonly agent?: string
    /** Used instead of `user` when a failed hook is the reason. */
    readonly failedClosed?: string
    readonly code?: string
    /** A line at the end of the text for the model. */
    readonly agentNote?: string
  }
  /** The tool call that a denial of this event ends: its name, and the fields that were its input. */
  readonly denies?: { readonly tool: string; readonly input: readonly string[] }
  /** Its place in the history of a conversation. */
  readonly trace?: Trace
  /** Other rules for readers of the reference. */
  readonly notes?: readonly string[]
}

/** Some actions start or end with an event, or consist of it. */
export interface Trace {
  readonly kind: 'session' | 'prompt' | 'tool' | 'shell' | 'mcp' | 'read' | 'edit' | 'subagent' | 'event'
  readonly part: 'begins' | 'ends' | 'whole'
  /** Fields that match an end with its start: all that both have must be equal. */
  readonly by?: readonly string[]
  /** The field with its duration in milliseconds. */
  readonly took?: string
}

// ——— subjects that several events share ———

export const toolSubject = {
  field: 'tool_name',
  doc: 'the tool name, such as `Shell` or `MCP:query`',
  examples: ['Shell', 'Read', 'Write', 'Delete', 'Grep', 'LS', 'Task', 'WebFetch', 'MCP:query'],
}
export const mcpSubject = {
  field: 'tool_name',
  doc: 'the name of the MCP tool',
  examples: ['query', 'execute_sql', 'search', 'read_file', 'write_file', 'create_issue', 'send_message'],
}
export const subagentSubject = {
  field: 'subagent_type',
  doc: 'the type of the subagent, such as `explore`',
  examples: ['explore', 'generalPurpose', 'shell'],
}
export const commandSubject = {
  field: 'command',
  doc: 'the full command text',
  examples: [
    'ls -la',
    'git status',
    'git commit -m "Fix"',
    'git push origin main',
    'git push --force origin main',
    'git reset --hard',
    'gh pr create',
    'npm test',
    'npm install left-pad',
    'rm -rf build',
    'sudo ls',
    'curl https://example.com',
    'wget https://example.com',
    'docker run alpine',
    'kubectl apply -f app.yaml',
    'terraform apply',
    'python3 app.py',
    'psql -c "drop table users"',
  ],
}
export const pathSubject = {
  field: 'file_path',
  doc: 'the file path',
  examples: [
    'src/a.ts',
    'src/a.js',
    'a.py',
    'a.go',
    'a.rs',
    'README.md',
    'package.json',
    'a.yaml',
    'a.sh',
    '.env',
  ],
}

/** A word of the event's own. */
export const word = (name: string): Subject => ({ word: name, doc: `the constant \`${name}\`` })
