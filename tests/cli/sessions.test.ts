// Plays every session of sessions/. UPDATE_SESSIONS=1 writes down what was printed instead of comparing it.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { asExpected, difference } from './compare.js'
import { type Played, play, readSession, type SessionText } from './session.js'

const folder = fileURLToPath(new URL('./sessions/', import.meta.url))
const bundle = fileURLToPath(new URL('../../packages/cli/dist/holdfast.cjs', import.meta.url))
const names = readdirSync(folder).filter(name => name.endsWith('.txt'))

describe.concurrent('holdfast in a terminal', () => {
  it.each(names)('%s', { timeout: 180_000 }, async name => {
    expect(existsSync(bundle), 'Build first: node scripts/build.mjs').toBe(true)
    const path = `${folder}${name}`
    const session = readSession(readFileSync(path, 'utf8'))
    const played = await play(session)
    if (process.env.UPDATE_SESSIONS) writeFileSync(path, asText(session, played))
    else expect(played.flatMap(problemsOf).join('\n\n')).toBe('')
  })
})

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
