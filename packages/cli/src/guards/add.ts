// holdfast add: switches a ready guard on, in the hooks.json of the project or of the user. Taken back with init --undo.

import { Complaint } from '../complaint.js'
import { carryOut, journalFolder } from '../edit/journal.js'
import { addEntries, schemaAddress } from '../init/hooks-file.js'
import { levelOf } from '../init/level.js'
import { planJson, planText } from '../init/report.js'
import { trustAdded } from '../init/trust.js'
import { showHelp } from '../load.js'
import { known, noMore, OUTPUT, parse } from '../options.js'
import { renderRows } from '../print/rows.js'
import { print, printJson } from '../print/terminal.js'
import { workspaceOf } from '../workspace.js'

const GUARDS = {
  shell: {
    summary: 'destructive shell commands, code from the network, and commands that leak secrets',
    entries: [
      {
        event: 'beforeShellExecution',
        entry: { command: 'holdfast guard shell', failClosed: true, timeout: 10 },
      },
    ],
  },
} as const

const OPTIONS = {
  project: 'flag',
  user: 'flag',
  'dry-run': 'flag',
  root: 'value',
  home: 'value',
  ...OUTPUT,
} as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('add', argv, OPTIONS)
  if (given.has('help')) return showHelp('add')
  noMore('add', given.positionals, 1)
  const workspace = workspaceOf(given)
  const { screen, home } = workspace
  const [name] = given.positionals
  if (name === undefined) {
    const all = Object.entries(GUARDS).map(([guard, { summary }]) => ({ name: guard, summary }))
    if (given.has('json')) printJson({ guards: all })
    else {
      const rows = all.map(one => ({
        cells: [{ text: one.name, style: screen.bold }],
        text: { text: one.summary },
      }))
      print(
        `\n${renderRows(rows, [{}], screen.columns).join('\n')}\n\n  holdfast add shell   switch one on, for this project; --user for all of yours\n\n`,
      )
    }
    return 0
  }
  if (given.has('project') && given.has('user')) throw new Complaint('Give --project or --user, not both.')
  const { entries } = GUARDS[known('guard', name, Object.keys(GUARDS)) as keyof typeof GUARDS]
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
      `  ${screen.green('On.')} See what it reads in a command, and decides:\n\n  holdfast explain shell "rm -rf build"\n  holdfast install claude-code   if the agent does not call these hooks yet\n  holdfast init${flag} --undo    take it back\n\n`,
    )
  }
  return 0
}
