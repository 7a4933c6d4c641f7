// One agent event in its conversation. The state of the conversation is loaded for the engine and saved afterwards.

import {
  type AskQuestion,
  CANNOT_ASK,
  type Hooks,
  type HostOptions,
  openHooks,
  type Refusal,
} from '../index.js'
import {
  type BridgeSettings,
  type ConversationState,
  createStates,
  deleteOldStates,
  loadState,
  newState,
  requireStates,
  saveState,
} from './conversation-state.js'
import { denyLost, describeLost } from './lost-pins.js'
import { changedSince, comparePins, type LostPin, withCurrent } from './pins.js'
import { protectHookFiles, protectsHookFiles } from './protection.js'
import { ABSTAIN, denyWith, runSteps } from './steps.js'
import {
  type AgentEvent,
  type Bridge,
  type EventKind,
  GATES,
  type Json,
  type Step,
  type StepsResult,
} from './types.js'

export interface BridgeCall {
  readonly bridge: Bridge
  /** The text on stdin; null if it is larger than 64 MiB. */
  readonly text: string | null
  /** The event in the entry of the agent's settings. */
  readonly event?: string | undefined
  /** The options of the engine for an agent that works in this folder. */
  host(cwd: string): HostOptions
  /** The folder for the states of conversations. */
  readonly folder: string
  /** An installed entry calls, so the folder for states must exist. */
  readonly isInstalled?: boolean
  readonly signal: AbortSignal
  /** Asks a person outside of the agent. Undefined: nobody can be asked. */
  ask?(question: AskQuestion, bridge: Bridge): Promise<boolean | Refusal | undefined>
  readonly now?: () => number
  /** How the settings of the agent call the bridge now. */
  settings?(cwd: string): Promise<BridgeSettings>
  /** Texts for the user when a session starts, such as an outdated installation. */
  notices?(hooks: Hooks, cwd: string): Promise<readonly string[]>
}

export const isGate = (kind: EventKind): boolean => Object.hasOwn(GATES, kind)

export async function decide(
  call: BridgeCall,
  event: AgentEvent,
  note: (text: string) => void,
): Promise<StepsResult> {
  const { bridge, folder, signal } = call
  const now = (call.now ?? Date.now)()
  const { conversation, kind } = event
  if (kind === 'start') deleteOldStates(folder, now)
  // Some modes of agents send no start. The agent cannot send a prompt of the user.
  if (kind === 'start' || kind === 'prompt') await isSaved(createStates(folder), note)
  else if (kind === 'tool' && call.isInstalled) requireStates(folder)
  const known = loadState(folder, conversation.id)
  const main = kind === 'start' && event.resumedBy === undefined ? undefined : known
  // An agent may send the end of a session more than once.
  if (kind === 'end' && main?.ended) return ABSTAIN
  const id = conversation.subagent ?? conversation.id
  const before = initialState(kind, id === conversation.id ? main : loadState(folder, id), main, now)
  if (isGate(kind) && main?.blocked) return denyWith(main.blocked)
  if (kind === 'tool' && bridge.cannotBlockPrompts && main?.prompt) return denyWith(main.prompt)
  const questions: (string | null)[] = []
  const onAsk: NonNullable<HostOptions['onAsk']> = async question => {
    const isElsewhere = !bridge.canAsk || bridge.isHeadless?.()
    const answer = isElsewhere ? await call.ask?.(question, bridge) : undefined
    if (answer !== undefined) return answer
    if (!bridge.canAsk) return { reason: CANNOT_ASK }
    questions.push(question.message)
    return true
  }
  const host = { ...call.host(conversation.cwd), requireIntact: true }
  const hooks = await openHooks({ ...host, onAsk })
  const save = async (of: string, from: ConversationState, to: ConversationState) =>
    of === '' || (await isSaved(saveState(folder, of, from, to, kind === 'start' && !main), note))
  try {
    const own = main ?? startAgain(known, now)
    const guards = await pinGuards(hooks, event, own, note)
    if (kind === 'start' && main) {
      await save(id, main, { ...main, ...guards.state, ended: false })
      const context = bridge.losesContext?.includes(event.resumedBy!) ? main.context : null
      const userMessage = guards.lost.length > 0 ? describeLost(guards.lost).user : null
      return { ...ABSTAIN, context, userMessage }
    }
    if (kind === 'settings') {
      await save(conversation.id, own, { ...own, ...guards.state })
      const reason = guards.state.isProtected ? await judgeSettings(call, own, conversation.cwd) : null
      return reason === null ? ABSTAIN : denyWith(reason)
    }
    protectHookFiles(hooks, bridge, event, guards.state.isProtected)
    const { model, transcriptPath } = conversation
    const session = hooks.resumeSession({
      ...(id === '' ? {} : { conversationId: id }),
      ...(model === null ? {} : { model }),
      transcriptPath,
      memory: before.session,
    })
    const isAutomatic =
      event.isAutomatic === true ||
      (kind === 'prompt' && before.followup !== null && isFollowup(event, before.followup))
    const steps = event.steps.map(step => withStateFields(step, event, before, now))
    const judged = await runSteps(
      { ...event, steps },
      { hooks, session, questions, signal, note, isAutomatic },
    )
    const changed =
      isGate(kind) && judged.decision !== 'deny'
        ? changedSince(guards.state.pins, guards.state.lost, hooks.catalog())
        : undefined
    if (changed !== undefined) note(`${changed} was changed while hooks ran.`)
    const result = changed === undefined ? judged : denyWith(changedText(changed))
    const isDenied = result.decision === 'deny'
    const after: ConversationState = {
      ...before,
      ...(id === conversation.id ? guards.state : {}),
      session: session.memory(),
      blocked: kind === 'start' && isDenied ? result.userMessage : before.blocked,
      prompt: kind === 'prompt' ? (isDenied ? result.userMessage : null) : before.prompt,
      followup: kind === 'turn' ? result.followup : before.followup,
      compactions: before.compactions + (kind === 'compact' ? 1 : 0),
      ended: kind === 'end',
      context: kind === 'start' ? result.context : before.context,
      settings: kind === 'start' ? await settingsNow(call, conversation.cwd) : before.settings,
    }
    let isKept = await save(id, before, after)
    // The pins of a subagent are those of its session.
    if (id !== conversation.id) isKept &&= await save(conversation.id, own, { ...own, ...guards.state })
    if (!isKept && !main && isGate(kind) && canBlockLater(bridge, kind, hooks)) return denyWith(UNSAVED)
    if (kind !== 'start') return result
    const notices = await call.notices?.(hooks, conversation.cwd).catch((error: Error) => [error.message])
    const lost = guards.lost.length > 0 ? [describeLost(guards.lost).user] : []
    return withNotice(result, hooks, [...(isKept ? [] : [NOT_PINNED]), ...lost, ...(notices ?? [])])
  } finally {
    // This process is the only one that can wait for asynchronous hooks.
    await hooks.idle()
    const problem = hooks.logProblem()
    if (problem) note(problem)
    hooks.close()
  }
}

const changedText = (path: string): string =>
  `Blocked, because ${path} was changed while hooks ran, so another program may have judged this. Try again when nothing changes it.`
const UNSAVED =
  'Blocked, because the state of this session cannot be saved, and a hook may have stopped this session. See ~/.holdfast/log/bridge.log.'
const NOT_PINNED =
  'The state of this session cannot be saved, so later changes of its hooks are not noticed. See ~/.holdfast/log/bridge.log.'

/** Whether an earlier deny would have stopped this event, if it had been saved. */
const canBlockLater = ({ cannotBlockPrompts }: Bridge, kind: EventKind, hooks: Hooks): boolean =>
  hooks.has('sessionStart') ||
  (kind === 'tool' && cannotBlockPrompts === true && hooks.has('beforeSubmitPrompt'))

interface Guards {
  readonly lost: readonly LostPin[]
  readonly state: Pick<ConversationState, 'pins' | 'lost' | 'isProtected'>
}

/** Compares the gates with the pins of the session, denies for those that are lost, and pins new ones. */
async function pinGuards(
  hooks: Hooks,
  { kind }: AgentEvent,
  own: ConversationState,
  note: (text: string) => void,
): Promise<Guards> {
  if (kind !== 'start' && !isGate(kind)) return { lost: [], state: own }
  const catalog = hooks.catalog()
  const { lost, pins } = await comparePins(own.pins, catalog)
  for (const one of lost) {
    if (!own.lost.includes(one.key)) note(describeLost([one]).user)
    denyLost(hooks, one)
  }
  const keys = lost.map(({ key }) => key)
  return {
    lost,
    state: {
      pins: await withCurrent(pins, catalog, hooks.host.home),
      lost: keys.join() === own.lost.join() ? own.lost : keys,
      isProtected: own.isProtected || protectsHookFiles(catalog),
    },
  }
}

async function isSaved(work: Promise<void>, note: (text: string) => void): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    note(`The state of the conversation cannot be saved: ${(error as Error).message}.`)
    return false
  }
}

/** Any program can send the start of a known session again: its pins remain. */
const startAgain = (known: ConversationState | undefined, now: number): ConversationState =>
  known
    ? { ...newState(now), pins: known.pins, lost: known.lost, isProtected: known.isProtected }
    : newState(now)

/** Why the session must not take the changed settings: they would end its guards. */
async function judgeSettings(
  call: BridgeCall,
  { settings }: ConversationState,
  cwd: string,
): Promise<string | null> {
  const now = await settingsNow(call, cwd)
  if (!now) return null
  const added = now.turnedOffBy.filter(one => !settings?.turnedOffBy.includes(one))
  if (added.length > 0) return `${UNCHANGED} They contain ${added.join(', ')}, which turns hooks off.`
  return !settings || now.entries === settings.entries ? null : `${UNCHANGED} ${ENTRIES_CHANGED}`
}

const UNCHANGED = 'The changed settings do not apply to this session.'
const ENTRIES_CHANGED =
  'They change or remove the entries that call Holdfast. If you made this change, start a new session.'

/** Null for an agent that does not send changes of its settings. */
async function settingsNow({ bridge, settings }: BridgeCall, cwd: string): Promise<BridgeSettings | null> {
  const isSent = Object.values(bridge.names.events).includes('settings')
  return isSent ? ((await settings?.(cwd)) ?? null) : null
}

/** A subagent starts with the variables of its parent. */
function initialState(
  kind: EventKind,
  own: ConversationState | undefined,
  main: ConversationState | undefined,
  now: number,
): ConversationState {
  if (kind === 'start') return newState(now)
  if (own) return own
  return main ? { ...main, session: { ...main.session, loopCounts: {} }, pins: {} } : newState(now)
}

const isFollowup = ({ steps }: AgentEvent, followup: string): boolean =>
  steps.some(step => {
    const payload = step.payload({})
    return typeof payload === 'object' && payload?.prompt === followup
  })

/** Adds the fields that only the state has. */
const withStateFields = (
  step: Step,
  { kind, conversation }: AgentEvent,
  { compactions, session }: ConversationState,
  now: number,
): Step => {
  const own: Partial<Record<EventKind, Json>> = {
    compact: { is_first_compaction: compactions === 0 },
    end: { duration_ms: Math.max(0, now - session.startedAt) },
  }
  const { id, subagent } = conversation
  const parent = subagent === null ? {} : { parent_conversation_id: id, subagent_id: subagent }
  return {
    event: step.event,
    payload: input => {
      const payload = step.payload(input)
      return typeof payload === 'string' || payload === null
        ? payload
        : { ...own[kind], ...parent, ...payload }
    },
  }
}

/** Hooks that do not run deny nothing, so the user is informed when a session starts. */
function withNotice(result: StepsResult, hooks: Hooks, notices: readonly string[]): StepsResult {
  const untrusted = hooks.list().filter(({ state }) => state === 'untrusted').length
  const errors = hooks.issues().filter(({ severity }) => severity === 'error').length
  const lines = [
    untrusted > 0 ? `${untrusted} project hook(s) do not run until they are trusted: holdfast trust` : null,
    errors > 0 ? `${errors} problem(s) in hooks.json: holdfast check` : null,
    ...notices,
    result.userMessage,
  ].filter(text => text !== null)
  return { ...result, userMessage: lines.length > 0 ? lines.join('\n') : null }
}
