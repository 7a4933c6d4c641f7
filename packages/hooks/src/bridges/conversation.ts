// One call inside its conversation: what is remembered of it goes into the engine, and what the engine adds is kept.

import { type Hooks, type HostOptions, openHooks } from '../index.js'
import { forgetOld, fresh, type Memory, recall, remember } from './memory.js'
import { type Bridge, GATES, type Json, type Moment, type Occurrence, type Outcome } from './shape.js'
import { denied, NOTHING, walk } from './walk.js'

export interface BridgeCall {
  readonly bridge: Bridge
  /** What stood on stdin. */
  readonly text: string
  /** The event, if the entry that called us names it. */
  readonly event?: string | undefined
  /** Where the hooks are, for an agent that works in this folder. */
  host(cwd: string): HostOptions
  /** Where conversations are remembered. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly now?: () => number
}

export const isGate = (moment: Moment): boolean => Object.hasOwn(GATES, moment)

export async function decided(
  call: BridgeCall,
  occurrence: Occurrence,
  note: (text: string) => void,
): Promise<Outcome> {
  const { bridge, folder, signal } = call
  const now = (call.now ?? Date.now)()
  const { conversation, moment } = occurrence
  const main = recall(folder, conversation.id)
  if (moment === 'start') forgetOld(folder, now)
  if (moment === 'start' && occurrence.isResumed && main) {
    await kept(remember(folder, conversation.id, main, { ...main, ended: false }), note)
    return NOTHING
  }
  // An agent may say good-bye more than once.
  if (moment === 'end' && main?.ended) return NOTHING
  const id = conversation.subagent ?? conversation.id
  const before = startOf(moment, id === conversation.id ? main : recall(folder, id), main, now)
  if (isGate(moment) && main?.blocked) return denied(main.blocked)
  if (moment === 'tool' && bridge.promptsPass && main?.prompt) return denied(main.prompt)
  const questions: (string | null)[] = []
  const onAsk: NonNullable<HostOptions['onAsk']> = ({ message }) => {
    questions.push(message)
    return true
  }
  const hooks = await openHooks({ ...call.host(conversation.cwd), ...(bridge.asks ? { onAsk } : {}) })
  try {
    const { model, transcriptPath } = conversation
    const session = hooks.resumeSession({
      ...(id === '' ? {} : { conversationId: id }),
      ...(model === null ? {} : { model }),
      transcriptPath,
      memory: before.session,
    })
    const isAutomatic =
      occurrence.isAutomatic === true ||
      (moment === 'prompt' && before.followup !== null && isFollowup(occurrence, before.followup))
    const steps = occurrence.steps.map(step => withParts(step, occurrence, before, now))
    const outcome = await walk(
      { ...occurrence, steps },
      { hooks, session, questions, signal, note, isAutomatic },
    )
    const after: Memory = {
      session: session.memory(),
      blocked: moment === 'start' && outcome.opinion === 'deny' ? outcome.userMessage : before.blocked,
      prompt: moment === 'prompt' ? (outcome.opinion === 'deny' ? outcome.userMessage : null) : before.prompt,
      followup: moment === 'turn' ? outcome.followup : before.followup,
      compactions: before.compactions + (moment === 'compact' ? 1 : 0),
      ended: moment === 'end',
    }
    // A session that began is remembered even if it has nothing to remember: it can be resumed.
    const isNew = moment === 'start'
    if (id !== '') await kept(remember(folder, id, before, after, isNew), note)
    return moment === 'start' ? withNotice(outcome, hooks) : outcome
  } finally {
    const problem = hooks.logProblem()
    if (problem) note(problem)
    hooks.close()
  }
}

/** A verdict stands even when it cannot be remembered. */
async function kept(work: Promise<void>, note: (text: string) => void): Promise<void> {
  try {
    await work
  } catch (error) {
    note(`The conversation cannot be remembered: ${(error as Error).message}.`)
  }
}

/** A subagent begins with the variables of the conversation that started it. */
function startOf(moment: Moment, own: Memory | undefined, main: Memory | undefined, now: number): Memory {
  if (moment === 'start') return fresh(now)
  if (own) return own
  return main ? { ...main, session: { ...main.session, loopCounts: {} } } : fresh(now)
}

const isFollowup = ({ steps }: Occurrence, followup: string): boolean =>
  steps.some(step => {
    const facts = step.facts({})
    return typeof facts === 'object' && facts.prompt === followup
  })

/** What the memory knows better than the other agent. */
const withParts = (
  step: Occurrence['steps'][number],
  { moment, conversation }: Occurrence,
  { compactions, session }: Memory,
  now: number,
): Occurrence['steps'][number] => {
  const own: Partial<Record<Moment, Json>> = {
    compact: { is_first_compaction: compactions === 0 },
    end: { duration_ms: Math.max(0, now - session.startedAt) },
  }
  const { id, subagent } = conversation
  const parent = subagent === null ? {} : { parent_conversation_id: id, subagent_id: subagent }
  return {
    event: step.event,
    facts: input => {
      const facts = step.facts(input)
      return typeof facts === 'string' ? facts : { ...own[moment], ...parent, ...facts }
    },
  }
}

/** Hooks that do not run let everything through; the person shall see it when a session begins. */
function withNotice(outcome: Outcome, hooks: Hooks): Outcome {
  const waiting = hooks.list().filter(({ state }) => state === 'untrusted').length
  const broken = hooks.issues().filter(({ severity }) => severity === 'error').length
  const said = [
    waiting > 0 ? `${waiting} project hook(s) do not run until they are trusted: holdfast trust` : null,
    broken > 0 ? `${broken} problem(s) in hooks.json: holdfast check` : null,
    outcome.userMessage,
  ].filter(text => text !== null)
  return { ...outcome, userMessage: said.length > 0 ? said.join('\n') : null }
}
