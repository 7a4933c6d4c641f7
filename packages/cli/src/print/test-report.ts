// The results of test cases as text: one line each, and below it each failed expectation with the hook that responded.

import {
  eventsUnder,
  findEvent,
  findProfile,
  type Issue,
  type Run,
  type Skipped,
} from '@holdfast/hooks/protocol'
import { isFailed, type Observation } from '@holdfast/hooks/testing'
import type { Attempt } from '../test/attempt.js'
import type { TestFile } from '../test/cases.js'
import type { StepResult } from '../test/fire.js'
import type { CaseResult, FileResult } from '../test/suite.js'
import { shortPath } from './place.js'
import { type Row, renderRows } from './rows.js'
import type { Screen } from './terminal.js'
import { versionRows, wentAlike } from './test-versions.js'
import { lines, oneLine, pad, padLeft, shorten, visible, width, wrap } from './text.js'
import { count, duration, failureWords, shortHook, skipWords } from './words.js'

const DURATION_WIDTH = 7
const LEAST_NAME = 30

export function fileHead(file: TestFile, screen: Screen): string {
  const path = shortPath(file.file, screen)
  const rows = file.problems.map(
    ({ line, column, message }): Row => ({
      cells: [{ text: `${path}:${line}:${column}`, style: screen.red }],
      text: { text: oneLine(message) },
      below: [],
    }),
  )
  const lines = renderRows(rows, [{}], screen.columns - 2, 0).map(row => `  ${row}`)
  return `\n  ${screen.bold(path)}\n${lines.map(row => `${row}\n`).join('')}`
}

/** Names of one file are aligned in one column; a long name makes it wider. */
function nameWidth({ cases }: TestFile, screen: Screen): number {
  const widest = Math.max(LEAST_NAME, ...cases.map(({ name }) => width(visible(name))))
  return Math.min(widest, Math.max(20, screen.columns - DURATION_WIDTH - 10))
}

export function resultLines(
  file: TestFile,
  result: CaseResult,
  screen: Screen,
  showVersions: boolean,
): string {
  const { test, attempts, outcome } = result
  const name = shorten(visible(test.name), nameWidth(file, screen))
  const took = attempts.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const mark = { passed: screen.green('✓'), failed: screen.red('✗'), skipped: screen.dim('–') }[outcome]
  const time = screen.dim(padLeft(duration(took), DURATION_WIDTH))
  const note = noteOf(result)
  const head = `    ${mark} ${pad(name, nameWidth(file, screen))}  ${time}${note === '' ? '' : screen.dim(`   ${note}`)}`
  const path = shortPath(file.file, screen)
  const below =
    attempts.length > 1
      ? !showVersions && wentAlike(result)
        ? []
        : versionRows(result, screen, attempt => failureRows(path, attempt, screen, 12))
      : attempts.flatMap(attempt => failureRows(path, attempt, screen))
  return [head, ...below].map(line => `${line.trimEnd()}\n`).join('')
}

/** A case in which no hook took part passes easily, so the report says so. */
function noteOf({ attempts, outcome }: CaseResult): string {
  const [only] = attempts
  if (attempts.length > 1) return count(attempts.length, 'version')
  if (outcome === 'skipped') return `${only?.profile} ${only?.reason ?? ''}`
  const version = only && only.profile !== 'holdfast' ? [only.profile] : []
  const nobody = outcome === 'passed' && !ran(only) ? ['no hook ran'] : []
  return [...version, ...nobody].join(', ')
}

const ran = (attempt: Attempt | undefined) =>
  attempt?.steps.some(({ seen }) => (seen?.runs.length ?? 0) > 0) === true

export const failureText = (path: string, attempt: Attempt, screen: Screen): string =>
  failureRows(path, attempt, screen, 0).join('\n')

export function failureRows(path: string, attempt: Attempt, screen: Screen, indent = 8): string[] {
  const step = attempt.steps.find(({ mismatches }) => mismatches.length > 0)
  return step ? stepRows(path, attempt, step, screen, indent) : []
}

function stepRows(
  path: string,
  { issues, steps, tidy }: Attempt,
  step: StepResult,
  screen: Screen,
  indent: number,
): string[] {
  const runs = step.seen?.runs ?? []
  const skipped = step.seen?.skipped ?? []
  const labels = [
    ...step.mismatches.map(({ what }) => visible(what)),
    ...runs.map(({ hook }) => shortHook(hook)),
  ]
  const label = Math.min(24, Math.max(6, ...labels.map(width)))
  const row = (name: string, word: string, text: string) =>
    aligned(name, word, tidy(text), label, indent, screen)
  const which =
    steps.length > 1 || step.what.includes(':') ? `   step ${steps.length}, ${oneLine(step.what)}` : ''
  return [
    `${' '.repeat(indent)}${screen.dim(`${path}:${step.line}${which}`)}`,
    ...step.mismatches.flatMap(({ what, expected, got }) => [
      ...row(visible(what), 'expected', expected),
      ...row('', 'got', got),
    ]),
    ...runs.flatMap(run => [
      ...row(shortHook(run.hook), saidWord(run), saidText(run)),
      ...run.notes.flatMap(({ message }) => row('', 'note', oneLine(message))),
    ]),
    ...skipped.flatMap(one => row(shortHook(one.hook), 'skipped', whySkipped(one, step.seen!))),
    ...runs.flatMap(run => stderrRows(run, row)),
    ...issuesOf(step, issues).flatMap(({ line, message }) =>
      row('hooks.json', 'error', `line ${line}: ${oneLine(message)}`),
    ),
  ]
}

/** A skipped entry may be the reason that no hook responded. */
const issuesOf = ({ seen, what }: StepResult, issues: readonly Issue[]): readonly Issue[] =>
  seen && seen.runs.length === 0
    ? issues.filter(({ path }) => !path.startsWith('hooks.') || path.includes(what)).slice(0, 3)
    : []

const saidWord = (run: Run) => (isFailed(run) ? 'failed' : run.outcome.kind)

function saidText(run: Run): string {
  if (isFailed(run)) return failureWords(run)
  return run.exit.stdout.trim() === '' ? `exit ${run.exit.code}` : oneLine(run.exit.stdout)
}

const LAST_LINES = 10

/** A one-line error of a hook is shown with its failure already. */
function stderrRows(run: Run, row: (name: string, word: string, text: string) => string[]): string[] {
  const said = lines(run.exit.stderr.trimEnd()).filter(line => line !== '')
  if (isFailed(run) && said.length === 1) return []
  return said
    .slice(-LAST_LINES)
    .flatMap((line, index) => row(index === 0 ? 'stderr' : '', '', shorten(line, LONGEST_LINE)))
}

const LONGEST_LINE = 200

function whySkipped({ hook, reason }: Skipped, { event, profile }: Observation): string {
  const version = findProfile(profile)!
  const spec = eventsUnder(version).get(event) ?? findEvent(event)!
  return skipWords(reason, hook.matcher, spec, version)
}

const WORD_WIDTH = 8

function aligned(
  name: string,
  word: string,
  text: string,
  label: number,
  indent: number,
  screen: Screen,
): string[] {
  const start = indent + label + 2 + WORD_WIDTH + 2
  const [first = '', ...rest] = wrap(shorten(visible(text), MOST_TEXT), Math.max(20, screen.columns - start))
  const shown = word === 'got' ? screen.red(first) : first
  const head = `${' '.repeat(indent)}${pad(shorten(name, label), label)}  ${screen.dim(pad(word, WORD_WIDTH))}  ${shown}`
  return [head, ...rest.map(part => `${' '.repeat(start)}${part}`)]
}

const MOST_TEXT = 600

export function totalsLine(results: readonly FileResult[], screen: Screen, isInterrupted: boolean): string {
  const outcomes = results.flatMap(({ cases }) => cases.map(({ outcome }) => outcome))
  const of = (wanted: string) => outcomes.filter(outcome => outcome === wanted).length
  const broken = results.filter(({ problems }) => problems.length > 0).length
  const left = results.reduce((sum, file) => sum + file.left, 0)
  const parts = [
    `${of('passed')} passed`,
    ...(of('failed') > 0 ? [screen.red(`${of('failed')} failed`)] : []),
    ...(of('skipped') > 0 ? [`${of('skipped')} skipped`] : []),
    ...(left > 0 ? [screen.amber(`${left} not run`)] : []),
    ...(broken > 0 ? [screen.red(`${count(broken, 'test file')} with mistakes`)] : []),
  ]
  return `\n  ${isInterrupted ? 'Interrupted: ' : ''}${parts.join(', ')}\n\n`
}
