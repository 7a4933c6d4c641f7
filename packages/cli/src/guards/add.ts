// holdfast add: enables a ready-made guard in the hooks.json of the project or of the user. --undo removes it again.

import { GUARDS, type Option } from '@holdfast/guards'
import { flag, type Given, oneOf } from '../arguments.js'
import type { Command } from '../command.js'
import { carryOut, journalFolder } from '../edit/journal.js'
import { addEntries, schemaAddress } from '../init/hooks-file.js'
import { type LevelName, levelOf } from '../init/level.js'
import { planJson, planText } from '../init/report.js'
import { trustAdded, trustedHooks } from '../init/trust.js'
import { home, OUTPUT, root } from '../option-sections.js'
import { renderRows } from '../print/rows.js'
import { print, printJson, type Screen } from '../print/terminal.js'
import { undo } from '../undo.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'
import { entriesOf } from './entries.js'

const NAMES = GUARDS.map(({ name }) => name)

export const command: Command = {
  name: 'add',
  summary: 'Enable a ready-made guard',
  arguments: [
    {
      name: 'guard',
      summary: `${NAMES.join(', ')} (default: list the guards)`,
      isOptional: true,
      values: NAMES,
    },
  ],
  options: [
    {
      options: {
        project: flag('in the hooks.json of this project (default)'),
        user: flag('in your own hooks.json, for all projects'),
        'dry-run': flag('show the changes and write nothing'),
        undo: flag('undo the last add, byte for byte'),
        root,
        home,
      },
    },
    OUTPUT,
  ],
  sections: [
    {
      title: 'Guards',
      rows: GUARDS.map(({ name, summary }) => [name, summary]),
    },
    {
      title: 'Options of the guards',
      text: 'Set them in holdfast.json beside hooks.json, for example:',
      code: '{ "guards": { "shell": { "strength": "deny", "topics": ["files", "git", "kubernetes"] } } }',
      rows: [
        ['strength', 'deny, ask, or audit, which only reports (every guard)'],
        ...GUARDS.flatMap(({ name, options }) =>
          Object.entries(options).map(([key, option]): [string, string] => [
            `${name}.${key}`,
            textOf(option),
          ]),
        ),
      ],
    },
  ],
  exitCodes: { 0: 'enabled, or already enabled', 1: 'nothing was written' },
  examples: [
    'holdfast add',
    'holdfast add shell --user',
    'holdfast add --undo',
    `holdfast explain shell "find . -name '*.log' -delete"`,
  ],
  run,
}

function textOf({ about, default: value }: Option): string {
  const shown = Array.isArray(value) ? value.join(', ') : String(value)
  return shown === '' ? about : `${about} (default: ${shown})`
}

async function run(given: Given): Promise<number> {
  const workspace = workspaceOf(given)
  const { screen, home } = workspace
  const [name] = given.positionals
  if (given.has('project') && given.has('user')) throw new UsageError('Give --project or --user, not both.')
  const levelName = given.has('user') ? 'user' : 'project'
  if (given.has('undo')) {
    if (name !== undefined) throw new UsageError('--undo undoes the last add and takes no guard.')
    return undo('add', levelOf(levelName, workspace).folder, given, workspace)
  }
  const isJson = given.has('json')
  if (name === undefined) {
    const all = GUARDS.map(({ name, summary }) => ({ name, summary }))
    if (isJson) printJson({ guards: all })
    else print(listText(all, screen))
    return 0
  }
  const entries = entriesOf(oneOf('guard', name, NAMES))
  const level = levelOf(levelName, workspace)
  const hooks = await addEntries(level.hooksFile, entries, schemaAddress(level.hooksFile), workspace)
  const changes = hooks.change ? [hooks.change] : []
  const plan = { level, created: [], kept: [], hooks, changes }
  if (!isJson) print(planText(plan, screen))
  if (changes.length === 0 || given.has('dry-run')) {
    if (isJson) printJson(planJson(plan, { written: false, trusted: 0 }))
    else if (given.has('dry-run')) print('  Nothing was written.\n\n')
    return 0
  }
  const before = await trustedHooks(plan, workspace)
  const stored = carryOut(
    journalFolder(home, level.folder),
    'add',
    changes,
    changes.map(({ path }) => path),
  )
  const trusted = await trustAdded(plan, before, stored, workspace)
  if (isJson) printJson(planJson(plan, { written: true, trusted }))
  else print(enabledText(name, levelName, screen))
  return 0
}

function listText(guards: readonly { name: string; summary: string }[], screen: Screen): string {
  const rows = guards.map(one => ({
    cells: [{ text: one.name, style: screen.bold }],
    text: { text: one.summary },
  }))
  const all = renderRows(rows, [{}], screen.columns).join('\n')
  return `\n${all}\n\n  Enable one in this project: holdfast add shell. In all your projects: add --user.\n\n`
}

function enabledText(name: string, level: LevelName, screen: Screen): string {
  const next = [
    name === 'shell'
      ? ['holdfast explain shell "rm -rf build"', 'show how the guard judges a command']
      : ['holdfast add --help', 'list its options, which are in .cursor/holdfast.json'],
    ['holdfast install claude-code', 'connect your agent, if you have not yet'],
    [`holdfast add${level === 'user' ? ' --user' : ''} --undo`, 'undo this'],
  ] as const
  const rows = next.map(([command, does]) => ({
    cells: [{ text: command }],
    text: { text: does, style: screen.dim },
  }))
  return `  ${screen.green('Enabled.')}\n\n${renderRows(rows, [{}], screen.columns).join('\n')}\n\n`
}
