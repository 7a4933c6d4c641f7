// A time limit for regular expressions. A JavaScript pattern can run forever, and only V8 can interrupt it, from another
// thread: node:vm ends a script at its limit, with every function that the script called.

import { type Context, createContext, Script } from 'node:vm'
import { clockMs } from './protocol/clock.js'

let watchdog: { context: Context & { work?: () => void }; script: Script } | undefined

/** Runs `work` for at most `ms`; false if it was interrupted. */
export function runWithin(work: () => void, ms: number): boolean {
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

/** For all patterns that are tested one by one in the same turn of the event loop. */
const TURN_MS = 50

let spentMs = 0

/** The time for all patterns of one file. Patterns of other files are not affected when it is used up. */
export class PatternBudget {
  leftMs = 200
}

/**
 * Whether the pattern is found in a short text, such as a name; undefined if that takes too long, or if no time is left. A
 * pattern that cannot take long is tested directly, so that its result does not depend on a busy machine.
 */
export function isFound(regex: RegExp, text: string, budget = new PatternBudget()): boolean | undefined {
  if (isCheap(regex.source) && text.length <= SHORT) return regex.test(text)
  const limitMs = Math.floor(Math.min(TURN_MS - spentMs, budget.leftMs))
  if (limitMs < 1) return undefined
  if (spentMs === 0)
    setImmediate(() => {
      spentMs = 0
    })
  let found: boolean | undefined
  const began = clockMs()
  const search = () => {
    found = regex.test(text)
  }
  try {
    runWithin(search, limitMs)
  } catch {
    // Some patterns prove too large only when they are first used.
  }
  const tookMs = clockMs() - began
  spentMs += tookMs
  budget.leftMs -= tookMs
  return found
}

const SHORT = 40
const REPEAT = /(?<!\()[*+?]/g

/** At most three repeats, none of them of a group: the time is at most the fourth power of the length of the text. */
const isCheap = (source: string): boolean =>
  source.length <= 200 && !/\)[*+?{]|\{/.test(source) && (source.match(REPEAT)?.length ?? 0) <= 3
