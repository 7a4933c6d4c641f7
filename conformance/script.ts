// One hook of a case as a shell script that prints the recorded bytes and ends as recorded.

import type { Case, CaseExit, CaseHook } from './case.js'
import { bytesOf } from './load.js'

export const recordingOf = (exit: CaseExit): { out: Buffer; err: Buffer } => ({
  out: bytesOf(exit.stdout, exit.stdout_base64),
  err: bytesOf(exit.stderr),
})

/** Longer than it takes to start a second script, also on a busy machine. */
const OVERLAP_S = 0.4

export function scriptText(one: Case, hook: CaseHook, at: number, folder: string): string {
  const lines = ['#!/bin/sh', `R='${folder}'`]
  const wanted = one.expect.hooks?.[at]
  if (wanted?.payload || wanted?.payload_lacks) lines.push('cat > "$R/in"')
  if (wanted?.env) lines.push('env > "$R/env"')
  if (wanted?.cwd) lines.push('pwd -P > "$R/cwd"')
  if (one.expect.at_once !== undefined) {
    // A script that sees the mark of another one ran at the same time.
    lines.push('mkdir "$R/../running-$$"', 'ls "$R/.." | grep -c running- > "$R/beside"')
    lines.push(`sleep ${OVERLAP_S}`, 'rmdir "$R/../running-$$"')
  }
  const ends = [hook.exit ?? {}, ...(hook.again ?? [])]
  // Each run except the last recorded one leaves a mark for the next one.
  ends.forEach((exit, nth) => {
    if (nth < ends.length - 1) lines.push(`if mkdir "$R/ran-${nth}" 2>/dev/null; then`)
    lines.push(...printing(exit, nth), ...ending(exit))
    if (nth < ends.length - 1) lines.push('fi')
  })
  return `${lines.join('\n')}\n`
}

/** The files with the output of the nth run. */
export const outFile = (nth: number): string => `out-${nth}`
export const errFile = (nth: number): string => `err-${nth}`

function printing(exit: CaseExit, nth: number): string[] {
  const { out, err } = recordingOf(exit)
  return [
    ...(exit.takes === undefined ? [] : [`sleep ${exit.takes}`]),
    ...(out.length > 0 ? [`cat "$R/${outFile(nth)}"`] : []),
    ...(err.length > 0 ? [`cat "$R/${errFile(nth)}" >&2`] : []),
  ]
}

function ending(exit: CaseExit): string[] {
  // It never ends by itself, but ends with the folder of the case.
  if (exit.timeout) return ['while [ -e "$R" ]; do sleep 0.2; done']
  if (exit.overflow === 'stdout') return [`head -c 3000000 /dev/zero | tr '\\0' 'x'`]
  if (exit.overflow === 'stderr') return [`head -c 300000 /dev/zero | tr '\\0' 'x' >&2`]
  if (exit.signal) return [`kill -${exit.signal} $$`, 'sleep 5']
  return [`exit ${exit.code ?? 0}`]
}
