// Is the pattern found in the subject? Bounded in time: JavaScript patterns can run for ever, so all but the
// plainest are tested under a watchdog that ends them from outside. What runs over is said to be slow, and the
// plan decides what slow means.

import { type Context, createContext, Script } from 'node:vm'
import { clockMs } from '../protocol/clock.js'
import type { HookDefinition, Matcher } from '../protocol/config.js'

export type Match = 'all' | 'yes' | 'no' | 'slow' | 'invalid'

/** For one event, all patterns together: half of what is allowed, as a busy machine wakes the watchdog late. */
const BUDGET_MS = 50
/** Nearly always all patterns are done within this. */
const FIRST_LOOK_MS = 10
/** The least share of one pattern; less would measure how fast the watchdog wakes. */
const SHARE_MS = 3
/** Below every rank. */
const LAST = Number.MAX_SAFE_INTEGER
/** Pattern times subject, up to which a plain pattern is tested without the watchdog. */
const PLAIN_WORK = 1_000_000

export function match(hooks: readonly HookDefinition[], subject: string | null): Match[] {
  const results = new Array<Match>(hooks.length)
  const guarded: number[] = []
  for (let i = 0; i < hooks.length; i++) {
    const { matcher } = hooks[i]!
    const quick = quickly(matcher, subject)
    if (quick) results[i] = quick
    else guarded.push(i)
  }
  if (guarded.length > 0) testGuarded(hooks, subject!, guarded, results)
  return results
}

function quickly(matcher: Matcher, subject: string | null): Match | undefined {
  if (matcher.kind === 'all' || subject === null) return 'all'
  if (matcher.kind === 'never') return 'no'
  if (matcher.kind === 'invalid') return 'invalid'
  if (matcher.kind === 'plain' && matcher.text.length * subject.length <= PLAIN_WORK) {
    return matcher.regex.test(subject) ? 'yes' : 'no'
  }
  return undefined
}

/**
 * One look for all together. If that is not enough, each gets its share of the time that is left. Higher sources come
 * first, as if there were no lower ones; inside a source the simplest come first, as whoever runs away has many repeats.
 * Who only observes comes last of all.
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
  if (withWatchdog(testRest, FIRST_LOOK_MS)) return
  const rankOf = (index: number) => (hooks[index]!.mode === 'observe' ? LAST : hooks[index]!.rank)
  rest = rest.slice(next).sort((a, b) => rankOf(a) - rankOf(b) || patternOf(a).repeats - patternOf(b).repeats)
  next = 0
  while (next < rest.length) {
    const first = next
    const peers = rest.filter((index, at) => at >= next && rankOf(index) === rankOf(rest[next]!)).length
    const share = Math.floor((end - clockMs()) / peers)
    if (withWatchdog(testRest, Math.max(share, SHARE_MS)) || next >= rest.length) return
    if (clockMs() >= end) break
    // Who was cut off after others had been done in the same turn gets a turn of its own.
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

let watchdog: { context: Context & { work?: () => void }; script: Script } | undefined

/** Runs work for at most so long; false when it was cut off. */
function withWatchdog(work: () => void, ms: number): boolean {
  watchdog ??= { context: createContext({}), script: new Script('work()') }
  watchdog.context.work = work
  try {
    watchdog.script.runInContext(watchdog.context, { timeout: ms })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false
    throw error
  } finally {
    delete watchdog.context.work
  }
}
