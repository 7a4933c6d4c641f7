// holdfast backup: one file with all data of a team, while its server runs.

import type { Backup } from '@holdfast/server'
import { type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { home, OUTPUT } from '../option-sections.js'
import { print, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { copying, DATABASE, databaseOf, needed, shownDatabase } from '../team/database.js'

export const command: Command = {
  name: 'backup',
  summary: 'Back up a running team server to one file',
  description:
    "The file is a consistent, verified copy of hooks, releases, members, devices, records and the audit log. The database can be SQLite or PostgreSQL, and a backup can be restored to either. The backup does not contain the server's secret.",
  options: [
    {
      options: {
        to: value('FILE', 'the new file; an existing one is not overwritten'),
        database: DATABASE,
        home,
      },
    },
    OUTPUT,
  ],
  exitCodes: { 0: 'written', 1: 'nothing was written' },
  examples: [
    'holdfast backup --to team-backup.db',
    'holdfast backup --database postgres://holdfast@db/holdfast --to team-backup.db --json',
  ],
  run,
}

async function run(given: Given): Promise<number> {
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
