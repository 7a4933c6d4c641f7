// A second connection for queries only, with a time limit: PostgreSQL cancels what takes too long, and a file is read
// in a thread of its own, because reading blocks the thread that reads.

import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { RequestError } from '../request-error.js'
import type { Db, Store } from './open.js'
import { openPool } from './pool.js'
import type { Schema } from './schema.js'
import { openThread, type Thread } from './thread.js'

const LONGEST_MS = 10_000

export interface Reader {
  readonly db: Db
  close(): Promise<void>
}

export interface ReaderQuery {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export const openReader = ({ kind, database }: Store, longestMs = LONGEST_MS): Reader =>
  kind === 'postgres' ? readPostgres(database, longestMs) : readFile(database, longestMs)

const tooLong = (): RequestError =>
  new RequestError(
    'too-much',
    'This query took too long and was cancelled. Choose a shorter time range, or filter by device, hook or conversation.',
  )

const CANCELLED = '57014'

function readPostgres(database: string, longestMs: number): Reader {
  const pool = openPool(database, { name: 'holdfast reader', max: 6, queryMs: longestMs + ANSWER_MS })
  const dialect = new PostgresDialect({ pool })
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => new LimitingDriver({ pool }, longestMs),
      createIntrospector: given => dialect.createIntrospector(given),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    },
  })
  return { db, close: () => db.destroy() }
}

/** Added for the network. */
const ANSWER_MS = 5000

/** Each query in a transaction with its limit: a limit of the session would remain in a pooler. */
class LimitingDriver extends PostgresDriver {
  readonly #begin: CompiledQuery
  readonly #unlimited = new WeakMap<DatabaseConnection, DatabaseConnection>()
  constructor(config: PostgresDialectConfig, longestMs: number) {
    super(config)
    // For a query over many partitions, compilation would take longer than the query.
    this.#begin = CompiledQuery.raw(
      `begin read only; set local statement_timeout = ${longestMs}; set local jit = off`,
    )
  }
  override async acquireConnection(): Promise<never> {
    const connection: DatabaseConnection = await super.acquireConnection()
    const limited: DatabaseConnection = {
      executeQuery: async <R>(query: CompiledQuery) => {
        await connection.executeQuery(this.#begin)
        try {
          const result = await connection.executeQuery<R>(query)
          await connection.executeQuery(CompiledQuery.raw('commit'))
          return result
        } catch (error) {
          await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => {})
          throw error
        }
      },
      streamQuery() {
        throw new Error('Only page queries are supported.')
      },
    }
    this.#unlimited.set(limited, connection)
    return limited as never
  }
  override async releaseConnection(limited: DatabaseConnection) {
    await super.releaseConnection(this.#unlimited.get(limited) as never)
  }
}

/** PostgreSQL's error for a cancelled query, as our own. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw (error as { code?: unknown }).code === CANCELLED ? tooLong() : error
  }
}

function readFile(file: string, longestMs: number): Reader {
  const driver = new ThreadDriver(() => openThread<ReaderQuery>('records-reader', { file }), longestMs)
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: given => new SqliteIntrospector(given),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  return { db, close: () => driver.destroy() }
}

/** One query after the other. After a timeout the thread is abandoned and ends when its query is done. */
class ThreadDriver implements Driver, DatabaseConnection {
  #thread: Thread<ReaderQuery> | null = null
  #last: Promise<unknown> = Promise.resolve()
  readonly #open: () => Thread<ReaderQuery>
  readonly #longestMs: number
  constructor(open: () => Thread<ReaderQuery>, longestMs: number) {
    this.#open = open
    this.#longestMs = longestMs
  }
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const answer = this.#last.then(() => this.#ask<R>({ sql, parameters }))
    this.#last = answer.catch(() => {})
    return { rows: await answer }
  }
  async #ask<R>(question: ReaderQuery): Promise<R[]> {
    this.#thread ??= this.#open()
    const thread = this.#thread
    // The limit is for the query: on a busy machine a thread may need seconds to start.
    await thread.ready()
    let late: NodeJS.Timeout | undefined
    const patience = new Promise<never>((_, reject) => {
      late = setTimeout(() => {
        if (this.#thread === thread) this.#thread = null
        reject(tooLong())
        void thread.end()
      }, this.#longestMs)
    })
    try {
      return await Promise.race([thread.ask<R[]>(question), patience])
    } finally {
      clearTimeout(late)
    }
  }
  async destroy() {
    await this.#thread?.end()
  }
  async init() {}
  async acquireConnection() {
    return this
  }
  async releaseConnection() {}
  beginTransaction(): Promise<void> {
    throw new Error('The reader only reads.')
  }
  commitTransaction = this.beginTransaction
  rollbackTransaction = this.beginTransaction
  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Only page queries are supported.')
  }
}
