// An event goes in, hooks run, one verdict comes out. This file is the table of contents: discover, plan, run,
// read, decide, record, enforce. The rooms do not know each other; they meet here.

import { type Round, rounds } from './decide/rounds.js'
import { denialFacts } from './enforce/denial.js'
import { enforce } from './enforce/enforce.js'
import { type Ask, questionLine } from './enforce/questions.js'
import { HookBlockedError, HooksError } from './errors.js'
import { type CommandHook, type FunctionHook, givenDefinition } from './given-hooks.js'
import { asHost, type Host, type HostOptions } from './host.js'
import { LiveCatalog } from './live-catalog.js'
import { plan } from './plan/plan.js'
import { clockMs } from './protocol/clock.js'
import type { Catalog, HookDefinition, Issue } from './protocol/config.js'
import { DENIAL_EVENT, type EventName, type EventSpec, findEvent } from './protocol/events.js'
import { acceptFacts, type Facts, inVersion, type LooseFacts } from './protocol/payload.js'
import { eventsUnder } from './protocol/profiles.js'
import type { Event, Plan, Ran } from './protocol/run.js'
import type { Explanation, Verdict } from './protocol/verdict.js'
import { read } from './read/read.js'
import { type Later, recordLater } from './record/later.js'
import { openRecorder, type Recorder, type RunRecord } from './record/record.js'
import { run } from './run/run.js'
import { runSync } from './run/run-sync.js'
import type { FireOptions, Guarded, Session, SessionOptions, SessionState, StartOptions } from './session.js'
import * as conversation from './session.js'
import { type HookStatus, statusOf, type Tally, tallies } from './status.js'

export interface Hooks {
  /** Whose hooks these are, and whether the events are real. */
  readonly host: Pick<Host, 'home' | 'rehearsal'>
  /** The conversation for hosts that have only one. */
  readonly fire: Session['fire']
  readonly guard: Session['guard']
  /** Starts a conversation: runs the hooks of sessionStart. Throws HookBlockedError when one responds `continue: false`. */
  startSession(options?: StartOptions): Promise<Session>
  /** A conversation that began elsewhere or before: nothing is fired. */
  resumeSession(options?: SessionOptions): Session
  /** What would run and what would not, with reasons; nothing is started. */
  explain<E extends EventName>(
    event: E,
    facts: Facts<E>,
    options?: Pick<FireOptions, 'choose'>,
  ): Promise<Explanation>
  /** Whether any hook is configured for the event. */
  has(event: EventName): boolean
  list(): readonly HookStatus[]
  issues(): readonly Issue[]
  catalog(): Catalog
  /** Reads all sources again. Broken files keep their last good hooks. */
  reload(): Promise<Catalog>
  /** A hook of any source that is in no file: a function of the host, or a command. Returns how to take it back. */
  register(hook: FunctionHook | CommandHook): () => void
  /**
   * Trusts the project hooks with these fingerprints, as they were shown to the user. A hook that changed since then has
   * another fingerprint and stays untrusted. Returns the hooks that are trusted now.
   */
  trust(fingerprints: readonly string[]): Promise<readonly HookDefinition[]>
  /** The last 100 runs. */
  log(): readonly RunRecord[]
  /** Why the log file, or the queue of a team, could not be written; null when all could. */
  logProblem(): string | null
  /**
   * A question of the host's own to the person. It stands in line with those of hooks: a person is asked one thing at a
   * time. Only true is a yes; when the signal aborts, it is a no.
   */
  readonly ask: Ask
  onChange(listener: (catalog: Catalog) => void): () => void
  onRun(listener: (record: RunRecord) => void): () => void
  close(): void
}

export async function openHooks(options: HostOptions): Promise<Hooks> {
  const host = asHost(options)
  const engine = new Engine(host)
  await engine.open()
  return engine.door()
}

class Engine {
  private readonly specs
  private readonly recorder: Recorder
  private readonly later: Later
  private readonly tally: Tally = tallies()
  private readonly catalog: LiveCatalog
  private readonly ask = questionLine()
  private closed = false

  constructor(private readonly host: Host) {
    this.specs = eventsUnder(host.profile)
    const { file, maxBytes, keep, redact } = host.log
    this.recorder = openRecorder({
      now: host.now,
      random: host.random,
      ...(redact ? { redact } : {}),
      ...(host.rehearsal ? {} : { queues: () => this.catalog.teams }),
      file: file ? { path: file, ...(maxBytes ? { maxBytes } : {}), ...(keep ? { keep } : {}) } : null,
    })
    this.later = recordLater(this.recorder)
    this.catalog = new LiveCatalog(host)
  }

  async open(): Promise<void> {
    await this.catalog.reload()
    if (this.host.watch && this.host.profile.config.reload !== 'restart') this.catalog.follow()
  }

  /** The walk of one event, each room once. */
  private async walk(name: EventName, facts: LooseFacts, state: SessionState, options: FireOptions) {
    const began = clockMs()
    this.mustBeOpen(options.signal)
    const spec = this.specOf(name)
    conversation.beforeEvent(state, spec, options.automatic === true, this.host.random)
    const event = this.toEvent(spec, facts, state)
    const judging = this.judge(event, began)
    let step = judging.next()
    while (!step.done) {
      const planned = await this.planRound(step.value, options)
      const ran = await this.runAll(planned, state, options.signal).catch(unwritable(spec))
      this.mustBeOpen(options.signal)
      step = judging.next(withSkipped(ran, planned))
    }
    const verdict = step.value
    this.tally.count(verdict, this.host.now())
    if (verdict.runs.length > 0 || verdict.denials.length > 0) this.later.add(event, verdict)
    conversation.afterEvent(state, spec, verdict)
    return { event, verdict }
  }

  private judge(event: Event, began: number) {
    return rounds(event, {
      denials: () => this.catalog.current.missing,
      elapsedMs: () => clockMs() - began,
    })
  }

  /** The hooks as they are now: a script that changed since the last round is examined again. */
  private async planRound({ event, author }: Round, { choose }: Pick<FireOptions, 'choose'>): Promise<Plan> {
    const { name } = event.spec
    const fresh = (await this.catalog.fresh(name)) ?? (await this.catalog.reread(name))
    const hooks = choose?.(fresh) ?? fresh
    return plan(event, author ? hooks.filter(({ id }) => id !== author.id) : hooks)
  }

  private runAll(planned: Plan, state: SessionState, signal: AbortSignal | undefined) {
    return run(planned, { ...this.around(state), signal })
  }

  private around({ variables }: SessionState) {
    const { host } = this
    const { platform, random, evaluatePrompt } = host
    return { host, platform, random, evaluatePrompt, variables, read }
  }

  /** The same at the end of the process. A script that changed since it was looked at cannot be looked at again. */
  private walkSync(name: EventName, facts: LooseFacts, state: SessionState): void {
    const began = clockMs()
    this.mustBeOpen(undefined)
    const event = this.toEvent(this.specOf(name), facts, state)
    const judging = this.judge(event, began)
    let step = judging.next()
    while (!step.done) {
      const planned = plan(event, this.catalog.unchanged(name))
      step = judging.next({ runs: runSync(planned, this.around(state)), skipped: planned.skipped })
    }
    if (step.value.runs.length === 0) return
    this.later.add(event, step.value)
    this.later.flush()
  }

  /** The same, and the host feels it. */
  private async guard(name: EventName, facts: LooseFacts, state: SessionState, options: FireOptions) {
    const { event, verdict } = await this.walk(name, facts, state, options)
    const { onAsk, grants } = this.host
    const enforced = await enforce(event.spec, event.facts, verdict, {
      onAsk: onAsk && (question => this.ask(() => onAsk(question), question.signal)),
      grants,
      signal: options.signal,
    })
    this.mustBeOpen(options.signal)
    if (enforced.kind === 'go') return { ...enforced.facts, verdict, granted: enforced.granted }
    const denial = denialFacts(event.spec, event.facts, enforced.texts)
    if (denial) await this.walk(DENIAL_EVENT, denial, state, options)
    throw new HookBlockedError(verdict, enforced.texts.user, enforced.texts.agent, event.spec.blocked?.code)
  }

  private specOf(name: EventName): EventSpec {
    const spec = this.specs.get(name) ?? findEvent(name)
    if (!spec) throw new HooksError('use/unknown-event', `There is no event "${name}".`)
    return spec
  }

  private toEvent(spec: EventSpec, facts: LooseFacts, state: SessionState): Event {
    const { host } = this
    const given = conversation.withOwnFacts(state, spec, facts, host.workspaceRoots[0] ?? '')
    const accepted = acceptFacts(spec, given)
    if (!accepted.ok) {
      const said = accepted.problems.map(({ message }) => message).join(' ')
      throw new HooksError('use/bad-facts', `${spec.name}: ${said}`)
    }
    const payload: LooseFacts = {
      hook_event_name: spec.name,
      ...(spec.conversation ? conversation.conversationFacts(state) : {}),
      workspace_roots: host.workspaceRoots,
      cursor_version: host.version,
      user_email: host.userEmail,
      ...accepted.facts,
    }
    return { spec, profile: host.profile, facts: payload, payload: inVersion(host.profile, spec, payload) }
  }

  private mustBeOpen(signal: AbortSignal | undefined): void {
    if (this.closed) throw new HooksError('use/closed', 'The engine was closed.')
    if (signal?.aborted) {
      throw new HooksError('use/aborted', 'The host cancelled the event.', { cause: signal.reason })
    }
  }

  private session(state: SessionState, parent?: Session, started?: Verdict): Session {
    const { host } = this
    const ending = (facts: object | undefined) => ({
      duration_ms: host.now() - state.startedAt,
      generation_id: '',
      ...facts,
    })
    const session: Session = {
      conversationId: state.conversationId,
      parent,
      started,
      get loopCount() {
        return Math.max(0, ...state.loopCounts.values())
      },
      fire: async (name, facts, options = {}) =>
        (await this.walk(name, facts as LooseFacts, state, options)).verdict,
      guard: async <E extends EventName>(name: E, facts: Facts<E>, options: FireOptions = {}) =>
        (await this.guard(name, facts as LooseFacts, state, options)) as unknown as Guarded<E>,
      subagent: (options = {}) =>
        this.session(conversation.newState(options, host.random(), host.now(), state), session),
      end: facts => session.fire('sessionEnd', ending(facts)),
      endSync: facts => this.walkSync('sessionEnd', ending(facts), state),
      memory: () => conversation.memoryOf(state),
    }
    return session
  }

  private async startSession({ signal, ...options }: StartOptions = {}): Promise<Session> {
    const state = conversation.newState(options, this.host.random(), this.host.now())
    const { verdict } = await this.guard('sessionStart', {}, state, signal ? { signal } : {})
    return this.session(state, undefined, verdict)
  }

  door(): Hooks {
    const { host, recorder, later, catalog } = this
    const only = this.session(conversation.newState({}, host.random(), host.now()))
    return {
      host: { home: host.home, rehearsal: host.rehearsal },
      fire: only.fire,
      guard: only.guard,
      startSession: options => this.startSession(options),
      resumeSession: (options = {}) =>
        this.session(conversation.newState(options, host.random(), host.now())),
      explain: async (name, facts, options = {}) => {
        const state = conversation.newState({}, host.random(), host.now())
        const event = this.toEvent(this.specOf(name), facts as LooseFacts, state)
        const planned = await this.planRound({ event, author: undefined }, options)
        return { ...planned, denials: event.spec.gate === 'permission' ? catalog.current.missing : [] }
      },
      has: name => catalog.of(name).length > 0,
      list: () => catalog.all().map(hook => statusOf(hook, this.tally)),
      issues: () => catalog.current.issues,
      catalog: () => catalog.current,
      reload: () => catalog.reload(),
      register: hook => catalog.add(givenDefinition(hook, this.specOf(hook.event), host)),
      trust: fingerprints => catalog.trust(fingerprints),
      log: () => {
        later.flush()
        return recorder.recent()
      },
      logProblem: () => {
        later.flush()
        return recorder.problem()
      },
      ask: this.ask,
      onChange: listener => catalog.onChange(listener),
      onRun: listener => recorder.subscribe(listener),
      close: () => {
        this.closed = true
        catalog.close()
        later.close()
        recorder.close()
      },
    }
  }
}

const withSkipped = ({ runs, skipped }: Ran, planned: Plan): Ran => ({
  runs,
  skipped: skipped.length > 0 ? [...planned.skipped, ...skipped] : planned.skipped,
})

/** Facts that cannot be written as JSON show only when they are written. */
const unwritable =
  (spec: EventSpec) =>
  (cause: Error): never => {
    throw new HooksError(
      'use/bad-facts',
      `${spec.name}: the facts cannot be written as JSON: ${cause.message}.`,
      { cause },
    )
  }
