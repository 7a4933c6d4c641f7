// One call of another agent, from the bytes it wrote to the bytes it reads. Whatever goes wrong on the way to a
// verdict about a prompt or a tool call is no allow.

import { type Hooks, openHooks } from '../index.js'
import { parseJson } from '../protocol/json.js'
import { type BridgeCall, decided, isGate } from './conversation.js'
import {
  GATES,
  isObject,
  type Json,
  type Moment,
  type Occurrence,
  type Outcome,
  orEmpty,
  type Reply,
} from './shape.js'
import { denied, failsClosed, NOTHING } from './walk.js'

export async function runBridge(call: BridgeCall): Promise<Reply> {
  const { bridge, event } = call
  const notes: string[] = []
  const note = (text: string) => void notes.push(text)
  const payload = parsed(call.text, note)
  const told = orEmpty(payload?.hook_event_name)
  // Whoever put us in front of an event means that event, whatever a later version calls it.
  const name = event !== undefined && !Object.hasOwn(bridge.names.events, told) ? event : told
  const moment = Object.hasOwn(bridge.names.events, name) ? bridge.names.events[name] : undefined
  if (name !== '' && !moment) {
    note(`${bridge.title} sent the event "${name}", which is not known here. No hook ran.`)
    return reply(null, notes)
  }
  const occurrence =
    payload && moment ? bridge.toEvents(moment, { ...payload, hook_event_name: name }) : 'It names no event.'
  if (typeof occurrence === 'string') {
    if (payload) note(`The payload of ${bridge.title} cannot be used. ${occurrence}`)
    const bare = bareOccurrence(name, moment ?? 'tool', payload)
    const outcome = await unread(call, bare, notes)
    // Without its name an answer would not be understood; this code and the text are, everywhere.
    if (!moment && outcome.opinion === 'deny') return { ...reply(null, [...notes, UNREAD]), exitCode: 2 }
    return reply(bridge.fromVerdict(bare, outcome), notes)
  }
  try {
    return reply(bridge.fromVerdict(occurrence, await decided(call, occurrence, note)), notes)
  } catch (error) {
    note((error as Error).message)
    const outcome = isGate(occurrence.moment) ? denied(FAILED) : NOTHING
    return reply(bridge.fromVerdict(occurrence, outcome), notes)
  }
}

const FAILED = 'Blocked, because hooks could not be asked: holdfast bridge failed.'
const UNREAD = 'Blocked, because hooks could not be asked: what the agent said was not understood.'

function parsed(text: string, note: (text: string) => void): Json | undefined {
  try {
    const value = parseJson(text.replace(/^\ufeff/, ''))
    if (isObject(value)) return value
    note('The payload is not a JSON object.')
  } catch {
    note(text.trim() === '' ? 'The payload is empty.' : 'The payload is not JSON.')
  }
  return undefined
}

const bareOccurrence = (name: string, moment: Moment, payload: Json | undefined): Occurrence => ({
  name,
  moment,
  conversation: {
    id: '',
    subagent: null,
    cwd: orEmpty(payload?.cwd),
    model: null,
    transcriptPath: null,
  },
  steps: [],
  input: {},
  tool: null,
})

/** Nobody can be asked about it: the rule for hooks that fail decides. */
async function unread(
  call: BridgeCall,
  { moment, conversation }: Occurrence,
  notes: string[],
): Promise<Outcome> {
  const events = GATES[moment]
  if (!events) return NOTHING
  let hooks: Hooks | undefined
  try {
    hooks = await openHooks(call.host(conversation.cwd))
    return failsClosed(hooks, events) ? denied(UNREAD) : NOTHING
  } catch (error) {
    notes.push((error as Error).message)
    return denied(FAILED)
  } finally {
    hooks?.close()
  }
}

const reply = (answer: Json | null, notes: readonly string[]): Reply => ({
  stdout: answer === null ? '' : `${JSON.stringify(answer)}\n`,
  stderr: notes.map(text => `holdfast bridge: ${text}\n`).join(''),
  exitCode: 0,
})
