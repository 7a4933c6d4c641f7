// Which steps of the sessions start the real program in `npm test`. The others call the warm process.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cover } from '../cover.js'
import { runsEverything } from '../scope.js'
import { readSession, type Step } from './session.js'

export const FOLDER = fileURLToPath(new URL('./sessions/', import.meta.url))

/** One test file for each group, so that several workers share them. */
const GROUPS = {
  writing: /^(?:bridge|build|init|install|mcp|schema|trust)/,
  proving: /^(?:compat|doctor|replay|test)/,
  serving: /^(?:serve|ui)/,
  team: /^(?:audit|keys|login|team)/,
  running: /(?:)/,
} as const
export type Group = keyof typeof GROUPS

const ONLY_IN_ALL = [
  // Starts nine servers; tests/team/whole.test.ts moves a team, too.
  'serve-move.txt',
  // Further texts and places of commands that other sessions run.
  ...[
    'doctor-agents.txt',
    'doctor-hostile.txt',
    'doctor-notes.txt',
    'install-codex.txt',
    'observe.txt',
    'profiles.txt',
    'replay-bad-input.txt',
    'schema-install.txt',
    'test-outputs.txt',
    'test-places.txt',
  ],
  // packages/cli/src/test/read.test.ts covers every mistake.
  'test-mistakes.txt',
]

/** The sessions of this run. */
const NAMES = readdirSync(FOLDER)
  .filter(name => name.endsWith('.txt') && (runsEverything || !ONLY_IN_ALL.includes(name)))
  .sort()
const groupOf = (name: string) => (Object.keys(GROUPS) as Group[]).find(group => GROUPS[group].test(name))!

/** Names of the session files of a group. */
export const sessionsOf = (group: Group): string[] => NAMES.filter(name => groupOf(name) === group)

/**
 * Servers, followers and concurrent commands: the warm process runs one command at a time, to its end. In a folder
 * that was removed, the calling shell prints its own warnings; and the possible depth of nesting depends on the
 * stack.
 */
const NEEDS_A_PROCESS =
  /(?<![&>|])&(?![&0-9])|\bserving\b|\bholdfast\b[^;&]*\|[^;&]*\bholdfast\b|\| true\b|\brmdir\b|\bdeep\.|head -c 1$/m

/** How a step uses each command: its exit code, its input and its output. */
export function usesOf({ command, exit }: Step): string[] {
  const calls = [...command.matchAll(/(?<=^|[\s;(])holdfast(?: +(--?[a-z]+|[a-z]+))?([^;&|\n]*)/gi)]
  return calls.flatMap(({ 1: name = 'help', 2: rest = '', index }) => [
    name,
    ...(calls.length === 1 && !command.includes('|') ? [`${name} exits ${exit}`] : []),
    ...(/\|\s*$/.test(command.slice(0, index)) || rest.includes('<') ? [`${name} reads input`] : []),
    ...(command.slice(index).includes('|') ? ['output into a pipe'] : []),
    ...(rest.includes('>') ? ['output into a file'] : []),
    ...(/\bcd [^;&|]*&&\s*$/.test(command.slice(0, index)) ? ['another folder'] : []),
    ...[...command.matchAll(/\b([A-Z_]+)=/g)].map(([, variable]) => `with ${variable}`),
    ...(rest.includes('--json') ? ['--json'] : []),
    ...(/--(?:no-)?color/.test(rest) ? ['--color'] : []),
  ])
}

export const STEPS: readonly Step[] = NAMES.flatMap(
  name => readSession(readFileSync(`${FOLDER}${name}`, 'utf8')).steps,
)
const keyOf = ({ command, exit, output }: Step) => JSON.stringify([command, exit, output])

/** Steps that need a process, and a few others so that every use runs with the real program. */
const real = new Set(
  [
    ...cover(
      STEPS,
      usesOf,
      STEPS.filter(({ command }) => NEEDS_A_PROCESS.test(command)),
    ),
  ].map(keyOf),
)

export const startsTheProgram = (step: Step): boolean => real.has(keyOf(step))
