// The error of a case that fails: the mismatches, the runs of its hooks, and the line of the case in the stack.

import { AssertionError } from 'node:assert'
import type { Run } from '../protocol/run.js'
import { isFailed, type Mismatch } from './expectations.js'
import type { Result } from './fire.js'
import { toShortJson } from './text.js'

export interface CaseLocation {
  readonly event: string
  readonly target: string
  readonly profile: string
  /** Created where the case is written, for its stack. */
  readonly origin: Error
}

export type Cause =
  | { readonly error: string }
  | { readonly mismatches: readonly Mismatch[]; readonly result: Result }

export function createCaseError(location: CaseLocation, cause: Cause): AssertionError {
  const version = location.profile === 'holdfast' ? '' : ` in ${location.profile}`
  const head = `${location.event} at ${location.target}${version}`
  if ('error' in cause) return withStack(new AssertionError({ message: `${head}: ${cause.error}` }), location)
  const { mismatches, result } = cause
  const message = [
    `${head} is not as expected.`,
    ...mismatches.flatMap(({ what, expected, got }) => [
      '',
      `  ${what}`,
      `    expected  ${expected}`,
      `    got       ${got}`,
    ]),
    '',
    ...(result.runs.length > 0 ? ['  responses', ...result.runs.flatMap(formatRun)] : []),
    ...(result.runs.length === 0 ? [`  no hook ran${formatSkipped(result)}`] : []),
    ...(result.stderr.trim() === '' ? [] : ['  stderr', ...indent(result.stderr)]),
  ].join('\n')
  const of = (pick: 'expected' | 'got') =>
    Object.fromEntries(mismatches.map(mismatch => [mismatch.what, mismatch[pick]]))
  return withStack(new AssertionError({ message, expected: of('expected'), actual: of('got') }), location)
}

const formatSkipped = ({ skipped }: Result) =>
  skipped.map(({ hook, reason }) => `; ${hook.name} was skipped (${reason})`).join('')

function formatRun(run: Run): string[] {
  const { hook, exit, outcome } = run
  const printed = exit.stdout.trim() === '' ? 'nothing' : toShortJson(exit.stdout.trim()).slice(1, -1)
  const failure = isFailed(run) && outcome.kind !== 'silent' ? `   ${outcome.failure!.message}` : ''
  const code = exit.code === null ? (exit.signal ?? 'no exit code') : `exit ${exit.code}`
  return [
    `    ${hook.name}   ${code}, ${Math.round(exit.durationMs)} ms${failure}`,
    // Unquoted: the response is JSON itself.
    `      ${printed.replaceAll('\\"', '"')}`,
  ]
}

const LAST_LINES = 20

const indent = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .slice(-LAST_LINES)
    .map(line => `    ${line}`)

/** The stack of the case, so that a test framework shows its line. */
function withStack(error: AssertionError, { origin }: CaseLocation): AssertionError {
  const frames = (origin.stack ?? '').split('\n').filter(line => /^\s+at /.test(line))
  error.stack = [`${error.name}: ${error.message}`, ...frames.slice(1)].join('\n')
  return error
}
