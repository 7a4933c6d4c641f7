// holdfast schema --install: a copy of the schema beside hooks.json, and the settings that lead editors to it. The copy
// needs no network, and every editor with JSON Schema follows a $schema line.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Given } from '../arguments.js'
import type { Change } from '../edit/change.js'
import type { DiffLine } from '../edit/diff.js'
import { carryOut, journalFolder } from '../edit/journal.js'
import { changeRow, fileRows } from '../print/changes.js'
import { print, printJson, type Screen } from '../print/terminal.js'
import { undo } from '../undo.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'
import { copyChange } from './copy.js'
import { pointer } from './pointer.js'
import { settings } from './settings.js'

/** The bundle is CommonJS, and the schemas are beside it. */
declare const __dirname: string

export interface Piece {
  readonly file: string
  /** Undefined if the file is as wanted. */
  readonly change?: Change
  readonly diff?: readonly DiffLine[]
  /** Why the file stays as it is. */
  readonly note?: string
}

export async function installSchema(given: Given): Promise<number> {
  const [extra] = given.positionals
  if (extra !== undefined) throw new UsageError(`schema --install takes no argument. Remove "${extra}".`)
  const workspace = workspaceOf(given)
  const { home, roots, screen } = workspace
  const root = roots[0]!
  if (given.has('undo')) {
    if (given.has('install')) throw new UsageError('Give --install or --undo, not both.')
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
    ? '  Everything is up to date.'
    : isDry
      ? '  Nothing was written.'
      : [
          `  ${screen.green('Written.')} Undo: holdfast schema --undo`,
          '',
          '  VS Code, Cursor and similar editors read the settings. JetBrains, Zed, Neovim and others follow the',
          '  $schema line of hooks.json: "$schema": "./hooks.schema.json". None of this needs a network.',
        ].join('\n')
  return `\n  ${screen.bold('hooks.json for editors')}\n\n${fileRows(rows, screen).join('\n')}\n\n${end}\n\n`
}
