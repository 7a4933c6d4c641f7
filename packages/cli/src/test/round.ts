// One round: find the test files, read them, run their cases, report the results.

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ProfileName } from '@holdfast/hooks/protocol'
import { junit } from '../print/junit.js'
import { shortPath } from '../print/place.js'
import { openProgress } from '../print/progress.js'
import { print, printJson, type Screen } from '../print/terminal.js'
import { testsJson } from '../print/test-json.js'
import { fileHead, resultLines, totalsLine } from '../print/test-report.js'
import { UsageError } from '../usage-error.js'
import type { TestFile, TestLevel } from './cases.js'
import { findTestFiles, loadTestFile } from './find.js'
import { type FileResult, type Listener, runSuite } from './suite.js'

export const EXIT = { passed: 0, failed: 1, wrong: 2 } as const

export interface RoundOptions {
  readonly cwd: string
  readonly home: string
  /** Files and folders on the command line. */
  readonly named: readonly string[]
  readonly root: string
  readonly screen: Screen
  readonly profiles: readonly ProfileName[] | undefined
  readonly level: TestLevel | undefined
  readonly filter: string | undefined
  readonly bail: boolean
  readonly junit: string | undefined
  readonly json: boolean
  readonly signal: AbortSignal
}

export async function runRound(options: RoundOptions): Promise<number> {
  const files = chosen(options)
  const total = files.reduce((sum, { cases }) => sum + cases.length, 0)
  const results = await runSuite(
    files,
    options,
    options.json ? SILENT : teller(options.screen, total, options.profiles !== undefined),
  )
  if (options.json) printJson(testsJson(results, options.cwd))
  else print(totalsLine(results, options.screen, options.signal.aborted))
  if (options.junit !== undefined) writeJunit(options, results)
  return exitCode(results)
}

/** The test files, with the selected cases. */
export function chosen({ named, cwd, root, home, filter, screen }: RoundOptions): TestFile[] {
  const files = findTestFiles(named, cwd, root).map(file => loadTestFile(file, home))
  if (files.length === 0) {
    const where = named.length > 0 ? named.join(', ') : root === cwd ? 'this folder' : shortPath(root, screen)
    throw new UsageError(
      `No test files were found in ${where}. They are beside the hooks and end with .hooks-test.yaml; holdfast init writes a first one.`,
    )
  }
  if (filter === undefined) return files
  const wanted = filter.toLowerCase()
  const kept = files
    .map(file => ({ ...file, cases: file.cases.filter(({ name }) => name.toLowerCase().includes(wanted)) }))
    .filter(({ cases, problems }) => cases.length > 0 || problems.length > 0)
  if (kept.length > 0) return kept
  throw new UsageError(`No case has ${JSON.stringify(filter)} in its name.`)
}

const SILENT: Listener = { begin: () => {}, ended: () => {}, counted: () => {}, close: () => {} }

/** Versions on the command line are all shown; versions that a case names only if one differs. */
function teller(screen: Screen, total: number, showVersions: boolean): Listener {
  const progress = openProgress()
  let done = 0
  const count = () => progress.say(`${done} of ${total} cases done`)
  const say = (text: string) => {
    progress.hide()
    print(text)
    count()
  }
  return {
    begin: file => say(fileHead(file, screen)),
    ended: (file, result) => say(resultLines(file, result, screen, showVersions)),
    counted: () => {
      done++
      count()
    },
    close: () => progress.end(),
  }
}

function writeJunit({ junit: file, cwd }: RoundOptions, results: readonly FileResult[]): void {
  try {
    writeFileSync(resolve(cwd, file!), junit(results, cwd))
  } catch (error) {
    throw new UsageError(`--junit ${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function exitCode(results: readonly FileResult[]): number {
  if (results.some(({ problems }) => problems.length > 0)) return EXIT.wrong
  const outcomes = results.flatMap(({ cases }) => cases.map(({ outcome }) => outcome))
  if (outcomes.includes('failed')) return EXIT.failed
  // If all cases were skipped, nothing is proven.
  return outcomes.includes('passed') ? EXIT.passed : EXIT.wrong
}
