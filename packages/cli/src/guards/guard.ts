// holdfast guard shell: the hook that `holdfast add shell` configures. Reads a payload on stdin and prints a response. It
// exits with 2, which denies, if it cannot judge.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { evaluateCommand, type ShellVerdict } from '@holdfast/guards/shell'
import { Complaint } from '../complaint.js'
import { showHelp } from '../load.js'
import { known, noMore, parse } from '../options.js'
import { print, printError } from '../print/terminal.js'
import { optionsFile, readShellOptions, type ShellGuardOptions } from './options.js'

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('guard', argv, { home: 'value', help: 'flag' })
  if (given.has('help')) return showHelp('guard')
  noMore('guard', given.positionals, 1)
  if (given.positionals.length === 0) throw new Complaint('guard needs a name: shell.')
  known('guard', given.positionals[0]!, ['shell'])
  try {
    const payload: unknown = JSON.parse(readFileSync(0, 'utf8').replace(/^\ufeff/, ''))
    const options = readShellOptions(optionsFile(process.cwd()))
    print(`${JSON.stringify(responseTo(payload, options, given.value('home') ?? homedir()))}\n`)
    return 0
  } catch (error) {
    printError(`holdfast guard shell: It could not judge the command: ${(error as Error).message}\n`)
    return 2
  }
}

export function responseTo(payload: unknown, options: ShellGuardOptions, home: string): object {
  const { command, cwd, workspace_roots: roots } = (payload ?? {}) as Record<string, unknown>
  if (typeof command !== 'string') throw new Error('the payload has no command.')
  const root = Array.isArray(roots) && typeof roots[0] === 'string' ? roots[0] : process.cwd()
  const folder = typeof cwd === 'string' && cwd.startsWith('/') ? cwd : root
  const { topics, strength } = options
  const verdict = evaluateCommand(command, { cwd: folder, root, home, ...(topics ? { topics } : {}) })
  if (verdict.decision === 'none') return {}
  if (strength === 'audit') {
    printError(`${textFor(verdict)}\n`)
    return {}
  }
  const permission = strength === 'ask' ? 'ask' : verdict.decision
  return {
    permission,
    user_message: textFor(verdict),
    agent_message: `${textFor(verdict)}${insteadOf(verdict)}`,
  }
}

const textFor = ({ findings, unknown }: ShellVerdict): string =>
  findings.length > 0
    ? findings.map(({ reason, rule }) => `${reason} (${rule})`).join(' ')
    : `The command is not fully understood: ${unknown.join('; ')}.`

const insteadOf = ({ findings }: ShellVerdict): string => {
  const ways = [...new Set(findings.flatMap(({ instead }) => instead ?? []))]
  return ways.length > 0 ? ` Instead: ${ways.join(' ')}` : ''
}
