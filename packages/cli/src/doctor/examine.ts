// One hook at a time: what it needs, what its pattern matches, and how it responds to a canary. Always through the
// engine, so that the result is what will happen.

import { type Hooks, HooksError } from '@holdfast/hooks'
import {
  EVENT_SPECS,
  type EventSpec,
  type HookDefinition,
  type Issue,
  type Profile,
  type Run,
  SOURCES,
  type Verdict,
  withTimeLimit,
} from '@holdfast/hooks/protocol'
import { type Program, programsOf } from '../check/programs.js'
import { type Policy, policyOf } from '../print/policy.js'
import { skipWords } from '../print/words.js'
import { CANARY, canaryPayload, fileIn } from './canary.js'
import { withFile } from './file.js'
import { missed } from './fixes.js'
import { findSubject, type Matching, subjectIn } from './subjects.js'

/**
 * well: it responded, and its pattern matches something. unmatched: it responded, but only without its pattern, which
 * matches nothing that was tried. failed: it ran and did not respond well, or never runs. cannot-run: it does not start.
 */
export type HookState = 'well' | 'unmatched' | 'failed' | 'cannot-run' | 'not-run'

export interface Fired {
  readonly subject: string | null
  /** The canary's own subject, which no hook should block. */
  readonly isOwn: boolean
  /** Its pattern matches no sample, so it ran without the pattern. */
  readonly withoutMatcher: boolean
  readonly limitMs: number
  /** Undefined when the limit of the canary ended it in a version without time limits. */
  readonly run: Run | undefined
  readonly verdict: Verdict | undefined
}

export interface Examined {
  readonly hook: HookDefinition
  readonly spec: EventSpec
  readonly profile: Profile
  readonly policy: Policy
  readonly state: HookState
  /** Why it was not run. */
  readonly why: string | null
  /** Errors of its entry, and a matcher that never matches, as check finds them. */
  readonly issues: readonly Issue[]
  readonly programs: readonly Program[]
  readonly matching: Matching
  readonly fired: Fired | null
}

export interface Examination {
  readonly hooks: Hooks
  /** What check finds. */
  readonly issues: readonly Issue[]
  readonly profile: Profile
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  /** Whether canaries are fired. */
  readonly runs: boolean
  readonly limitMs: number
  readonly signal: AbortSignal
}

type Session = ReturnType<Hooks['resumeSession']>

/** One session for all: variables of a sessionStart hook reach later hooks. */
export const openSession = (hooks: Hooks): Session => hooks.resumeSession({ conversationId: CANARY })

/** Runs the events that set variables, when only another event is examined: its hooks may need them. */
export async function begin(
  session: Session,
  { hooks, limitMs, signal }: Examination,
  root: string,
): Promise<void> {
  for (const spec of EVENT_SPECS.filter(({ name, answer }) => 'env' in answer && hooks.has(name))) {
    const choose = (all: readonly HookDefinition[]) =>
      all.map(hook => ({ ...hook, timeoutMs: Math.min(hook.timeoutMs, limitMs) }))
    await session.fire(spec.name, canaryPayload(spec, root) as never, { signal, choose })
  }
}

export async function examine(
  hook: HookDefinition,
  spec: EventSpec,
  session: Session,
  work: Examination,
): Promise<Examined> {
  const { hooks, profile, home, env } = work
  const matching = await findSubject(hook, spec, subject => takes(hook, spec, subject, hooks))
  const known = {
    hook,
    spec,
    profile,
    policy: policyOf(hook, spec, profile),
    issues: work.issues.filter(issue => keepsFromRunning(issue, matching) && isOf(hook, issue)),
    programs: programsOf(hook, { platform: process.platform, home, env }),
    matching,
  }
  const why = await whyNot(hook, spec, work)
  if (why !== null) return { ...known, state: 'not-run', why, fired: null }
  if (!work.runs) return { ...known, state: stateUnrun(known), why: null, fired: null }
  const fired = await fire(hook, spec, matching, session, work)
  // Its script changed meanwhile, so it is not trusted any more.
  if (fired.verdict && !fired.run) return { ...known, state: 'not-run', why: UNTRUSTED, fired: null }
  return { ...known, state: stateOf(fired, known), why: null, fired }
}

/** Trust does not matter here: the pattern of an untrusted hook is examined, too. */
async function takes(hook: HookDefinition, spec: EventSpec, subject: string | undefined, hooks: Hooks) {
  const fields = canaryPayload(spec, hook.root, subject)
  const choose = () => [{ ...hook, async: false, trusted: true }]
  const { hooks: planned } = await hooks.explain(spec.name, fields as never, { choose })
  return planned.some(({ why }) => why === 'all' || why === 'matched')
}

/** Reasons outside the hook: trust, and versions without its event. */
async function whyNot(hook: HookDefinition, spec: EventSpec, { hooks, profile }: Examination) {
  const { skipped } = await hooks.explain(spec.name, canaryPayload(spec, hook.root) as never)
  const reason = skipped.find(one => one.hook.id === hook.id)?.reason
  if (reason === 'untrusted') return UNTRUSTED
  if (reason === 'first-only' || reason === 'not-in-version')
    return skipWords(reason, hook.matcher, spec, profile)
  return null
}

export const UNTRUSTED = 'not trusted, so it does not run'
export const isUntrusted = ({ hook }: Pick<Examined, 'hook'>): boolean =>
  SOURCES[hook.source].needsTrust && !hook.trusted

const keepsFromRunning = ({ severity, code }: Issue, { matches, isDerived }: Matching): boolean =>
  severity === 'error' || (code === 'config/matcher-never' && (matches.length === 0 || isDerived === true))

/** An entry of the same file and path, or a field of it. */
const isOf = (hook: HookDefinition, { file, path }: Issue): boolean =>
  hook.path !== null && file === hook.file && (path === hook.path || path.startsWith(`${hook.path}.`))

async function fire(
  hook: HookDefinition,
  spec: EventSpec,
  { subject }: Matching,
  session: Session,
  { limitMs, signal }: Examination,
): Promise<Fired> {
  const fields = canaryPayload(spec, hook.root, subject ?? undefined)
  const limit = Math.min(hook.timeoutMs, limitMs)
  const withoutMatcher = subject === null
  const alone = (all: readonly HookDefinition[]) =>
    all
      .filter(({ id }) => id === hook.id)
      .map(fresh => ({
        ...fresh,
        async: false,
        timeoutMs: limit,
        ...(withoutMatcher ? { matcher: ALL } : {}),
      }))
  const fired = {
    subject: subjectIn(spec, hook.root, subject ?? undefined),
    isOwn: typeof subject !== 'string',
    withoutMatcher,
    limitMs: limit,
  }
  // Versions without time limits run a hook for a minute; the canary does not wait for that.
  try {
    const verdict = await withFile(fileIn(fields), () =>
      withTimeLimit(limit + GRACE_MS, signal, own =>
        session.fire(spec.name, fields as never, { signal: own, choose: alone }),
      ),
    )
    return { ...fired, verdict, run: verdict.runs[0] }
  } catch (error) {
    const isLate = HooksError.isInstance(error) && error.code === 'use/aborted' && !signal.aborted
    if (!isLate) throw error
    return { ...fired, verdict: undefined, run: undefined }
  }
}

const ALL = { kind: 'all' } as const
/** The engine reports its own limit first, also on a busy machine. */
const GRACE_MS = 3000

/** Failures of hooks that never started. */
const NEVER_BEGAN: ReadonlySet<string> = new Set([
  'run/not-found',
  'run/not-executable',
  'run/bad-folder',
  'run/spawn',
])

function stateOf({ run }: Fired, known: KnownProblems): HookState {
  if (!run) return 'failed'
  // Also one that answered: a program of the SDK that failed prints what its error policy decides.
  const failure = run.outcome.kind === 'silent' ? undefined : run.outcome.failure
  if (failure) return NEVER_BEGAN.has(failure.code) ? 'cannot-run' : 'failed'
  if (known.issues.length > 0 || missed(known.programs, run)) return 'failed'
  return isUnmatched(known.matching) ? 'unmatched' : 'well'
}

type KnownProblems = Pick<Examined, 'issues' | 'programs' | 'matching'>

/** Without a run only certain problems are known. */
function stateUnrun({ issues, programs, matching }: KnownProblems): HookState {
  if (programs.some(({ problem, certain }) => problem !== undefined && certain)) return 'cannot-run'
  if (issues.length > 0) return 'failed'
  return isUnmatched(matching) ? 'unmatched' : 'well'
}

const isUnmatched = ({ tried, matches, subject }: Matching): boolean =>
  subject === null || (typeof subject === 'string' && tried.length > 0 && matches.length === 0)
