// A team moves from one database to another, whole or not at all. The old one is held still meanwhile, and refuses to be
// served afterwards.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { sql } from 'kysely'
import { Complaint } from './complaint.js'
import { copyTeam, type OnTable } from './store/copy.js'
import { kindOf } from './store/kind.js'
import { MOVED } from './store/migrations.js'
import { openStore } from './store/open.js'

export interface Moving {
  readonly from: string
  readonly to: string
  readonly onTable?: OnTable | undefined
  readonly now?: (() => number) | undefined
}

export async function moveTeam({ from, to, onTable, now = Date.now }: Moving): Promise<{ rows: number }> {
  if (isFile(from) && !existsSync(from))
    throw new Complaint(`There is no database ${from}. Say with --database where the team is.`)
  if (isFile(from) && isFile(to) ? resolve(from) === resolve(to) : from === to)
    throw new Complaint('The old database is the new one. Give an empty one with --to.')
  const source = await openStore({ database: from, now, isPatient: true })
  try {
    const found = await source.db.selectFrom('team').select('id').executeTakeFirst()
    if (!found) throw new Complaint(`There is no team in ${isFile(from) ? from : 'the database'}.`)
    const target = await openStore({ database: to, now, isPatient: true })
    try {
      // Nobody writes to the old one from here on; what was acknowledged is in it.
      return await source.write(async old => {
        const rows = await target.write(fresh =>
          copyTeam(old, fresh, { from: kindOf(from), to: kindOf(to) }, onTable),
        )
        await old.insertInto('migrations').values({ id: MOVED, at: now() }).execute()
        // A server that still runs on it must not take anything more that nobody would ever see.
        for (const table of ['team', 'cursors', 'admin_head']) {
          await sql`alter table ${sql.table(table)} rename to ${sql.table(`moved_${table}`)}`.execute(old)
        }
        return { rows }
      })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

const isFile = (database: string): boolean => kindOf(database) === 'sqlite'
