// holdfast add: enables a ready-made guard in the hooks.json of the project or of the user. init --undo removes it.

import { GUARDS, type Option } from '@holdfast/guards'
import { flag, type Given, oneOf } from '../arguments.js'
import type { Command } from '../command.js'
import { carryOut, journalFolder } from '../edit/journal.js'
import { addEntries, schemaAddress } from '../init/hooks-file.js'
import { levelOf } from '../init/level.js'
import { planJson, planText } from '../init/report.js'
import { trustAdded } from '../init/trust.js'
import { home, OUTPUT, root } from '../option-sections.js'
import { renderRows } from '../print/rows.js'
import { print, printJson } from '../print/terminal.js'
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
      title: 'Options of guards, in holdfast.json beside hooks.json',
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
  exitCodes: { 0: 'enabled, or enabled already', 1: 'nothing was written' },
  examples: [
    'holdfast add',
    'holdfast add shell --user',
    `holdfast explain shell "find . -name '*.log' -delete"`,
  ],
  run,
}

function textOf({ about, default: value }: Option): string {
  const shown = Array.isArray(value) ? value.join(', ') : String(value)
  return `${about} (default: ${shown === '' ? 'none' : shown})`
}

async function run(given: Given): Promise<number> {
  const workspace = workspaceOf(given)
  const { screen, home } = workspace
  const [name] = given.positionals
  if (name === undefined) {
    const all = GUARDS.map(({ name, summary }) => ({ name, summary }))
    if (given.has('json')) printJson({ guards: all })
    else {
      const rows = all.map(one => ({
        cells: [{ text: one.name, style: screen.bold }],
        text: { text: one.summary },
      }))
      print(
        `\n${renderRows(rows, [{}], screen.columns).join('\n')}\n\n  holdfast add shell   enable one for this project; --user for all of yours\n\n`,
      )
    }
    return 0
  }
  if (given.has('project') && given.has('user')) throw new UsageError('Give --project or --user, not both.')
  const entries = entriesOf(oneOf('guard', name, NAMES))
  const level = levelOf(given.has('user') ? 'user' : 'project', workspace)
  const hooks = await addEntries(level.hooksFile, entries, schemaAddress(level.hooksFile), workspace)
  const changes = hooks.change ? [hooks.change] : []
  const plan = { level, created: [], kept: [], hooks, changes }
  const isJson = given.has('json')
  if (!isJson) print(planText(plan, screen))
  if (changes.length === 0 || given.has('dry-run')) {
    if (isJson) printJson(planJson(plan, { written: false, trusted: 0 }))
    else if (given.has('dry-run')) print('  Nothing was written.\n\n')
    return 0
  }
  const stored = carryOut(
    journalFolder(home, level.folder),
    'init',
    changes,
    changes.map(({ path }) => path),
  )
  const trusted = await trustAdded(plan, stored, workspace)
  if (isJson) printJson(planJson(plan, { written: true, trusted }))
  else {
    const flag = level.name === 'user' ? ' --user' : ''
    print(
      `  ${screen.green('Enabled.')} ${name === 'shell' ? 'Show how it judges a command:\n\n  holdfast explain shell "rm -rf build"' : 'Its options are in .cursor/holdfast.json:\n\n  holdfast add --help'}\n  holdfast install claude-code   if the agent does not call these hooks yet\n  holdfast init${flag} --undo    undo this\n\n`,
    )
  }
  return 0
}
