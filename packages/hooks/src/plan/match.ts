// Is the pattern found in the subject? Bounded in time: JavaScript patterns can run for ever, so all but the
// plainest are tested under a watchdog that ends them from outside. What runs over is said to be slow, and the
// plan decides what slow means.

import { type Context, createContext, Script } from 'node:vm'
import type { HookDefinition, Matcher } from '../protocol/config.js'

export type Match = 'all' | 'yes' | 'no' | 'slow' | 'invalid'

/** For one event, all patterns together. */
const BUDGET_MS = 80
/** For one pattern. */
const SLICE_MS = 40
/** Pattern times subject, up to which a plain pattern is tested without the watchdog. */
const PLAIN_WORK = 1_000_000

/** Patterns that once ran over get no first look, so that they do not take time from the others again. */
const knownSlow = new WeakSet<RegExp>()

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
 * First a short look for all, then what time is left for those that need longer. Hooks come highest source first,
 * so a pattern of a lower source never takes the time of a higher one.
 */
function testGuarded(
  hooks: readonly HookDefinition[],
  subject: string,
  indexes: number[],
  results: Match[],
): void {
  const end = performance.now() + BUDGET_MS
  const patterns = indexes.map(index => ({
    index,
    regex: (hooks[index]!.matcher as { regex: RegExp }).regex,
  }))
  const fresh = patterns.filter(({ regex }) => !knownSlow.has(regex))
  const known = patterns.filter(({ regex }) => knownSlow.has(regex))
  const short = Math.min(SLICE_MS / 4, Math.max(1, Math.floor(BUDGET_MS / 2 / patterns.length)))
  const longer = testWithin(fresh, subject, results, short, end - BUDGET_MS / 2)
  for (const { index } of testWithin([...longer, ...known], subject, results, SLICE_MS, end))
    results[index] = 'slow'
}

interface Pattern {
  readonly index: number
  readonly regex: RegExp
}

/** Gives each pattern at most a slice, all together until the end. Returns those that did not get done. */
function testWithin(
  patterns: readonly Pattern[],
  subject: string,
  results: Match[],
  sliceMs: number,
  end: number,
): Pattern[] {
  const undone: Pattern[] = []
  let next = 0
  const testRest = () => {
    for (; next < patterns.length; next++)
      results[patterns[next]!.index] = test(patterns[next]!.regex, subject)
  }
  while (next < patterns.length) {
    const left = Math.floor(end - performance.now())
    if (left < 1) break
    const first = next
    if (withWatchdog(testRest, Math.min(sliceMs, left))) return undone
    // Only a pattern that had the whole slice to itself is to blame.
    if (next !== first) continue
    knownSlow.add(patterns[next]!.regex)
    undone.push(patterns[next++]!)
  }
  // Those that were never reached are tried before those that had their turn.
  return [...patterns.slice(next), ...undone]
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
