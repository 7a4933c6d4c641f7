// What is said when a case is not as expected: what was, who said what, and where the case stands.

import { AssertionError } from 'node:assert'
import type { Run } from '../protocol/run.js'
import { isFailed } from './decision.js'
import type { Mismatch } from './expected.js'
import type { Result } from './fire.js'
import { inJson } from './text.js'

export interface About {
  readonly event: string
  readonly target: string
  readonly profile: string
  /** Made where the case was written. */
  readonly from: Error
}

export type Reason =
  | { readonly reason: string }
  | { readonly mismatches: readonly Mismatch[]; readonly result: Result }

export function complaint(about: About, why: Reason): AssertionError {
  const version = about.profile === 'holdfast' ? '' : ` in ${about.profile}`
  const head = `${about.event} at ${about.target}${version}`
  if ('reason' in why) return placed(new AssertionError({ message: `${head}: ${why.reason}` }), about)
  const { mismatches, result } = why
  const message = [
    `${head} is not as expected.`,
    ...mismatches.flatMap(({ what, expected, got }) => [
      '',
      `  ${what}`,
      `    expected  ${expected}`,
      `    got       ${got}`,
    ]),
    '',
    ...(result.runs.length > 0 ? ['  what the hooks said', ...result.runs.flatMap(runLines)] : []),
    ...(result.runs.length === 0 ? [`  no hook ran${skippedWords(result)}`] : []),
    ...(result.stderr.trim() === '' ? [] : ['  stderr', ...indented(result.stderr)]),
  ].join('\n')
  const of = (pick: 'expected' | 'got') =>
    Object.fromEntries(mismatches.map(mismatch => [mismatch.what, mismatch[pick]]))
  return placed(new AssertionError({ message, expected: of('expected'), actual: of('got') }), about)
}

const skippedWords = ({ skipped }: Result) =>
  skipped.map(({ hook, reason }) => `; ${hook.name} was skipped (${reason})`).join('')

function runLines(run: Run): string[] {
  const { hook, exit, outcome } = run
  const said = exit.stdout.trim() === '' ? 'nothing' : inJson(exit.stdout.trim()).slice(1, -1)
  const failure = isFailed(run) && outcome.kind !== 'silent' ? `   ${outcome.failure!.message}` : ''
  const code = exit.code === null ? (exit.signal ?? 'no exit code') : `exit ${exit.code}`
  return [
    `    ${hook.name}   ${code}, ${Math.round(exit.durationMs)} ms${failure}`,
    `      ${unquoted(said)}`,
  ]
}

/** JSON inside JSON is hard to read; what is on one line needs no second quoting. */
const unquoted = (text: string) => text.replaceAll('\\"', '"')

const LAST_LINES = 20

const indented = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .slice(-LAST_LINES)
    .map(line => `    ${line}`)

/** A test framework shows the line of the case, not ours. */
function placed(error: AssertionError, { from }: About): AssertionError {
  const frames = (from.stack ?? '').split('\n').filter(line => /^\s+at /.test(line))
  error.stack = [`${error.name}: ${error.message}`, ...frames.slice(1)].join('\n')
  return error
}
