// holdfast restore: a backup becomes the database of a team server.

import { showHelp } from '../load.js'
import { noMore, OUTPUT, parse } from '../options.js'
import { print, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { copying, databaseOf, needed, shownDatabase } from '../team/database.js'

const OPTIONS = { ...OUTPUT, database: 'value', from: 'value', home: 'value' } as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('restore', argv, OPTIONS)
  if (given.has('help')) return showHelp('restore')
  noMore('restore', given.positionals, 0)
  const from = needed(given, 'restore', 'from', 'team-backup.db')
  const to = databaseOf(given)
  const { team, rows } = await copying('restoring', (server, onTable) =>
    server.restore({ from, to, onTable }),
  )
  const database = shownDatabase(to)
  if (given.has('json')) printJson({ team, rows, database })
  else {
    print(`\n  The team ${team} is in ${database}, with ${count(rows, 'row')} of ${visible(from)}.\n`)
    print(`  Start it with --database ${database} and the secret that it had. Devices reject releases with\n`)
    print('  numbers that they have seen: if there were any after this backup, rotate the release key with\n')
    print('  holdfast keys rotate --use release --new-epoch, and publish once.\n\n')
  }
  return 0
}
