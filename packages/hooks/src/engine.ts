// An event goes in, hooks run, one verdict comes out. The stages discover, plan, run, read, decide, record and enforce
// do not import each other; they meet in the pipeline of this file.

import { Background } from './background.js'
import { Calls } from './calls.js'
import { rounds } from './decide/rounds.js'
import { type Ask, denialFields, enforce, inLine, questionLine } from './enforce/enforce.js'
import { HookBlockedError, HooksError } from './errors.js'
import { type GivenHook, givenDefinition } from './given-hooks.js'
import { asHost, type Host, type HostOptions } from './host.js'
import { LiveCatalog, type ShownHook } from './live-catalog.js'
import { type Observation, Observers, type OnEvent, type OnVerdict, onlyVerdicts } from './observers.js'
import { plan } from './plan/plan.js'
import { orAborted } from './protocol/abort.js'
import { clockMs } from './protocol/clock.js'
import type { Catalog, HookDefinition, Issue, SourceKind } from './protocol/config.js'
import { DENIAL_EVENT, type EventName, type EventSpec, findEvent, REQUEST_EVENT } from './protocol/events.js'
import { freeze } from './protocol/freeze.js'
import {
  type Accepted,
  type AnyFields,
  acceptFields,
  copyFields,
  type EventFields,
  inVersion,
  writePayload,
} from './protocol/payload.js'
import { eventsUnder } from './protocol/profiles.js'
import type { Plan, Ran, TimedEvent } from './protocol/run.js'
import type { Explanation, Verdict } from './protocol/verdict.js'
import { read } from './read/read.js'
import { type Backlog, openBacklog } from './record/backlog.js'
import { openRecorder, type Recorder, type RunRecord } from './record/record.js'
import { endedGroups } from './run/kill.js'
import { run, runSync } from './run/run.js'
import type { FireOptions, Guarded, Session, SessionOptions, SessionState, StartOptions } from './session.js'
import * as conversation from './session.js'
import { type HookStatus, statusOf, type Tally, tallies } from './status.js'

export interface Hooks extends AsyncDisposable {
  /** The home folder of the user, and whether the events are real. */
  readonly host: Pick<Host, 'home' | 'rehearsal'>
  /** The conversation for hosts that have only one. */
  readonly fire: Session['fire']
  readonly guard: Session['guard']
  readonly takeContext: Session['takeContext']
  readonly settled: Session['settled']
  /** Resolves when no hook with `async: true` runs any more. Never rejects. Closing does not wait for them: it ends them. */
  idle(): Promise<void>
  /** Starts a conversation: runs the hooks of sessionStart. Throws HookBlockedError when one responds `continue: false`. */
  startSession(options?: StartOptions): Promise<Session>
  /** Continues a conversation that began elsewhere or before. No event is fired. */
  resumeSession(options?: SessionOptions): Session
  /** Returns the hooks that would run and those that would not, with reasons. No hook is started. */
  explain<E extends EventName>(
    event: E,
    fields: EventFields<E>,
    options?: Pick<FireOptions, 'choose'>,
  ): Promise<Explanation>
  /** Whether any hook is configured for the event. */
  has(event: EventName): boolean
  list(): readonly HookStatus[]
  issues(): readonly Issue[]
  catalog(): Catalog
  /** Reads all sources again. Broken files keep their last good hooks. */
  reload(): Promise<Catalog>
  /**
   * Adds a hook of any source that is in no file: a function of the host, a prompt or a command. Returns the function
   * that removes it.
   */
  register<E extends EventName>(hook: GivenHook<E>): () => void
  /**
   * Trusts these project hooks as they were shown to the user; a fingerprint is enough if only one root has it. A hook that
   * changed since then has another fingerprint and stays untrusted. Returns the hooks that are trusted now.
   */
  trust(shown: readonly ShownHook[]): Promise<readonly HookDefinition[]>
  /** The last 100 runs. */
  log(): readonly RunRecord[]
  /** Why the log file, or the queue of a team, could not be written; null when all could. */
  logProblem(): string | null
  /**
   * Asks the user a question of the host. It waits in the same queue as those of hooks, since the user is asked one
   * question at a time. Only true is a yes; an abort of the signal is a no.
   */
  readonly ask: Ask
  onChange(listener: (catalog: Catalog) => void): () => void
  /** Calls the listener with the redacted record of each run, after the verdict was returned. */
  onRun(listener: (record: RunRecord) => void): () => void
  /**
   * Calls the listener with the verdict of each event, just before the caller gets it: also of events without hooks, and
   * of those that were cancelled. Returns the function that ends the subscription.
   */
  onVerdict(listener: OnVerdict): () => void
  /** Calls the listener at the start of each event. It may return an observer of the runs and the end, for tracing. */
  onEvent(listener: OnEvent): () => void
  /**
   * Ends the hooks that run; their calls of `fire` and `guard` reject with the code `use/closed`. Resolves when no process
   * is left and all records are written. Never rejects. `await using` calls it at the end of the block.
   */
  close(): Promise<void>
}

export async function openHooks(options: HostOptions): Promise<Hooks> {
  const host = asHost(options)
  const engine = new Engine(host)
  await engine.open()
  return engine.toHooks()
}

class Engine {
  private readonly specs
  private readonly recorder: Recorder
  private readonly backlog: Backlog
  private readonly tally: Tally = tallies()
  private readonly catalog: LiveCatalog
  private readonly ask = questionLine()
  private readonly observers = new Observers()
  private readonly calls = new Calls()
  private readonly background = new Background()
  private closed: Promise<void> | undefined

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
    this.backlog = openBacklog(this.recorder)
    this.catalog = new LiveCatalog(host)
  }

  async open(): Promise<void> {
    await this.catalog.reload()
    if (this.host.watch && this.host.profile.config.reload !== 'restart') this.catalog.follow()
  }

  /**
   * One event through all stages, for fire, guard, explain and endSync. Yields each plan and expects its runs, so that
   * the caller awaits the hooks, blocks on them, or stops there. Yields undefined before each plan, so that a caller
   * that can wait reloads changed sources. Runs of a cancelled event are recorded before it throws.
   */
  private *pipeline(
    name: EventName,
    given: unknown,
    state: SessionState,
    options: FireOptions,
    observation?: Observation,
  ): Generator<Plan | undefined, Judged, Ran | undefined> {
    const began = clockMs()
    this.mustBeOpen(options.signal)
    const spec = this.specOf(name)
    const fields = mustBeAccepted(spec, copyFields(given))
    conversation.beforeEvent(state, spec, options.automatic === true, this.host.random)
    const event = this.toEvent(spec, fields, state)
    observation?.start(event, event.startedAt)
    const judging = rounds(event, {
      denials: () => this.catalog.current.missing,
      elapsedMs: () => clockMs() - began,
    })
    let step = judging.next()
    while (!step.done) {
      const { event: current, author } = step.value
      if (!this.isCancelled(options.signal)) yield undefined
      if (this.isCancelled(options.signal)) {
        step = judging.next(NO_RUNS)
        continue
      }
      const hooks = this.hooksOf(name, options)
      const planned = plan(current, author ? hooks.filter(({ id }) => id !== author.id) : hooks)
      if (planned.hooks.length + planned.background.length > 0)
        mustBeAccepted(spec, writePayload(current.payload))
      const { runs, skipped } = (yield planned)!
      step = judging.next({ runs, skipped: [...planned.skipped, ...skipped] })
    }
    const isCancelled = this.isCancelled(options.signal)
    const verdict = isCancelled ? Object.freeze({ ...step.value, isCancelled }) : step.value
    this.tally.count(verdict, this.host.now())
    const issues = this.catalog.takeUnrecorded()
    if (verdict.runs.length + verdict.denials.length + issues.length > 0)
      this.backlog.add(event, verdict, issues)
    observation?.end(verdict)
    this.mustBeOpen(options.signal)
    conversation.afterEvent(state, spec, verdict)
    return { event, verdict }
  }

  private hooksOf(name: EventName, { choose }: FireOptions): readonly HookDefinition[] {
    const hooks = this.catalog.of(name)
    return choose?.(hooks) ?? hooks
  }

  private async fire(
    name: EventName,
    given: unknown,
    state: SessionState,
    options: FireOptions,
  ): Promise<Judged> {
    const observation = this.observers.observe()
    const steps = this.pipeline(name, given, state, options, observation)
    const start = (planned: Plan) =>
      run(planned, {
        ...this.around(state),
        signal: options.signal,
        current: this.current(options),
        observe: observation?.run,
      })
    try {
      let step = steps.next()
      // Most events have no hooks: then nothing is awaited.
      while (!step.done) {
        const planned = step.value
        if (planned) {
          if (planned.background.length > 0) this.startBackground(planned, state, options)
          step = steps.next(planned.hooks.length > 0 ? await start(planned) : NO_RUNS)
        } else {
          const hooks = this.hooksOf(name, options)
          if (hooks.length > 0) await this.refresh(hooks, options)
          step = steps.next()
        }
      }
      return step.value
    } finally {
      observation?.end(null)
    }
  }

  /** The event does not wait for these hooks. Closing the engine ends them. */
  private startBackground(planned: Plan, state: SessionState, options: FireOptions): void {
    const around = { ...this.around(state), current: this.current(options) }
    const work = this.calls
      .run(undefined, signal => this.background.run(planned, plan => run(plan, { ...around, signal })))
      .then(verdict => {
        this.tally.count(verdict, this.host.now())
        this.backlog.add(planned.event as TimedEvent, verdict)
      })
      .catch(() => {})
    this.background.add(work)
  }

  /** An event that is cancelled does not wait for sources, or for a trust store of the host. */
  private refresh(hooks: readonly HookDefinition[], { signal }: FireOptions): Promise<unknown> | undefined {
    const reading = this.catalog.refresh(hooks)
    return reading && orAborted(reading, signal)
  }

  /** A script can change, and trust end, while earlier hooks of the event run. */
  private current(options: FireOptions) {
    return async (hook: HookDefinition): Promise<HookDefinition | undefined> => {
      await this.refresh([hook], options)
      return this.hooksOf(hook.event, options).find(({ id }) => id === hook.id)
    }
  }

  private endSync(given: AnyFields, state: SessionState): void {
    const observation = this.observers.observe()
    const steps = this.pipeline('sessionEnd', given, state, {}, observation)
    const isUnchanged = this.catalog.comparer(true)
    // A script that changed cannot be examined again, which takes time.
    const current = (hook: HookDefinition) => (isUnchanged(hook) === true ? hook : undefined)
    const around = { ...this.around(state), current, observe: observation?.run }
    try {
      for (let step = steps.next(); !step.done; )
        step = steps.next(step.value && runSync(withBackground(step.value), around))
    } finally {
      observation?.end(null)
    }
    this.backlog.flush()
  }

  private async explain(name: EventName, given: unknown, options: FireOptions): Promise<Explanation> {
    const state = conversation.newState({}, this.host.random(), this.host.now())
    const steps = this.pipeline(name, given, state, options)
    steps.next()
    await this.catalog.refresh(this.hooksOf(name, options))
    this.mustBeOpen(undefined)
    const planned = steps.next().value as Plan
    const isGate = this.specOf(name).gate === 'permission'
    return { ...planned, denials: isGate ? this.catalog.current.missing : [] }
  }

  private around({ variables }: SessionState) {
    const { host } = this
    const { platform, evaluatePrompt, startCommand } = host
    const allowedHosts = (source: SourceKind) => this.catalog.allowedHosts(source)
    return { host, platform, evaluatePrompt, startCommand, allowedHosts, variables, read }
  }

  /** The same as fire, and the verdict is enforced. A signal of the host also ends the hooks that run after a denial. */
  private async guard(
    name: EventName,
    given: unknown,
    state: SessionState,
    options: FireOptions,
    hostSignal: AbortSignal | undefined,
  ) {
    const { event, verdict } = await this.fire(name, given, state, options)
    const { onAsk, grants } = this.host
    const enforced = await enforce(event.spec, event.fields, verdict, {
      onAsk: options.onAsk === undefined ? onAsk && inLine(this.ask, onAsk) : (options.onAsk ?? undefined),
      request: fields => this.request(fields, state, options.signal),
      grants,
      signal: options.signal,
    })
    this.mustBeOpen(options.signal)
    if (enforced.kind === 'go') return { ...enforced.fields, verdict, granted: enforced.granted }
    const denial = denialFields(event.spec, event.fields, enforced.texts)
    if (denial) this.reportDenial(denial, state, hostSignal)
    throw new HookBlockedError(
      enforced.verdict,
      enforced.texts.user,
      enforced.texts.agent,
      event.spec.blocked?.code,
    )
  }

  /** A deny of these hooks holds. Their allow does not: another hook wants the user to decide. */
  private request(fields: AnyFields, state: SessionState, signal: AbortSignal | undefined) {
    if (!this.specs.has(REQUEST_EVENT) || this.catalog.of(REQUEST_EVENT).length === 0) return undefined
    return this.fire(REQUEST_EVENT, fields, state, { ...(signal && { signal }) }).then(
      ({ verdict }) => verdict,
    )
  }

  /** The caller gets the denial first. These hooks cannot change it; their context waits in the session. */
  private reportDenial(denial: AnyFields, state: SessionState, hostSignal: AbortSignal | undefined): void {
    const fire = (signal: AbortSignal) => this.fire(DENIAL_EVENT, denial, state, { signal })
    const work = new Promise(resolve => setImmediate(resolve))
      .then(() => this.calls.run(hostSignal, fire))
      .then(({ verdict }) => {
        if (verdict.additionalContext !== null) state.context.push(verdict.additionalContext)
      })
      // Cancelled or closed: the denial was delivered, and nothing waits for these hooks.
      .catch(() => {})
      .finally(() => state.background.delete(work))
    state.background.add(work)
  }

  private specOf(name: EventName): EventSpec {
    const spec = this.specs.get(name) ?? findEvent(name)
    if (!spec) throw new HooksError('use/unknown-event', `There is no event "${name}".`)
    return spec
  }

  private toEvent(spec: EventSpec, given: AnyFields, state: SessionState): TimedEvent {
    const { host } = this
    const complete = conversation.withSessionFields(state, spec, given, host.workspaceRoots[0] ?? '')
    const accepted = mustBeAccepted(spec, acceptFields(spec, complete))
    const payload: Record<string, unknown> = {
      hook_event_name: spec.name,
      ...(spec.conversation ? conversation.conversationFields(state) : {}),
      workspace_roots: host.workspaceRoots,
      cursor_version: host.version,
      user_email: host.userEmail,
      ...accepted,
    }
    // The fields of the host may contain another name, and a hook would judge by the rules of that event.
    payload.hook_event_name = spec.name
    freeze(payload)
    return {
      spec,
      profile: host.profile,
      fields: payload,
      payload: inVersion(host.profile, spec, payload),
      startedAt: host.now(),
    }
  }

  private isCancelled(signal: AbortSignal | undefined): boolean {
    return this.calls.isClosed || signal?.aborted === true
  }

  private mustBeOpen(signal: AbortSignal | undefined): void {
    if (this.calls.isClosed) throw new HooksError('use/closed', 'The engine was closed.')
    if (signal?.aborted) {
      throw new HooksError('use/aborted', 'The host cancelled the event.', { cause: signal.reason })
    }
  }

  private session(state: SessionState, parent?: Session, started?: Verdict): Session {
    const { host } = this
    const ending = (fields: object | undefined) => ({
      duration_ms: host.now() - state.startedAt,
      generation_id: '',
      ...fields,
    })
    const session: Session = {
      conversationId: state.conversationId,
      parent,
      started,
      get loopCount() {
        return Math.max(0, ...state.loopCounts.values())
      },
      fire: async (name, fields, options = {}) => {
        const fire = (signal: AbortSignal) => this.fire(name, fields, state, { ...options, signal })
        return (await this.calls.run(options.signal, fire)).verdict
      },
      guard: async <E extends EventName>(name: E, fields: EventFields<E>, options: FireOptions = {}) => {
        const guard = (signal: AbortSignal) =>
          this.guard(name, fields, state, { ...options, signal }, options.signal)
        return (await this.calls.run(options.signal, guard)) as unknown as Guarded<E>
      },
      subagent: (options = {}) =>
        this.session(conversation.newState(options, host.random(), host.now(), state), session),
      takeContext: () => {
        const context = state.context.splice(0).join('\n\n')
        return context === '' ? null : context
      },
      settled: async () => {
        while (state.background.size > 0) await Promise.all(state.background)
      },
      end: async fields => {
        await session.settled()
        return session.fire('sessionEnd', ending(fields))
      },
      endSync: fields => this.endSync(ending(fields), state),
      memory: () => conversation.memoryOf(state),
    }
    return session
  }

  private async startSession({ signal: given, ...options }: StartOptions = {}): Promise<Session> {
    const state = conversation.newState(options, this.host.random(), this.host.now())
    const start = (signal: AbortSignal) => this.guard('sessionStart', {}, state, { signal }, given)
    const { verdict } = await this.calls.run(given, start)
    return this.session(state, undefined, verdict)
  }

  toHooks(): Hooks {
    const { host, recorder, backlog, catalog } = this
    const close = () => {
      this.closed ??= this.close()
      return this.closed
    }
    const only = this.session(conversation.newState({}, host.random(), host.now()))
    return {
      host: { home: host.home, rehearsal: host.rehearsal },
      fire: only.fire,
      guard: only.guard,
      takeContext: only.takeContext,
      settled: only.settled,
      idle: () => this.background.idle(),
      startSession: options => this.startSession(options),
      resumeSession: (options = {}) =>
        this.session(conversation.newState(options, host.random(), host.now())),
      explain: (name, fields, options = {}) => this.explain(name, fields, options),
      has: name => catalog.of(name).length > 0,
      list: () => catalog.all().map(hook => statusOf(hook, this.tally)),
      issues: () => catalog.current.issues,
      catalog: () => catalog.current,
      reload: () => catalog.reload(),
      register: hook => {
        const spec = this.specOf(hook.event)
        return catalog.add(givenDefinition(hook as GivenHook, spec, host))
      },
      trust: shown => catalog.trust(shown),
      log: () => {
        backlog.flush()
        return recorder.recent()
      },
      logProblem: () => {
        backlog.flush()
        return recorder.problem()
      },
      ask: this.ask,
      onChange: listener => catalog.onChange(listener),
      onRun: listener => recorder.subscribe(listener),
      onVerdict: listener => this.observers.add(onlyVerdicts(listener)),
      onEvent: listener => this.observers.add(listener),
      close,
      [asyncDispose]: close,
    }
  }

  private async close(): Promise<void> {
    const returned = this.calls.close()
    this.catalog.close()
    this.backlog.flush()
    // Calls that are cancelled record their runs.
    await returned
    await endedGroups()
    this.backlog.close()
    this.recorder.close()
    this.observers.clear()
  }
}

/** Early versions of Node 20 lack the symbol; compilers of `await using` then use this one. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')

/** At the end of the process there is no background. */
const withBackground = (plan: Plan): Plan => ({ ...plan, hooks: [...plan.hooks, ...plan.background] })

const NO_RUNS: Ran = Object.freeze({ runs: [], skipped: [] })

interface Judged {
  readonly event: TimedEvent
  readonly verdict: Verdict
}

function mustBeAccepted(spec: EventSpec, accepted: Accepted): AnyFields {
  if (accepted.ok) return accepted.fields
  const text = accepted.problems.map(({ message }) => message).join(' ')
  throw new HooksError('use/bad-payload', `${spec.name}: ${text}`)
}
