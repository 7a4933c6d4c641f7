// Moves a team from one database to another, completely or not at all. The old one is locked meanwhile, and marked as
// moved afterwards.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { copyTeam, markMoved, type OnTable } from './store/copy.js'
import { kindOf } from './store/kind.js'
import { openStore } from './store/open.js'
import { findTeam } from './store/team.js'
import { UsageError } from './usage-error.js'

export interface Moving {
  readonly from: string
  readonly to: string
  readonly onTable?: OnTable | undefined
  readonly now?: (() => number) | undefined
}

export async function moveTeam({ from, to, onTable, now = Date.now }: Moving): Promise<{ rows: number }> {
  if (isFile(from) && !existsSync(from))
    throw new UsageError(`There is no database ${from}. Give the database of the team with --database.`)
  if (isFile(from) && isFile(to) ? resolve(from) === resolve(to) : from === to)
    throw new UsageError('The old database is the new one. Give an empty one with --to.')
  const source = await openStore({ database: from, now, isPatient: true })
  try {
    const found = await findTeam(source.db)
    if (!found) throw new UsageError(`There is no team in ${isFile(from) ? from : 'the database'}.`)
    const target = await openStore({ database: to, now, isPatient: true })
    try {
      // No writes to the old database from here on; it contains everything that was acknowledged.
      return await source.write(async old => {
        const rows = await target.write(fresh =>
          copyTeam(old, fresh, { from: kindOf(from), to: kindOf(to) }, onTable),
        )
        await markMoved(old, now())
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
