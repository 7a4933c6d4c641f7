// Runs all cases of all files, a few at a time, and reports them in their order.

import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type { ProfileName } from '@holdfast/hooks/protocol'
import type { Compared } from '../build/stale.js'
import { type Attempt, attempt, notBegun } from './attempt.js'
import type { TestCase, TestFile, TestLevel } from './cases.js'
import { type CopyPlan, HOOKS, planCopy, rootOf, TooLarge } from './copy.js'
import { isOfHome } from './find.js'
import { type CaseFolders, openStage } from './stage.js'
import type { TestProblem } from './yaml.js'

export interface CaseResult {
  readonly test: TestCase
  readonly attempts: readonly Attempt[]
  readonly outcome: Attempt['outcome']
}

export interface FileResult {
  readonly file: string
  readonly hooks: string
  readonly problems: readonly TestProblem[]
  readonly cases: readonly CaseResult[]
  /** Cases that did not start, after a failure or an interrupt. */
  readonly left: number
}

export interface SuiteOptions {
  /** Replaces what the cases specify. */
  readonly profiles: readonly ProfileName[] | undefined
  readonly level: TestLevel | undefined
  readonly home: string
  readonly bail: boolean
  readonly signal: AbortSignal
}

interface RunOptions extends SuiteOptions {
  readonly compared: Compared
}

export interface Listener {
  begin(file: TestFile): void
  /** In order. */
  ended(file: TestFile, result: CaseResult): void
  /** As soon as each ends, for the progress. */
  counted(): void
  close(): void
}

const AT_ONCE = Math.min(4, Math.max(2, availableParallelism()))

export async function runSuite(
  files: readonly TestFile[],
  options: SuiteOptions,
  listener: Listener,
): Promise<FileResult[]> {
  const results: FileResult[] = []
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, options.signal])
  const { start, drain } = queue(AT_ONCE)
  const around = { ...options, signal, compared: new Map() }
  const begun = files.map(file => prepare(file, around, start, listener))
  try {
    for (const { file, problems, cases } of begun) {
      const isOver = stop.signal.aborted
      if (!isOver || problems.length > 0) listener.begin({ ...file, problems })
      const done: CaseResult[] = []
      for (const result of cases) {
        const ended = await result
        if (ended === undefined) continue
        if (signal.aborted && !options.signal.aborted) continue
        done.push(ended)
        listener.ended(file, ended)
        if (options.bail && ended.outcome === 'failed') stop.abort()
      }
      const left = problems.length > 0 ? 0 : cases.length - done.length
      results.push({ file: file.file, hooks: file.hooks, problems, cases: done, left })
    }
    return results
  } finally {
    stop.abort()
    await drain()
    listener.close()
  }
}

/** Starts the cases of a file as soon as slots are free. */
function prepare(
  file: TestFile,
  options: RunOptions,
  start: Start,
  listener: Listener,
): { file: TestFile; problems: readonly TestProblem[]; cases: readonly Promise<CaseResult | undefined>[] } {
  if (file.problems.length > 0) return { file, problems: file.problems, cases: [] }
  const plan = planOf(file)
  if ('problems' in plan) return { file, problems: plan.problems, cases: [] }
  const level = options.level ?? file.level ?? (isOfHome(file.hooks, options.home) ? 'user' : 'project')
  const workspace = rootOf(dirname(file.hooks))
  const cases = file.cases.map(test =>
    start(async () => {
      if (options.signal.aborted) return undefined
      const attempts: Attempt[] = []
      for (const profile of options.profiles ?? test.profiles ?? (['holdfast'] as const)) {
        attempts.push(await staged(plan, test, profile, workspace, level, options))
      }
      listener.counted()
      return { test, attempts, outcome: outcomeOf(attempts) }
    }).catch(error => {
      // Interrupted: the case counts as not run.
      if (options.signal.aborted) return undefined
      throw error
    }),
  )
  // Prevents unhandled rejections after an early stop.
  for (const one of cases) one.catch(() => {})
  return { file, problems: [], cases }
}

function planOf(file: TestFile): CopyPlan | { readonly problems: readonly TestProblem[] } {
  try {
    const plan = planCopy(
      file.hooks,
      file.copy.map(({ path }) => path),
    )
    if (plan.missing.length === 0) return plan
    const problems = plan.missing.map(path => {
      const { line, column } = file.copy.find(one => one.path === path) ?? { line: 1, column: 1 }
      const name = path === HOOKS ? 'hooks.json' : path
      return {
        line,
        column,
        message: `${name} does not exist, or is a link that leads out of the workspace.`,
      }
    })
    return { problems }
  } catch (error) {
    const message =
      error instanceof TooLarge
        ? `${dirname(file.hooks)} is too large to be copied for each case: over 5000 files or 100 MiB.`
        : `The workspace cannot be copied: ${(error as Error).message}.`
    return { problems: [{ line: 1, column: 1, message }] }
  }
}

/** One case in one version, in folders of its own. */
async function staged(
  plan: CopyPlan,
  test: TestCase,
  profile: ProfileName,
  workspace: string,
  level: TestLevel,
  { signal, compared }: RunOptions,
): Promise<Attempt> {
  let stage: CaseFolders
  try {
    stage = openStage(plan, workspace, level, test.setting)
  } catch (error) {
    return notBegun(test, profile, (error as Error).message)
  }
  try {
    return await attempt(test, profile, stage, workspace, signal, compared)
  } finally {
    stage.close()
  }
}

function outcomeOf(attempts: readonly Attempt[]): Attempt['outcome'] {
  if (attempts.some(({ outcome }) => outcome === 'failed')) return 'failed'
  return attempts.every(({ outcome }) => outcome === 'skipped') ? 'skipped' : 'passed'
}

type Start = <T>(work: () => Promise<T>) => Promise<T>

/** A limited number at a time, in order. */
function queue(size: number): { start: Start; drain: () => Promise<void> } {
  const waiting: (() => void)[] = []
  const all = new Set<Promise<unknown>>()
  let running = 0
  const start: Start = async work => {
    if (running >= size) await new Promise<void>(resolve => waiting.push(resolve))
    running++
    const one = work()
    all.add(one)
    try {
      return await one
    } finally {
      all.delete(one)
      running--
      waiting.shift()?.()
    }
  }
  return { start, drain: async () => void (await Promise.allSettled(all)) }
}
