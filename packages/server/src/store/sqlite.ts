// SQLite in one file. It has one writer at a time, so transactions that write say so at their start: one that begins
// reading and then wants to write could not wait for another.

import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type QueryResult,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from 'kysely'
import Database from 'libsql'
import { Complaint } from '../complaint.js'
import { migrate, mustBeKnown } from './migrations.js'
import type { OpenOptions, Store } from './open.js'
import type { Schema } from './schema.js'

/** How long a writer waits for another one. */
const PATIENCE_MS = 10_000
/** How long of that in one piece, during which nothing else happens in this process. */
const STANDSTILL_MS = 20

/**
 * Waits for other writers without holding up this thread: the one that it waits for may be in this very process.
 *
 * Only the beginning of a transaction ever waits, and it is always the same statement: the library leaves one that was
 * refused "in progress" until it is run again, and while one is, nothing can be committed.
 */
class WaitingDriver extends SqliteDriver {
  readonly #waiting: Int32Array
  readonly #begin: SqliteStatement
  #isWriting = false
  constructor(database: SqliteDatabase, waiting: Int32Array) {
    super({ database })
    this.#waiting = waiting
    this.#begin = database.prepare('begin immediate')
  }

  override async beginTransaction(): Promise<void> {
    await this.#beginWhenFree()
    this.#isWriting = true
  }
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection)
    this.#isWriting = false
  }
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection)
    this.#isWriting = false
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    return {
      streamQuery: (query, size) => connection.streamQuery(query, size),
      executeQuery: async <R>(asked: CompiledQuery): Promise<QueryResult<R>> => {
        // Given a boolean, the library ends the whole process.
        const parameters = asked.parameters.map(value => (typeof value === 'boolean' ? Number(value) : value))
        const query = { ...asked, parameters }
        if (this.#isWriting || !isWrite(query)) return connection.executeQuery<R>(query)
        await this.beginTransaction()
        try {
          const result = await connection.executeQuery<R>(query)
          await this.commitTransaction(connection)
          return result
        } catch (error) {
          await this.rollbackTransaction(connection)
          throw error
        }
      },
    }
  }

  async #beginWhenFree(): Promise<void> {
    const until = Date.now() + PATIENCE_MS
    let isWaiting = false
    try {
      for (;;) {
        try {
          this.#begin.run([])
          return
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

/** Everything but reading, and but what is about transactions themselves. */
const isWrite = ({ sql }: CompiledQuery): boolean =>
  !/^\s*(select|pragma|explain|begin|commit|rollback|savepoint|release)\b/i.test(sql) &&
  (!/^\s*with\b/i.test(sql) || /\b(insert|update|delete)\b/i.test(sql))

const isBusy = (error: unknown): boolean =>
  error instanceof Error && /^SQLITE_BUSY/.test(String((error as { code?: unknown }).code))

class WaitingDialect extends SqliteDialect {
  readonly #createDriver: () => WaitingDriver
  constructor(database: SqliteDatabase, waiting: Int32Array) {
    super({ database })
    this.#createDriver = () => new WaitingDriver(database, waiting)
  }
  override createDriver() {
    return this.#createDriver()
  }
}

export function openFile(file: string): Database.Database {
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const database = new Database(file)
    database.pragma(`busy_timeout = ${STANDSTILL_MS}`)
    database.pragma('journal_mode = WAL')
    // What was acknowledged must be there after a power cut, too.
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    if (file !== ':memory:') chmodSync(file, 0o600)
    return database
  } catch (error) {
    throw new Complaint(`The database ${file} cannot be opened: ${(error as Error).message}.`)
  }
}

export async function openSqlite({ database: file, now }: OpenOptions): Promise<Store> {
  const database = openFile(file)
  const waiting = new Int32Array(new SharedArrayBuffer(4))
  const db = new Kysely<Schema>({
    dialect: new WaitingDialect(database as unknown as SqliteDatabase, waiting),
  })
  try {
    await migrate(db as never, 'sqlite', now())
    await mustBeKnown(db as never, `The database ${file}`)
  } catch (error) {
    database.close()
    throw error
  }
  const held = new Set<string>()
  return {
    kind: 'sqlite',
    database: file,
    waiting,
    db,
    write: work => db.transaction().execute(work),
    async alone(name, work) {
      if (held.has(name)) return null
      held.add(name)
      try {
        return await work()
      } finally {
        held.delete(name)
      }
    },
    async close() {
      await db.destroy()
    },
  }
}
