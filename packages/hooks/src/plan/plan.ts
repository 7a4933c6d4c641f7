// Which hooks run for this event, in which order, and why the others do not.

import { clockMs } from '../protocol/clock.js'
import type { HookDefinition } from '../protocol/config.js'
import { hasEvent } from '../protocol/profiles.js'
import type { Event, Plan, Planned, Skipped, SkipReason } from '../protocol/run.js'
import { runWithin } from '../watchdog.js'

/** Versions without per-script limits run no stop hook from this count on. */
const FIXED_LOOP_LIMIT = 5

export function plan(event: Event, hooks: readonly HookDefinition[]): Plan {
  const { profile } = event
  const subject = subjectOf(event)
  const planned: Planned[] = []
  const background: Planned[] = []
  const skipped: Skipped[] = []
  const forAll = reasonForAll(event)
  const matches = forAll ? [] : match(hooks, profile.config.keys.includes('matcher') ? subject : null)
  const filesSeen = new Set<string | null>()
  for (let i = 0; i < hooks.length; i++) {
    const hook = hooks[i]!
    const reason = forAll ?? reasonToSkip(event, hook, matches[i]!, filesSeen)
    if (reason) skipped.push({ hook, reason })
    else if (isBackground(event, hook)) {
      background.push({ hook, why: WHY[matches[i]!] })
      skipped.push({ hook, reason: 'background' })
    } else planned.push({ hook, why: WHY[matches[i]!] })
    // A hook in audit mode does not count as the first of its file.
    if (hook.mode === 'enforce') filesSeen.add(hook.file)
  }
  const untilAnswered = profile.run.which === 'first-valid'
  return Object.freeze({
    event,
    subject,
    hooks: planned,
    background,
    skipped,
    untilAnswered,
    concurrent: profile.run.concurrent && !untilAnswered,
  })
}

/** The text that matchers are tested against; null if the event has none. */
export function subjectOf({ spec, fields }: Event): string | null {
  const { subject } = spec
  if ('word' in subject) return subject.word
  if ('none' in subject) return null
  const value = fields[subject.field]
  return typeof value === 'string' ? value : (subject.otherwise ?? '')
}

const WHY: Readonly<Record<Match, Planned['why']>> = {
  all: 'all',
  yes: 'matched',
  slow: 'matcher-slow',
  invalid: 'bad-matcher',
  no: 'matched',
}

function reasonForAll({ spec, profile, fields }: Event): SkipReason | undefined {
  if (!hasEvent(profile, spec)) return 'not-in-version'
  const { loop_count: loops } = fields
  const isOver = typeof loops === 'number' && loops >= FIXED_LOOP_LIMIT
  if (profile.run.loops === 'fixed' && spec.loop === 'counts' && isOver) return 'loop-limit'
  return undefined
}

const isBackground = ({ spec, profile }: Event, { async }: HookDefinition): boolean =>
  async === true && spec.gate === 'none' && profile.config.keys.includes('async')

/** The key of an entry without which a version has no hooks of this type. */
const KEY_OF: Readonly<Partial<Record<HookDefinition['type'], string>>> = { prompt: 'prompt', http: 'url' }

function reasonToSkip(
  { spec, profile }: Event,
  hook: HookDefinition,
  matched: Match,
  filesSeen: ReadonlySet<string | null>,
): SkipReason | undefined {
  if (!hook.trusted) return 'untrusted'
  const key = KEY_OF[hook.type]
  if (key && !profile.config.keys.includes(key)) return 'not-in-version'
  if (profile.run.which === 'first-only' && filesSeen.has(hook.file)) return 'first-only'
  if (matched === 'no') return 'matcher'
  // A guard whose pattern cannot be evaluated runs: once too often is safer than never.
  if (spec.gate === 'permission') return undefined
  if (matched === 'slow') return 'matcher-slow'
  if (matched === 'invalid') return 'bad-matcher'
  return undefined
}

type Match = 'all' | 'yes' | 'no' | 'slow' | 'invalid'

/** For one event, all patterns together: half of the limit, because a busy machine wakes the watchdog late. */
const BUDGET_MS = 50
/** Nearly always all patterns finish within this time. */
const FIRST_LOOK_MS = 10
/** The minimum share of one pattern; less would measure how fast the watchdog wakes. */
const SHARE_MS = 3
/** Below every rank. */
const LAST = Number.MAX_SAFE_INTEGER
/**
 * The product of pattern and subject length, up to which the plain patterns of an event are tested without the
 * watchdog.
 */
const PLAIN_WORK = 1_000_000

/**
 * Whether each pattern is found in the subject. Bounded in time: all but the plainest patterns are tested under a
 * watchdog. A pattern that exceeds its time is slow, and the plan decides what that means.
 */
export function match(hooks: readonly HookDefinition[], subject: string | null): Match[] {
  const results = new Array<Match>(hooks.length)
  const guarded: number[] = []
  let work = 0
  for (let i = 0; i < hooks.length; i++) {
    const { matcher, trusted } = hooks[i]!
    // A hook that may not run costs no time.
    if (!trusted || matcher.kind === 'never') results[i] = 'no'
    else if (matcher.kind === 'all' || subject === null) results[i] = 'all'
    else if (matcher.kind === 'invalid') results[i] = 'invalid'
    else {
      if (matcher.kind === 'plain') work += matcher.text.length * subject.length
      if (matcher.kind === 'regex' || work > PLAIN_WORK) guarded.push(i)
      else results[i] = matcher.regex.test(subject) ? 'yes' : 'no'
    }
  }
  if (guarded.length > 0) testGuarded(hooks, subject!, guarded, results)
  return results
}

/**
 * First all together. If that takes too long, each gets its share of the remaining time. Higher sources come first, as
 * if there were no lower ones; inside a source the simplest come first, because slow patterns have many repeats. Hooks
 * in audit mode come last.
 */
function testGuarded(
  hooks: readonly HookDefinition[],
  subject: string,
  indexes: readonly number[],
  results: Match[],
): void {
  const end = clockMs() + BUDGET_MS
  const patternOf = (index: number) => hooks[index]!.matcher as { regex: RegExp; repeats: number }
  let rest = indexes
  let next = 0
  const testRest = () => {
    for (; next < rest.length; next++) results[rest[next]!] = test(patternOf(rest[next]!).regex, subject)
  }
  if (runWithin(testRest, FIRST_LOOK_MS)) return
  const rankOf = (index: number) => (hooks[index]!.mode === 'observe' ? LAST : hooks[index]!.rank)
  rest = rest.slice(next).sort((a, b) => rankOf(a) - rankOf(b) || patternOf(a).repeats - patternOf(b).repeats)
  next = 0
  while (next < rest.length) {
    const first = next
    const peers = rest.filter((index, at) => at >= next && rankOf(index) === rankOf(rest[next]!)).length
    const share = Math.floor((end - clockMs()) / peers)
    if (runWithin(testRest, Math.max(share, SHARE_MS)) || next >= rest.length) return
    if (clockMs() >= end) break
    // A pattern that was interrupted after others in the same turn gets a turn of its own.
    if (next === first) results[rest[next++]!] = 'slow'
  }
  for (; next < rest.length; next++) results[rest[next]!] = 'slow'
}

/** Some patterns are only found to be too large when they are first used. */
function test(regex: RegExp, subject: string): Match {
  try {
    return regex.test(subject) ? 'yes' : 'no'
  } catch {
    return 'invalid'
  }
}
