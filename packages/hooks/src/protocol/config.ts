// What hooks.json may hold, and what is made of it: Source → Layer → Catalog.

import * as v from 'valibot'
import type { Code, IssueCode } from './codes.js'
import type { EventName } from './events.js'

/** Where hooks come from, highest first. No response of a lower source reaches into a higher one. */
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

const positive = v.pipe(v.number(), v.finite(), v.gtValue(0))

/** The keys of one entry in hooks.json. */
export const ENTRY_FIELDS = {
  command: {
    schema: v.pipe(v.string(), v.regex(/\S/)),
    expected: 'a command as a string that is not empty',
    doc: 'The program to start: a path, or a shell command. Relative paths start at the project root for project hooks, at the folder of hooks.json otherwise.',
  },
  type: {
    schema: v.picklist(['command', 'prompt']),
    expected: '"command" or "prompt"',
    default: 'command',
    doc: 'A program, or a question to a model.',
  },
  prompt: {
    schema: v.pipe(v.string(), v.regex(/\S/)),
    expected: 'a question as a string that is not empty',
    doc: 'The question of a prompt hook. $ARGUMENTS is replaced by the payload; without it the payload is appended.',
  },
  model: { schema: v.string(), expected: 'a string', doc: 'The model that a prompt hook asks.' },
  timeout: {
    schema: positive,
    expected: 'a number of seconds above 0',
    default: 60,
    doc: 'Time limit in seconds; 60 for commands and 30 for prompts when absent.',
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
  failClosed: {
    schema: v.boolean(),
    expected: 'true or false',
    doc: 'Whether a failure of this hook stops the action. With true, no response is a failure too.',
  },
} as const satisfies Record<string, EntryField>

/** Further keys of a hooks.json. They count in the files of the user and of the enterprise. */
export const FILE_FIELDS = {
  protect_hook_files: {
    schema: v.boolean(),
    expected: 'true or false',
    default: true,
    doc: 'Whether an agent with a bridge must ask before it changes hook files. Only in the file of the user or of the enterprise; that of the enterprise wins.',
  },
} as const satisfies Record<string, EntryField>

export type Matcher =
  | { readonly kind: 'all' }
  /** No groups, classes, repeats or escapes: cannot run away, so it is tested without a guard. */
  | {
      readonly kind: 'plain' | 'regex'
      readonly text: string
      readonly regex: RegExp
      /** How many parts repeat without a limit: a measure of how badly it can run away. */
      readonly repeats: number
    }
  | { readonly kind: 'invalid'; readonly text: string; readonly error: string }
  /** A translated matcher that can never match here. */
  | { readonly kind: 'never'; readonly text: string }

/** A path as it was when it was read. */
export interface Script {
  readonly path: string
  /** Size, times and inode; a different stamp means that the content must be read again. */
  readonly stamp: string
}

/** A hook that the host gives as a function. It responds as a script would: with an object, or nothing. */
export type HookFunction = (payload: Record<string, unknown>, context: { signal: AbortSignal }) => unknown

/** Whether a hook takes part in the verdict, or only runs and is recorded. Only the manifest of a team can set observe. */
export const MODES = ['enforce', 'observe'] as const
export type Mode = (typeof MODES)[number]

/** The numbers by which a team's server identifies a hook of its manifest. */
export interface Managed {
  readonly id?: number
  readonly revision?: number
  readonly release?: number
}

export interface HookDefinition {
  /** `project:.cursor/hooks.json:hooks.stop[0]`, unique in the catalog. */
  readonly id: string
  readonly source: SourceKind
  readonly rank: number
  readonly mode: Mode
  readonly event: EventName
  readonly type: 'command' | 'prompt' | 'function'
  /** Its name for people: the command, the beginning of the prompt, the name of the function. */
  readonly name: string
  readonly command?: string
  readonly prompt?: string
  readonly model?: string
  readonly run?: HookFunction
  readonly matcher: Matcher
  readonly timeoutMs: number
  /** Undefined when the entry does not set it. */
  readonly failClosed?: boolean
  readonly loopLimit: number | null
  readonly dialect: Dialect
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  readonly path: string | null
  readonly cwd: string
  readonly root: string
  readonly plugin?: string
  readonly managed?: Managed
  /** Files that the command names, for people to read. */
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
  /** The folder is what the team signed, by the keys that were pinned at enrolment. */
  readonly isVerified: boolean
  /** Its server killed its hooks, which leaves the source missing for those who require it. */
  readonly isSwitchedOff?: boolean
  readonly id?: string
  readonly release?: number
  /** The runs that the team receives: those of enterprise hooks and its own, or all. */
  readonly records: 'managed' | 'all'
  /** The folder in which records wait to be sent. Absent: the team wants none. */
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
}

export interface Catalog {
  readonly layers: readonly Layer[]
  /** Hooks of each event in configured order, highest source first. */
  readonly byEvent: ReadonlyMap<EventName, readonly HookDefinition[]>
  readonly issues: readonly Issue[]
  /** Why permission events must be denied: a required source is incomplete. */
  readonly missing: readonly Issue[]
}

/** One thing worth saying about a run, an issue or a failure. */
export interface Remark<C extends Code = Code> {
  readonly code: C
  readonly message: string
}
