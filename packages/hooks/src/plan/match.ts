// Is the pattern found in the subject? Bounded in time: JavaScript patterns can run for ever, so all but the
// plainest are tested under a watchdog that ends them from outside. What runs over is said to be slow, and the
// plan decides what slow means.

import { type Context, createContext, Script } from 'node:vm'
import type { HookDefinition, Matcher } from '../protocol/config.js'

export type Match = 'all' | 'yes' | 'no' | 'slow' | 'invalid'

/** For one event, all patterns together. */
const BUDGET_MS = 80
/** For one pattern; what is over is not tried again in this event. */
const SLICE_MS = 40
/** Pattern times subject, up to which a plain pattern is tested without the watchdog. */
const PLAIN_WORK = 1_000_000

/** Patterns that once ran over go last, so that they never take time from the others again. */
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

function testGuarded(
  hooks: readonly HookDefinition[],
  subject: string,
  indexes: number[],
  results: Match[],
): void {
  const patterns = indexes.map(index => ({
    index,
    regex: (hooks[index]!.matcher as { regex: RegExp }).regex,
  }))
  patterns.sort((a, b) => Number(knownSlow.has(a.regex)) - Number(knownSlow.has(b.regex)))
  let next = 0
  const testRest = () => {
    while (next < patterns.length) {
      const { index, regex } = patterns[next]!
      results[index] = test(regex, subject)
      next++
    }
  }
  const end = performance.now() + BUDGET_MS
  while (next < patterns.length) {
    const left = Math.floor(end - performance.now())
    if (left < 1) break
    const first = next
    if (withWatchdog(testRest, Math.min(SLICE_MS, left))) return
    // Only a pattern that had the whole slice to itself is to blame.
    if (next !== first) continue
    const { index, regex } = patterns[next]!
    knownSlow.add(regex)
    results[index] = 'slow'
    next++
  }
  for (; next < patterns.length; next++) results[patterns[next]!.index] = 'slow'
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
