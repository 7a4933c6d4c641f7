// One call by another agent: the bytes that it wrote → the bytes that it reads. A failure before the verdict is never an
// allow for a prompt or a tool call.

import { type Hooks, openHooks } from '../index.js'
import { parseJson, writeJson } from '../protocol/json.js'
import { type BridgeCall, decide, isGate } from './conversation.js'
import { loadState, StateError } from './conversation-state.js'
import { devin } from './devin.js'
import { hasPinned } from './pins.js'
import { ABSTAIN, denyWith, hasGate } from './steps.js'
import {
  type AgentEvent,
  type Bridge,
  type BridgeResponse,
  type EventKind,
  GATES,
  isObject,
  type Json,
  type StepsResult,
  textOrEmpty,
} from './types.js'
import { vscode } from './vscode.js'

/** Agents that run the entries of others too. */
const GUESTS: readonly Bridge[] = [vscode, devin]

export async function runBridge(call: BridgeCall): Promise<BridgeResponse> {
  const notes: string[] = []
  const note = (text: string) => void notes.push(text)
  const payload = parsePayload(call.text, note)
  const bridge =
    GUESTS.find(({ guest }) => payload && guest?.of.includes(call.bridge.name) && guest.sends(payload)) ??
    call.bridge
  const respond = (response: Json | null) => print(bridge, response, notes)
  const { events } = bridge.names
  const sent = textOrEmpty(payload?.hook_event_name ?? payload?.hookEventName ?? payload?.agent_action_name)
  // A later version of the agent may rename an event; the entry in its settings still names it.
  const name = call.event !== undefined && !Object.hasOwn(events, sent) ? call.event : sent
  const kind = Object.hasOwn(events, name) ? events[name] : undefined
  if (name !== '' && !kind) {
    note(`${bridge.title} sent the unknown event "${name}". No hook ran.`)
    return respond(null)
  }
  const event =
    payload && kind ? bridge.toEvent(kind, { ...payload, hook_event_name: name }) : 'It names no event.'
  if (typeof event === 'string') {
    if (payload) note(`The payload of ${bridge.title} is invalid. ${event}`)
    const bare = bareEvent(name, kind ?? 'tool', payload)
    const result = await decideInvalid(call, bare, notes)
    // Without an event name the agent ignores a response; it obeys this exit code for every event.
    if (!kind && result.decision === 'deny')
      return { ...print(bridge, null, [...notes, invalidText(call)]), exitCode: 2 }
    return respond(bridge.toResponse(bare, result))
  }
  try {
    const result = await decide({ ...call, bridge }, event, note)
    return respond(bridge.toResponse(event, forAgent(result, bridge)))
  } catch (error) {
    note((error as Error).message)
    const text = error instanceof StateError ? `Blocked. ${error.message}` : FAILED
    return respond(bridge.toResponse(event, isGate(event.kind) ? denyWith(text) : ABSTAIN))
  }
}

const FAILED = 'Blocked, because hooks could not judge this: holdfast bridge failed.'
const INVALID = 'Blocked, because hooks could not judge this: the payload of the agent is invalid.'
const TOO_LARGE =
  'Blocked, because hooks could not judge this: the payload of the agent is larger than 64 MiB.'

const invalidText = ({ text }: BridgeCall): string => (text === null ? TOO_LARGE : INVALID)

function parsePayload(text: string | null, note: (text: string) => void): Json | undefined {
  if (text === null) {
    note('The payload is larger than 64 MiB.')
    return undefined
  }
  try {
    const value = parseJson(text.replace(/^\ufeff/, ''))
    if (isObject(value)) return value
    note('The payload is not a JSON object.')
  } catch {
    note(text.trim() === '' ? 'The payload is empty.' : 'The payload is not JSON.')
  }
  return undefined
}

const bareEvent = (name: string, kind: EventKind, payload: Json | undefined): AgentEvent => ({
  name,
  kind,
  conversation: {
    id: textOrEmpty(payload?.parentAgentId ?? payload?.session_id ?? payload?.sessionId),
    subagent: null,
    cwd: textOrEmpty(payload?.cwd),
    model: null,
    transcriptPath: null,
  },
  steps: [],
  input: {},
  tool: null,
})

/** Hooks cannot be called with an invalid payload, and might have denied it. */
async function decideInvalid(
  call: BridgeCall,
  { kind, conversation }: AgentEvent,
  notes: string[],
): Promise<StepsResult> {
  const events = GATES[kind]
  if (!events) return ABSTAIN
  let hooks: Hooks | undefined
  try {
    hooks = await openHooks({ ...call.host(conversation.cwd), requireIntact: true })
    const isPinned = hasPinned(loadState(call.folder, conversation.id)?.pins ?? {}, events)
    return isPinned || hasGate(hooks, events) ? denyWith(invalidText(call)) : ABSTAIN
  } catch (error) {
    notes.push((error as Error).message)
    return denyWith(FAILED)
  } finally {
    hooks?.close()
  }
}

/** Agents drop a response that is too large for them, and a deny with it. */
const LONGEST_TEXT = 20_000

const forAgent = (result: StepsResult, { title }: Bridge): StepsResult => {
  const edit = (text: string | null) => text && cutText(nameAgent(text, title))
  return { ...result, userMessage: edit(result.userMessage), agentMessage: edit(result.agentMessage) }
}

/** The engine has two texts of Cursor, word for word. */
const nameAgent = (text: string, title: string): string =>
  text
    .replaceAll('Cursor blocked the terminal tool because', `${title} blocked the terminal tool because`)
    .replaceAll(
      'Check Cursor Settings → Hooks and fix hook script',
      'Run "holdfast doctor" and fix hook script',
    )

/** Never between the halves of a character. */
const cutText = (text: string): string =>
  text.length <= LONGEST_TEXT
    ? text
    : `${text.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/, '')} … (cut)`

function print(bridge: Bridge, response: Json | null, notes: readonly string[]): BridgeResponse {
  const stderr = notes.map(text => `holdfast bridge: ${text}\n`).join('')
  if (response === null) return { stdout: '', stderr, exitCode: 0 }
  const printed = bridge.print?.(response) ?? { stdout: `${writeJson(response)}\n`, stderr: '', exitCode: 0 }
  return { ...printed, stderr: stderr + printed.stderr }
}
