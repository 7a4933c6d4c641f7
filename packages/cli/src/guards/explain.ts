// holdfast explain shell "<command>": what the shell guard reads in a command and decides. Nothing is started.

import { evaluateCommand, readCommand, type Topic } from '@holdfast/guards/shell'
import type { Given } from '../arguments.js'
import type { Command } from '../command.js'
import { OUTPUT, WORKSPACE } from '../option-sections.js'
import { type Row, renderRows } from '../print/rows.js'
import { print, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'
import { optionsFile, readGuardOptions } from './options.js'

export const explainShell: Command = {
  name: 'shell',
  summary: 'Show how the shell guard reads a command, and what it decides',
  arguments: [{ name: 'command', summary: 'in quotes' }],
  options: [WORKSPACE, OUTPUT],
  exitCodes: { 0: 'explained', 1: 'the call is wrong' },
  examples: ['holdfast explain shell "sudo rm -rf /var/log"'],
  run,
}

async function run(given: Given): Promise<number> {
  const [command] = given.positionals
  if (command === undefined)
    throw new UsageError('explain shell needs one command, in quotes: holdfast explain shell "rm -rf build"')
  const { roots, home, screen } = workspaceOf(given)
  const root = roots[0] ?? home
  const { options, strength } = readGuardOptions(optionsFile(root), 'shell')
  const topics = options.topics as readonly Topic[] | undefined
  const place = { cwd: root, home }
  const { calls } = readCommand(command, place)
  const began = performance.now()
  const verdict = evaluateCommand(command, { ...place, root, ...(topics ? { topics } : {}) })
  const milliseconds = Math.max(1, Math.round(performance.now() - began))
  const programs = calls.map(({ name, args, cwd, isRemote }) => ({
    program: name,
    args: args.map(({ text, isKnown }) => (isKnown ? text : text.replaceAll('\0', '…'))),
    cwd: cwd ?? null,
    remote: isRemote,
  }))
  if (given.has('json')) {
    printJson({ command, ...verdict, strength, programs, milliseconds })
    return 0
  }
  const { bold, dim, red, amber, green } = screen
  const colors = { deny: red, ask: amber, none: green }
  const rows = (all: readonly Row[]) => renderRows(all, [{ share: 0.3 }], screen.columns).join('\n')
  const blocks = [
    `  ${bold('programs that it would start')}`,
    rows(
      programs.map(({ program, args, remote }) => ({
        cells: [{ text: visible(program || '…') }],
        text: { text: visible(args.join(' ')) + (remote ? '   (elsewhere)' : ''), style: dim },
      })),
    ),
    ...(verdict.unknown.length > 0
      ? [`  ${bold('not understood')}`, ...verdict.unknown.map(text => `  ${amber(text)}`)]
      : []),
    ...(verdict.findings.length > 0
      ? [
          `  ${bold('rules that matched')}`,
          rows(
            verdict.findings.map(({ rule, decision, reason, instead }) => ({
              cells: [{ text: rule, style: colors[decision] }],
              text: { text: reason },
              below: instead ? [{ text: `instead: ${instead}`, style: dim }] : [],
            })),
          ),
        ]
      : []),
    `  ${colors[verdict.decision](verdict.decision === 'none' ? 'no objection' : verdict.decision)} ${dim(`in ${milliseconds} ms`)}`,
  ]
  print(`\n${blocks.filter(block => block !== '').join('\n')}\n\n`)
  return 0
}
