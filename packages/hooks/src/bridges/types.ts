// The parts of a bridge: the names of the other agent, its payload → our events, our verdict → its response, and the
// entry in its settings.

import type { EventName } from '../protocol/events.js'
import type { AnyFields } from '../protocol/payload.js'
import type { Decision } from '../protocol/verdict.js'
import type { Config } from './settings.js'

export type Json = Readonly<Record<string, unknown>>

/** The subject of an event of the other agent. */
export type EventKind =
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
  | 'settings'

/** The kinds that hooks can stop. A failure of the bridge must not allow them. */
export const GATES: Readonly<Partial<Record<EventKind, readonly EventName[]>>> = {
  tool: ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile', 'subagentStart'],
  prompt: ['beforeSubmitPrompt'],
  // No hook judges a change of the agent's settings; the bridge does.
  settings: [],
}

export interface ToolRow {
  /** Our name for the tool. */
  readonly as: string
  /**
   * What it does, if there is an event for that. `files`: it reads files that are not known before the call; `search`: it
   * shows lines of the file or folder at `path`; `resource`: it reads from an MCP server.
   */
  readonly does?: 'shell' | 'read' | 'files' | 'search' | 'write' | 'edit' | 'patch' | 'task' | 'resource'
  /** Keys of its input: the agent's name → our name. */
  readonly keys?: Readonly<Record<string, string>>
  /** Those of its keys that a call has under our name. */
  readonly unusedKeys?: Readonly<Record<string, string>>
}

export interface Names {
  readonly events: Readonly<Record<string, EventKind>>
  readonly tools: Readonly<Record<string, ToolRow>>
}

export interface Conversation {
  readonly id: string
  /** The id of the subagent, for events of a subagent. */
  readonly subagent: string | null
  readonly cwd: string
  readonly model: string | null
  readonly transcriptPath: string | null
}

/** One of our events. */
export interface Step {
  readonly event: EventName
  /**
   * Called when the step runs, because an earlier step may rewrite the input. A string is the reason for no payload;
   * null: the event does not occur for this input.
   */
  payload(input: Json): AnyFields | string | null
}

/** Why a conversation that goes on sends a start. */
export type Resumption = 'resume' | 'compact'

/** One event of the other agent, as steps of ours. */
export interface AgentEvent {
  /** The agent's name for the event. */
  readonly name: string
  readonly kind: EventKind
  readonly conversation: Conversation
  readonly steps: readonly Step[]
  /** Of the tool call, with our keys. */
  readonly input: Json
  readonly tool: ToolRow | null
  /** Why hooks cannot judge this call, although its payload is complete. It is denied if there are hooks. */
  readonly refusal?: string
  /** The agent may read the path differently, so its response must contain the path that hooks judged. */
  readonly isAmbiguous?: boolean
  /** The conversation continues; it does not start. */
  readonly resumedBy?: Resumption
  /** The prompt was made by the agent, not by the user. */
  readonly isAutomatic?: boolean
}

/** The result of all steps. */
export interface StepsResult {
  readonly decision: Decision
  readonly userMessage: string | null
  readonly agentMessage: string | null
  /** The complete input with the agent's keys, if a hook rewrote it. */
  readonly input: Json | null
  readonly context: string | null
  readonly followup: string | null
  readonly output: Json | null
}

/** The output of the bridge process. */
export interface BridgeResponse {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

export interface Bridge {
  readonly name: string
  readonly title: string
  /** The version that was observed, or the year of its documentation. */
  readonly version: string
  readonly evidence: 'observed' | 'documented'
  readonly names: Names
  /** Whether `ask` reaches the user. Otherwise it is a deny with a message. */
  readonly canAsk: boolean
  /** The agent runs without a user who could answer. */
  isHeadless?(): boolean
  /** Of the tools in our event table, the agent has only those in `names.tools`. */
  readonly onlyTheseTools?: true
  /** In names of MCP servers and tools, the agent replaces all characters but letters, digits and _ by _. */
  readonly plainMcpNames?: true
  /** The agent sends a blocked prompt anyway, so the tool calls after it are denied. */
  readonly cannotBlockPrompts?: true
  /** When the agent loses the context of sessionStart, which it then receives again. */
  readonly losesContext?: readonly Resumption[]
  /** Returns the reason if the payload is incomplete. */
  toEvent(kind: EventKind, payload: Json): AgentEvent | string
  toResponse(event: AgentEvent, result: StepsResult): Json | null
  /** For an agent that does not read JSON: how it reads the response. */
  print?(response: Json): BridgeResponse
  /** It also runs the entries of these agents, with payloads of its own. */
  readonly guest?: { readonly of: readonly string[]; sends(payload: Json): boolean }
  readonly config: Config
  /** Events of the agent that call no hook, and the reason. */
  readonly unmapped?: Readonly<Record<string, string>>
  /** Event or feature → what the agent does not support, and the effect. */
  readonly limitations: Readonly<Record<string, string>>
  /** Events whose denies the agent ignores: installing their hooks needs consent. */
  readonly unenforced?: readonly EventName[]
}

/** For an agent that obeys exit codes: 2 blocks, with the reason on stderr. */
export const printAsExitCode = ({ reason, context }: Json): BridgeResponse =>
  reason === undefined
    ? { stdout: `${context}\n`, stderr: '', exitCode: 0 }
    : { stdout: '', stderr: `${reason}\n`, exitCode: 2 }

/** For the user; null if the program of the agent was run with the bridge. */
export const noteOnEvidence = ({ title, version, evidence }: Bridge): string | null =>
  evidence === 'observed'
    ? null
    : `Not proven here: made from the documents of ${title} in ${version}, and never run with it.`

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const textOrEmpty = (value: unknown): string => textOf(value) ?? ''

/** Removes null and undefined; null if no field is left. */
export function compact(fields: Json): Json | null {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return kept.length === 0 ? null : Object.fromEntries(kept)
}

export const joinTexts = (first: string | null, second: string | null): string | null =>
  first && second ? `${first}\n\n${second}` : (first ?? second)
