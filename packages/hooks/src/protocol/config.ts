// The content of hooks.json, and its loaded form: Source → Layer → Catalog.

import * as v from 'valibot'
import type { Code, IssueCode } from './codes.js'
import type { EventName } from './events.js'

/** The sources of hooks, highest first. A response of a lower source never affects a higher one. */
export const SOURCES = {
  enterprise: {
    rank: 0,
    needsTrust: false,
    dialect: 'native',
    doc: 'Set up by the administrators of the machine.',
  },
  team: { rank: 1, needsTrust: false, dialect: 'native', doc: 'Delivered by the team server.' },
  project: { rank: 2, needsTrust: true, dialect: 'native', doc: 'In the repository: .cursor/hooks.json.' },
  user: { rank: 3, needsTrust: false, dialect: 'native', doc: 'Of the user: ~/.cursor/hooks.json.' },
  'claude-local': { rank: 4, needsTrust: true, dialect: 'claude', doc: '.claude/settings.local.json' },
  'claude-project': { rank: 5, needsTrust: true, dialect: 'claude', doc: '.claude/settings.json' },
  'claude-user': { rank: 6, needsTrust: false, dialect: 'claude', doc: '~/.claude/settings.json' },
  plugin: { rank: 7, needsTrust: false, dialect: 'native', doc: 'In a plugin folder that the host named.' },
} as const satisfies Record<string, { rank: number; needsTrust: boolean; dialect: Dialect; doc: string }>

export type SourceKind = keyof typeof SOURCES
export type Dialect = 'native' | 'claude'

export interface Source {
  readonly kind: SourceKind
  /** The file that holds the hooks. */
  readonly file: string
  /** Where its hooks run. */
  readonly cwd: string
  /** The workspace root that it belongs to, for project sources. */
  readonly root?: string
  /** The plugin folder, for plugins. */
  readonly plugin?: string
  /** The managed folder holds a manifest instead of a hooks.json. */
  readonly format: 'hooks' | 'manifest' | 'claude' | 'plugin'
}

export interface Issue {
  readonly code: IssueCode
  readonly severity: 'error' | 'warning'
  readonly source: SourceKind
  readonly file: string
  readonly line: number
  readonly column: number
  /** The place in the file: `hooks.stop[0].timeout`. */
  readonly path: string
  readonly message: string
  readonly hint: string
}

export interface EntryField {
  readonly schema: v.GenericSchema
  readonly expected: string
  readonly default?: unknown
  readonly doc: string
}

/** Without a password, and not to another machine without encryption. */
function isHookUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
/** Headers whose value is a secret, by their names. */
const SECRET_HEADER = /auth|cookie|token|secret|key|password|signature/i
/** Replaced by a variable of the environment. */
export const HEADER_VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g

/** A secret consists of variables, with at most the name of its scheme before them. */
const areHeaders = (headers: Readonly<Record<string, string>>): boolean =>
  Object.entries(headers).every(([name, text]) => {
    const isHeader = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(text)
    const literal = text.replace(HEADER_VARIABLE, '').replace(/^\w+ /, '')
    return isHeader && (literal.trim() === '' || !SECRET_HEADER.test(name))
  })

const positive = v.pipe(v.number(), v.finite(), v.gtValue(0))

/** The keys of one entry in hooks.json. */
export const ENTRY_FIELDS = {
  command: {
    schema: v.pipe(v.string(), v.regex(/\S/)),
    expected: 'a command as a string that is not empty',
    doc: 'The program to start: a path, or a shell command. Relative paths start at the project root for project hooks, at the folder of hooks.json otherwise.',
  },
  type: {
    schema: v.picklist(['command', 'prompt', 'http']),
    expected: '"command", "prompt" or "http"',
    default: 'command',
    doc: 'A program, a question to a model, or a request to a server.',
  },
  prompt: {
    schema: v.pipe(v.string(), v.regex(/\S/)),
    expected: 'a question as a string that is not empty',
    doc: 'The question of a prompt hook. $ARGUMENTS is replaced by the payload; without it the payload is appended.',
  },
  model: { schema: v.string(), expected: 'a string', doc: 'The model that a prompt hook asks.' },
  url: {
    schema: v.pipe(v.string(), v.check(isHookUrl)),
    expected: 'an https address without a password, or an http address of this machine',
    doc: 'The server of an http hook. It receives the payload as a POST request, and its response is read like stdout.',
  },
  headers: {
    schema: v.pipe(v.record(v.string(), v.string()), v.check(areHeaders)),
    expected: 'an object of header names and texts, with secrets as ${NAME}',
    doc: 'Headers of an http hook. ${NAME} is replaced by that variable of the environment; a secret must not be in the file.',
  },
  timeout: {
    schema: positive,
    expected: 'a number of seconds above 0',
    default: 60,
    doc: 'Time limit in seconds; 60 for commands and requests, and 30 for prompts when absent.',
  },
  loop_limit: {
    schema: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0))),
    expected: 'a whole number from 0, or null for no limit',
    default: 5,
    doc: 'How many automatic follow-ups this hook may cause in a row. Only on stop and subagentStop.',
  },
  matcher: {
    schema: v.string(),
    expected: 'a regular expression as a string',
    doc: 'Run only when this is found in the subject of the event. Absent, "" and "*" match all.',
  },
  async: {
    schema: v.boolean(),
    expected: 'true or false',
    default: false,
    doc: 'Whether the agent goes on without this hook. Only on events that cannot be stopped; its response is recorded and not used.',
  },
  failClosed: {
    schema: v.boolean(),
    expected: 'true or false',
    doc: 'Whether a failure of this hook stops the action. With true, no response is a failure too.',
  },
} as const satisfies Record<string, EntryField>

/** Further keys of a hooks.json. They are used in the files of the user and of the enterprise. */
export const FILE_FIELDS = {
  protect_hook_files: {
    schema: v.boolean(),
    expected: 'true or false',
    default: true,
    doc: 'Whether an agent with a bridge must ask before it changes hook files. Only in the file of the user or of the enterprise; that of the enterprise wins.',
  },
  allowed_http_hosts: {
    schema: v.array(v.pipe(v.string(), v.regex(/^[^/@\s]+$/))),
    expected: 'an array of host names, each with its port if it is not the usual one',
    doc: 'The servers to which http hooks may send payloads (default: all). In the file of the enterprise it applies to all sources; in that of the user, to all but the enterprise and teams. The file of the enterprise takes precedence.',
  },
} as const satisfies Record<string, EntryField>

export type Matcher =
  | { readonly kind: 'all' }
  /** No groups, classes, repeats or escapes: cannot take long, so it is tested without a watchdog. */
  | {
      readonly kind: 'plain' | 'regex'
      readonly text: string
      readonly regex: RegExp
      /** The number of parts that repeat without a limit, as a measure of the worst case. */
      readonly repeats: number
    }
  | { readonly kind: 'invalid'; readonly text: string; readonly error: string }
  /** A translated matcher that can never match here. */
  | { readonly kind: 'never'; readonly text: string }

/** A path at the time when it was read. */
export interface Script {
  readonly path: string
  /** Size, times and inode; a different stamp means that the content must be read again. */
  readonly stamp: string
}

/** A hook that the host registers as a function. It responds as a script does: with an object, or nothing. */
export type HookFunction = (payload: Record<string, unknown>, context: { signal: AbortSignal }) => unknown

/**
 * Whether a hook takes part in the verdict, or only runs and is recorded (audit mode). Only the manifest of a team can
 * set it.
 */
export const MODES = ['enforce', 'observe'] as const
export type Mode = (typeof MODES)[number]

/** The numbers by which a team's server identifies a hook of its manifest. */
export interface Managed {
  readonly id?: number
  readonly revision?: number
  readonly release?: number
}

export type HookType = 'command' | 'prompt' | 'http' | 'function'

export interface HookDefinition {
  /** `project:.cursor/hooks.json:hooks.stop[0]`, unique in the catalog. */
  readonly id: string
  readonly source: SourceKind
  readonly rank: number
  readonly mode: Mode
  readonly event: EventName
  readonly type: HookType
  /** Its name for people: the command, the beginning of the prompt, the name of the function. */
  readonly name: string
  readonly command?: string
  readonly prompt?: string
  readonly model?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly run?: HookFunction
  readonly matcher: Matcher
  readonly timeoutMs: number
  /** Undefined when the entry does not set it. */
  readonly failClosed?: boolean
  readonly loopLimit: number | null
  /** Nothing waits for it, on events that cannot be stopped. */
  readonly async?: boolean
  readonly dialect: Dialect
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  readonly path: string | null
  readonly cwd: string
  readonly root: string
  readonly plugin?: string
  readonly managed?: Managed
  /** Files that the command names, for display. */
  readonly scripts: readonly Script[]
  /** Everything that the fingerprint covers, the same list for all hooks of a source; empty without a fingerprint. */
  readonly covered: readonly Script[]
  /** Of the definition and the content of what it covers; empty if trust and manifests do not depend on it. */
  readonly fingerprint: string
  /** Why the command may run files that the fingerprint does not cover. */
  readonly gap?: string
  readonly trusted: boolean
  /** The main worktree whose trust applies, for a hook in a linked worktree of git. */
  readonly trustRoot?: string
}

/** The manifest of a team, without its hooks. */
export interface Team {
  /** The folder has the content that the team signed, with the keys that were pinned at enrolment. */
  readonly isVerified: boolean
  /** Its server killed its hooks, so the source counts as missing for engines that require it. */
  readonly isSwitchedOff?: boolean
  readonly id?: string
  readonly release?: number
  /** The runs that the team receives: those of enterprise hooks and its own, or all. */
  readonly records: 'managed' | 'all'
  /** The folder in which records wait to be sent. Absent: the team requests none. */
  readonly queue?: string
}

export interface Layer {
  readonly source: Source
  readonly team?: Team
  /** kept: the file is broken now, and these are its last good hooks. */
  readonly state: 'loaded' | 'absent' | 'failed' | 'kept'
  readonly hooks: readonly HookDefinition[]
  readonly issues: readonly Issue[]
  /** Entries that had to be left out. */
  readonly dropped: number
  /** The `protect_hook_files` of its file, if it has one. */
  readonly protectHookFiles?: boolean
  /** The `allowed_http_hosts` of its file, if it has them. */
  readonly allowedHttpHosts?: readonly string[]
}

export interface Catalog {
  readonly layers: readonly Layer[]
  /** Hooks of each event in configured order, highest source first. */
  readonly byEvent: ReadonlyMap<EventName, readonly HookDefinition[]>
  readonly issues: readonly Issue[]
  /** Why permission events must be denied: a required source is incomplete. */
  readonly missing: readonly Issue[]
}

/** A remark about a run, an issue or a failure. */
export interface Remark<C extends Code = Code> {
  readonly code: C
  readonly message: string
}
