// holdfast backup: one file with everything of a team, while its server works.

import type { Backup } from '@holdfast/server'
import { showHelp } from '../load.js'
import { noMore, OUTPUT, parse } from '../options.js'
import { print, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { copying, databaseOf, needed, shownDatabase } from '../team/database.js'

const OPTIONS = { ...OUTPUT, database: 'value', to: 'value', home: 'value' } as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('backup', argv, OPTIONS)
  if (given.has('help')) return showHelp('backup')
  noMore('backup', given.positionals, 0)
  const to = needed(given, 'backup', 'to', 'team-backup.db')
  const from = databaseOf(given)
  const made = await copying('saving', (server, onTable) => server.backUp({ from, to, onTable }))
  if (given.has('json')) printJson({ file: to, ...made })
  else print(textOf(made, to, shownDatabase(from)))
  return 0
}

const textOf = ({ team, rows, bytes, sha256 }: Backup, to: string, from: string): string => `
  The team ${team} of ${from} is in ${visible(to)}: ${count(rows, 'row')}, ${bytes} bytes.
  Every page of the file and every admin action were verified.

    SHA-256  ${sha256}

  The backup is as confidential as the database. It does not contain the secret of the server: keep that
  elsewhere, as nothing can be signed without it.

`
