// SQLite in one file. It has one writer at a time, so transactions that write declare it at their start: one that
// begins with a read could not wait for another writer.

import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type QueryResult,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  sql,
} from 'kysely'
import type Database from 'libsql'
import { alone } from './duties.js'
import { openFile } from './file.js'
import { migrate, mustBeKnown } from './migrations.js'
import type { OpenOptions, Store } from './open.js'
import type { Schema } from './schema.js'

/** How long a writer waits for another one. */
const PATIENCE_MS = 10_000

/** Waits for other writers without blocking this thread: the other writer may be in this process. */
class WaitingDriver extends SqliteDriver {
  readonly #database: Database.Database
  readonly #waiting: Int32Array
  constructor(database: Database.Database, waiting: Int32Array) {
    super({ database: database as unknown as SqliteDatabase })
    this.#database = database
    this.#waiting = waiting
  }
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    return {
      streamQuery: (query, size) => connection.streamQuery(query, size),
      executeQuery: <R>(query: CompiledQuery) => this.#execute<R>(query),
    }
  }

  async #execute<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    // Given a boolean, the library ends the process.
    const values = parameters.map(value => (typeof value === 'boolean' ? Number(value) : value))
    const until = Date.now() + PATIENCE_MS
    let statement: Database.Statement | null = null
    let isWaiting = false
    try {
      for (;;) {
        try {
          // The same statement object again would count as still running, and nothing could be committed meanwhile.
          statement ??= this.#database.prepare(sql)
          return resultOf<R>(statement, values)
        } catch (error) {
          if (!isBusy(error) || Date.now() > until) throw error
        }
        if (!isWaiting) Atomics.add(this.#waiting, 0, 1)
        isWaiting = true
        await new Promise(resolve => setTimeout(resolve, 2 + Math.random() * 10))
      }
    } finally {
      if (isWaiting) {
        Atomics.sub(this.#waiting, 0, 1)
        Atomics.notify(this.#waiting, 0)
      }
    }
  }
}

function resultOf<R>(statement: Database.Statement, values: unknown[]): QueryResult<R> {
  if (statement.reader) return { rows: statement.all(values) as R[] }
  const { changes, lastInsertRowid } = statement.run(values)
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && /^SQLITE_BUSY/.test(String((error as { code?: unknown }).code))

class WaitingDialect extends SqliteDialect {
  readonly #createDriver: () => WaitingDriver
  constructor(database: Database.Database, waiting: Int32Array) {
    super({ database: database as unknown as SqliteDatabase })
    this.#createDriver = () => new WaitingDriver(database, waiting)
  }
  override createDriver() {
    return this.#createDriver()
  }
}

export async function openSqlite({ database: file, now, isReadOnly = false }: OpenOptions): Promise<Store> {
  const database = openFile(file, isReadOnly)
  const waiting = new Int32Array(new SharedArrayBuffer(4))
  const db = new Kysely<Schema>({
    dialect: new WaitingDialect(database, waiting),
  })
  try {
    if (!isReadOnly) await migrate(db as never, 'sqlite', now())
    await mustBeKnown(db as never, `the database ${file}`)
  } catch (error) {
    database.close()
    throw error
  }
  return {
    kind: 'sqlite',
    database: file,
    waiting,
    db,
    write: work => db.transaction().execute(work),
    snapshot: work =>
      db.connection().execute(async connection => {
        await sql`begin`.execute(connection)
        try {
          return await work(connection)
        } finally {
          await sql`rollback`.execute(connection)
        }
      }),
    alone: (name, work) => alone({ kind: 'sqlite', db }, name, work),
    async close() {
      await db.destroy()
    },
  }
}
