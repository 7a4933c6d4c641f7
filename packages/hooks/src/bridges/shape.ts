// The shape that every bridge has: the other agent's names, its payload as our events, our verdict as its answer, and
// how its settings call us.

import type { EventName } from '../protocol/events.js'
import type { LooseFacts } from '../protocol/payload.js'
import type { Opinion } from '../protocol/verdict.js'

export type Json = Readonly<Record<string, unknown>>

/** What an event of the other agent stands for. `tool` and `prompt` are gates: what is wrong there must not let pass. */
export type Moment =
  | 'start'
  | 'end'
  | 'prompt'
  | 'tool'
  | 'result'
  | 'failure'
  | 'turn'
  | 'interrupt'
  | 'subagent'
  | 'compact'

export const GATES: Readonly<Partial<Record<Moment, readonly EventName[]>>> = {
  tool: ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile', 'subagentStart'],
  prompt: ['beforeSubmitPrompt'],
}

export interface ToolRow {
  /** Our name for the tool. */
  readonly as: string
  /** What it does, when there is an event for that. `files`: it reads files that nobody can name beforehand. */
  readonly does?: 'shell' | 'read' | 'files' | 'write' | 'edit' | 'patch' | 'task'
  /** Keys of its input that are called otherwise: theirs → ours. */
  readonly keys?: Readonly<Record<string, string>>
}

export interface Names {
  readonly events: Readonly<Record<string, Moment>>
  readonly tools: Readonly<Record<string, ToolRow>>
}

/** Which conversation it happens in, as far as the other agent says. */
export interface Conversation {
  readonly id: string
  /** Inside a subagent: its own id. */
  readonly subagent: string | null
  readonly cwd: string
  readonly model: string | null
  readonly transcriptPath: string | null
}

/** One of our events. Its facts are made when its turn comes: an event before may have changed the input. */
export interface Step {
  readonly event: EventName
  /** A sentence instead of facts says why there are none. */
  facts(input: Json): LooseFacts | string
}

export interface Occurrence {
  /** The event in the other agent's words. */
  readonly name: string
  readonly moment: Moment
  readonly conversation: Conversation
  readonly steps: readonly Step[]
  /** Of the tool call, in our words. */
  readonly input: Json
  readonly tool: ToolRow | null
  /** What the agent would make of the call is not sure: it must be said anew, in the words that hooks were shown. */
  readonly isUnsure?: boolean
  /** The conversation goes on after an interruption: nothing begins. */
  readonly isResumed?: boolean
  /** The prompt is a word of the other agent itself, not of the person. */
  readonly isAutomatic?: boolean
}

/** What all steps came to. */
export interface Outcome {
  readonly opinion: Opinion
  readonly userMessage: string | null
  readonly agentMessage: string | null
  /** The whole input in the other agent's words, when a hook changed it. */
  readonly input: Json | null
  readonly context: string | null
  readonly followup: string | null
  readonly output: Json | null
}

/** What the process says: these bytes, nothing else. */
export interface Reply {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

export interface Loss {
  /** An event of ours, or what of an answer is meant. */
  readonly what: string
  readonly lost: string
  readonly instead: string
  /** A hook of this event that denies would be ignored: installing is refused unless that is accepted. */
  readonly unenforced?: true
}

export interface Config {
  /** Below the home folder and below the project. */
  readonly files: { readonly user: string; readonly project: string }
  /** The variable that names another folder for the person's file. */
  readonly folderVariable?: string
  /** It reads plain JSON with these keys only: with anything else, none of its hooks would run. */
  readonly onlyKeys?: readonly string[]
  /** The entry of one of its events, as this agent writes it. */
  entry(command: string, timeoutSeconds: number, event: string): Json
  /** What a new file holds beside its hooks. */
  readonly empty: Json
  /** The variable in which the agent names its project. */
  readonly projectVariable?: string
  /** It starts hooks in the folder of its session; what a payload names may be the folder of one command. */
  readonly startsInProject?: true
  /** Variables with keys of its own that it hands on to hooks. */
  readonly keys?: readonly string[]
  /** What else a person has to do. */
  readonly afterwards?: string
}

export interface Bridge {
  readonly name: string
  readonly title: string
  /** The version whose behaviour was seen, or the year of the documents that were read. */
  readonly version: string
  readonly evidence: 'observed' | 'documented'
  readonly names: Names
  /** Whether `ask` reaches the person. Where it does not, asking is a deny that says so. */
  readonly asks: boolean
  /** Of the tools that hooks know by name, it has those of the table only. */
  readonly onlyTheseTools?: true
  /** In names of MCP servers and tools, whatever is no letter, digit or _ is told as _. */
  readonly plainMcpNames?: true
  /** A prompt cannot be stopped: the tool calls after it are, instead. */
  readonly promptsPass?: true
  /** A sentence when the payload is not what this agent sends. */
  toEvents(moment: Moment, payload: Json): Occurrence | string
  fromVerdict(occurrence: Occurrence, outcome: Outcome): Json | null
  readonly config: Config
  readonly losses: readonly Loss[]
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const orEmpty = (value: unknown): string => textOf(value) ?? ''

/** Without what is null or undefined; null when nothing is left. */
export function compact(fields: Json): Json | null {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return kept.length === 0 ? null : Object.fromEntries(kept)
}
