// PostgreSQL, for several servers on one database.

import { Kysely, PostgresDialect } from 'kysely'
import { UsageError } from '../usage-error.js'
import { alone } from './duties.js'
import { migrate, mustBeKnown } from './migrations.js'
import type { OpenOptions, Store } from './open.js'
import { openPool } from './pool.js'
import type { Schema } from './schema.js'

const POOL = 16
/** Below the total time of a failover, 30 s. */
const QUERY_MS = 15_000

export async function openPostgres({ database, now, isPatient, isReadOnly }: OpenOptions): Promise<Store> {
  const pool = openPool(database, { name: 'holdfast', max: POOL, queryMs: isPatient ? 0 : QUERY_MS })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  try {
    if (!isReadOnly) {
      // An index over many rows takes its time.
      const patient = openPool(database, { name: 'holdfast migrations', max: 1, queryMs: 0 })
      const migrating = new Kysely<never>({ dialect: new PostgresDialect({ pool: patient }) })
      await migrate(migrating, 'postgres', now()).finally(() => migrating.destroy())
    }
    await mustBeKnown(db as never, 'the database')
  } catch (error) {
    await db.destroy()
    if (error instanceof UsageError) throw error
    throw new UsageError(
      `The database cannot be used: ${(error as Error).message}. Check its address, and that it runs.`,
    )
  }
  return {
    kind: 'postgres',
    database,
    waiting: new Int32Array(new SharedArrayBuffer(4)),
    db,
    write: work => db.transaction().execute(work),
    snapshot: work =>
      db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work),
    alone: (name, work) => alone({ kind: 'postgres', db }, name, work),
    async close() {
      await db.destroy()
    },
  }
}
