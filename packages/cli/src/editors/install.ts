// holdfast schema --install: a copy of the schema beside hooks.json, and the places that tell editors about it. The
// copy needs no network, and a $schema line is understood by every editor that reads JSON Schema.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Complaint } from '../complaint.js'
import type { Change } from '../edit/change.js'
import type { DiffLine } from '../edit/diff.js'
import { carryOut, journalFolder } from '../edit/journal.js'
import { noMore, parse, SCHEMA_OPTIONS } from '../options.js'
import { changeRow, fileRows } from '../print/changes.js'
import { print, printJson, type Screen } from '../print/terminal.js'
import { undo } from '../undo.js'
import { workspaceOf } from '../workspace.js'
import { copyChange } from './copy.js'
import { pointer } from './pointer.js'
import { settings } from './settings.js'

/** The bundle is CommonJS, and the schemas lie beside it. */
declare const __dirname: string

export interface Piece {
  readonly file: string
  /** Undefined when nothing is to be done. */
  readonly change?: Change
  readonly diff?: readonly DiffLine[]
  /** Why nothing is done. */
  readonly note?: string
}

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('schema', argv, SCHEMA_OPTIONS)
  noMore('schema --install', given.positionals, 0)
  const workspace = workspaceOf(given)
  const { home, roots, screen } = workspace
  const root = roots[0]!
  if (given.has('undo')) {
    if (given.has('install')) throw new Complaint('Give --install or --undo, not both.')
    return undo('schema', root, given, workspace)
  }
  const schema = readFileSync(join(__dirname, 'schema', 'hooks.schema.json'))
  const { $id } = JSON.parse(schema.toString('utf8')) as { $id: string }
  const pieces = [copyChange(root, schema, $id), settings(root), pointer(root, $id)]
  const changes = pieces.flatMap(({ change }) => change ?? [])
  const isDry = given.has('dry-run')
  if (!isDry && changes.length > 0) {
    const holders = changes.slice(pieces[0]!.change ? 1 : 0).map(({ path }) => path)
    carryOut(journalFolder(home, root), 'schema', changes, holders)
  }
  if (given.has('json')) {
    const files = pieces.map(({ file, change, note }) => ({
      path: file,
      action: change ? (change.before ? 'change' : 'create') : 'keep',
      note: note ?? null,
    }))
    printJson({ folder: root, written: !isDry && changes.length > 0, files })
  } else print(report(pieces, isDry, screen))
  return 0
}

function report(pieces: readonly Piece[], isDry: boolean, screen: Screen): string {
  const rows = pieces.map(({ file, change, diff, note = '' }) =>
    change ? changeRow(change, diff) : { word: 'keep', path: file, note },
  )
  const isDone = pieces.every(({ change }) => !change)
  const end = isDone
    ? '  Everything is there already.'
    : isDry
      ? '  Nothing was written.'
      : [
          `  ${screen.green('Written.')} Take it back: holdfast schema --undo`,
          '',
          '  VS Code, Cursor and their kin read the settings. JetBrains, Zed, Neovim and others follow the',
          '  $schema line of hooks.json: "$schema": "./hooks.schema.json". Nothing of it needs a network.',
        ].join('\n')
  return `\n  ${screen.bold('hooks.json for editors')}\n\n${fileRows(rows, screen).join('\n')}\n\n${end}\n\n`
}
