// holdfast restore: writes a backup into the database of a team server.

import { type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { home, OUTPUT } from '../option-sections.js'
import { print, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { copying, DATABASE, databaseOf, needed, shownDatabase } from '../team/database.js'

export const command: Command = {
  name: 'restore',
  summary: 'Restore a backup of a team server into an empty database',
  description:
    'The backup is verified first. The database must not contain a team, because nothing is overwritten.',
  options: [
    {
      options: {
        from: value('FILE', 'a file that holdfast backup has written'),
        database: {
          ...DATABASE,
          summary: 'a new file or an empty postgres://user@host/name; also from HOLDFAST_DATABASE',
        },
        home,
      },
    },
    OUTPUT,
  ],
  exitCodes: { 0: 'restored', 1: 'nothing was written' },
  examples: [
    'holdfast restore --from team-backup.db --database team.db',
    'holdfast restore --from team-backup.db --database postgres://holdfast@db/holdfast',
  ],
  run,
}

async function run(given: Given): Promise<number> {
  const from = needed(given, 'restore', 'from', 'team-backup.db')
  const to = databaseOf(given)
  const { team, rows } = await copying('restoring', (server, onTable) =>
    server.restore({ from, to, onTable }),
  )
  const database = shownDatabase(to)
  if (given.has('json')) printJson({ team, rows, database })
  else {
    print(`\n  The team ${team} was restored to ${database}: ${count(rows, 'row')} from ${visible(from)}.\n`)
    print(`  Start it with --database ${database} and its previous secret. Devices reject releases with\n`)
    print('  numbers that they have seen: if there were any after this backup, rotate the release key with\n')
    print('  holdfast keys rotate --use release --new-epoch, then publish once.\n\n')
  }
  return 0
}
