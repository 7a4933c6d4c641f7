// The settings of an agent: the entries that call the bridge, the ways to turn them off, and the limits of a call.

import type { EventName } from '../protocol/events.js'
import { type Bridge, type EventKind, GATES, type Json } from './types.js'

/** The seconds that an agent waits for one call. Most agents proceed after that. */
export const ENTRY_LIMIT_SECONDS = 600

/** The seconds after which the bridge itself decides, before the agent stops waiting. */
export const BRIDGE_LIMIT_SECONDS = ENTRY_LIMIT_SECONDS - 10

/** The call of the bridge for one event of the agent. */
export interface EntryCall {
  readonly event: string
  readonly command: string
  /** The action is blocked if the command cannot run. */
  readonly isGate: boolean
  /** For a file that users without Holdfast share: what to do if the command cannot run. */
  readonly hint?: string
}

export interface Config {
  /** Relative to the home folder and to the project. */
  readonly files: { readonly user: string; readonly project: string }
  /** Further files and folders with hook settings: absolute, or relative to the home folder and to the project. */
  readonly otherSettings?: readonly string[]
  /** The file of the machine, which no repository can turn off. */
  readonly managed?: ManagedFile
  /** The variable with another folder for the user's file. */
  readonly folderVariable?: string
  /** The agent ignores all hooks of a file that has other keys, or that is not plain JSON. */
  readonly onlyKeys?: readonly string[]
  /** Where the events are in the file. Absent: in "hooks". */
  readonly hooksKey?: readonly string[]
  /** The complete file belongs to holdfast. */
  readonly ownFile?: OwnFile
  /** The entry for one event of the agent. */
  entry(call: EntryCall): Json
  /** A new file without hooks. */
  readonly empty: Json
  /** The variable with the agent's project folder. */
  readonly projectVariable?: string
  /** The agent starts hooks in its project folder; the folder in a payload may be that of one command. */
  readonly startsInProject?: true
  /** The variable that the agent sets for the commands of its tools. */
  readonly toolVariable?: string
  /** Variables with secrets that the agent passes to hooks. */
  readonly secretVariables?: readonly string[]
  /** What the user must do after installing. */
  readonly nextStep?: string
  /** The seconds that the agent waits, if entries cannot set them. */
  readonly limitSeconds?: number
  /** The first version that blocks the action if a hook does not respond in time. Absent: no version does. */
  readonly blocksTimeoutsSince?: string
  readonly offSwitches: readonly OffSwitch[]
}

/** The commands of the entries, by event of the agent. */
export type Commands = Readonly<Record<string, string>>

export interface OwnFile {
  write(commands: Commands): string
  /** Undefined if holdfast did not write the text. */
  read(text: string): Commands | undefined
}

export interface ManagedFile {
  /** One path for each operating system; `else` for the others. */
  readonly files: { readonly else: string; readonly darwin?: string; readonly win32?: string }
}

export const managedPath = ({ files }: ManagedFile): string =>
  files[process.platform as 'darwin' | 'win32'] ?? files.else

/** A way to turn the entries off. */
export interface OffSwitch {
  /** The setting, the option or the state that turns them off. */
  readonly name: string
  readonly effect: string
  /** Where the setting can be: `~/` is the home folder, other paths are in the project. */
  readonly setting?: {
    readonly files: readonly string[]
    readonly key: readonly string[]
    /** With `names`, the setting is an object, or a .env file, that has one of them. */
    readonly value?: unknown
    readonly names?: readonly string[]
  }
  /** It turns off only the entries of this file. */
  readonly only?: 'user' | 'project'
  /** It turns off the entries of the machine too. */
  readonly alsoManaged?: true
}

/** With these a repository starts another program instead of the entries, or changes what hooks find. */
const START_VARIABLES = ['PATH', 'NODE_OPTIONS', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES']

export const environmentSwitch = (
  name: string,
  files: readonly string[],
  more: readonly string[] = [],
): OffSwitch => {
  const names = [...START_VARIABLES, ...more]
  return {
    name: `${name} with PATH and the like`,
    effect: `A repository can contain it, and make the entries start another program with ${names.join(', ')}.`,
    setting: { files, key: ['env'], names },
    alsoManaged: true,
  }
}

/** A hook that cannot be started exits with another code than 2, and agents proceed. */
export function toShell({ command, isGate, hint }: EntryCall): string {
  if (!isGate) return command
  return hint === undefined ? `${command} || exit 2` : `${command} || { echo '${hint}' >&2; exit 2; }`
}

/** The form of Claude Code, which many agents read. */
export const toNestedEntry = (call: EntryCall, more: Json = {}): Json => ({
  hooks: [{ type: 'command', command: toShell(call), timeout: ENTRY_LIMIT_SECONDS, ...more }],
})

/** Gemini CLI and Qwen Code count milliseconds. */
export const toNamedEntry = (call: EntryCall): Json =>
  toNestedEntry(call, { name: 'holdfast', timeout: ENTRY_LIMIT_SECONDS * 1000 })

/** For an agent that ignores exit codes and obeys JSON on stdout. Quotes would end the text for the shell. */
export const toAnsweringShell = ({ command, isGate, hint = NOT_STARTED }: EntryCall, deny: Json): string =>
  isGate ? `${command} || echo '${JSON.stringify({ ...deny, reason: hint })}'` : command

export const NOT_STARTED = 'Blocked, because holdfast could not be started.'

/** The events that hooks can receive from each kind. Kinds that can block, and the start, are always needed. */
const RAISED: Readonly<Partial<Record<EventKind, readonly EventName[]>>> = {
  result: [
    'afterShellExecution',
    'afterMCPExecution',
    'afterFileEdit',
    'postToolUse',
    'postToolUseFailure',
    'subagentStop',
  ],
  failure: ['postToolUseFailure', 'afterShellExecution'],
  turn: ['afterAgentResponse', 'stop'],
  interrupt: ['stop'],
  subagent: ['subagentStop'],
  compact: ['preCompact'],
  end: ['sessionEnd'],
}

/**
 * The agent's events that must call the bridge for hooks of these events. Gates are called without hooks too: another
 * project may have a guard, and the guards of a session are pinned when it starts.
 */
export const neededEvents = ({ names }: Bridge, has: (event: EventName) => boolean): string[] =>
  Object.entries(names.events)
    .filter(([, kind]) => kind === 'start' || Object.hasOwn(GATES, kind) || RAISED[kind]?.some(has))
    .map(([name]) => name)
