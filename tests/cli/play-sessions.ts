// Plays sessions as tests. UPDATE_SESSIONS=1 records the output instead of comparing it.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canBeWarm, startWarm, type Warm } from '../warm/warm.js'
import { asExpected, difference } from './compare.js'
import { type Played, play, readSession, type SessionText } from './session.js'
import { FOLDER, type Group, sessionsOf, startsTheProgram } from './steps.js'

const bundle = fileURLToPath(new URL('../../packages/cli/dist/holdfast.cjs', import.meta.url))

export function playSessions(group: Group): void {
  let warm: Warm | undefined
  beforeAll(() => {
    expect(existsSync(bundle), 'Build first: node scripts/build.mjs').toBe(true)
    if (canBeWarm) warm = startWarm()
  })
  afterAll(() => warm?.close())

  describe('holdfast in a terminal', () => {
    it.each(sessionsOf(group))('%s', { timeout: 180_000 }, async name => {
      const path = `${FOLDER}${name}`
      const session = readSession(readFileSync(path, 'utf8'))
      const played = await play(session, step => (startsTheProgram(step) ? undefined : warm))
      if (process.env.UPDATE_SESSIONS) writeFileSync(path, asText(session, played))
      else expect(played.flatMap(problemsOf).join('\n\n')).toBe('')
    })
  })
}

function problemsOf({ command, output, exit, expected }: Played): string[] {
  const problems = [
    difference(output, expected.output),
    exit === expected.exit ? undefined : `expected exit ${expected.exit}, got ${exit}`,
  ].filter(problem => problem !== undefined)
  return problems.length > 0
    ? [`$ ${command}\n${problems.join('\n')}\n--- printed\n${output.join('\n')}`]
    : []
}

const asText = ({ comment, files }: SessionText, played: readonly Played[]): string =>
  [
    ...comment,
    ...played.flatMap(({ command, output, exit, expected }) => [
      `$ ${command.replaceAll('\n', '\n> ')}`,
      ...(difference(output, expected.output) === undefined && expected.output.length > 0
        ? expected.output
        : output.map(asExpected)),
      ...(exit === 0 ? [] : [`? ${exit}`]),
      '',
    ]),
    files,
  ].join('\n')
