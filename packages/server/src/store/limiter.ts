// The table of rate limits, for the library that writes it.

import { CompiledQuery } from 'kysely'
import type { Store } from './open.js'

/**
 * The library expects a client of PostgreSQL. Its statements also work in SQLite, except for the numbering of
 * parameters.
 */
export const limiterClient = ({ kind, db }: Pick<Store, 'kind' | 'db'>) => ({
  async query({ text, values = [] }: { text: string; values?: unknown[] }) {
    const statement = kind === 'sqlite' ? text.replaceAll(/\$(\d)/g, '?$1') : text
    const { rows, numAffectedRows } = await db.executeQuery(CompiledQuery.raw(statement, values))
    return { rows, rowCount: rows.length || Number(numAffectedRows ?? 0) }
  },
})
