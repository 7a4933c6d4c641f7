// A second way into the database, for reading only and with an end: PostgreSQL breaks off what takes too long, and the
// file is read in a thread of its own, as reading it stops the thread that reads.

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
import { Refusal } from '../../refusal.js'
import type { Db, Store } from '../../store/open.js'
import { openPool } from '../../store/pool.js'
import type { Schema } from '../../store/schema.js'
import { openThread, type Thread } from '../thread.js'

const LONGEST_MS = 10_000

export interface Reader {
  readonly db: Db
  close(): Promise<void>
}

export interface Question {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export const openReader = ({ kind, database }: Store, longestMs = LONGEST_MS): Reader =>
  kind === 'postgres' ? readPostgres(database, longestMs) : readFile(database, longestMs)

const tooLong = (): Refusal =>
  new Refusal(
    'too-much',
    'This took too long and was broken off. Choose a shorter time range, or filter by device, hook or conversation.',
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

/** What the network may add to the time of a query. */
const ANSWER_MS = 5000

/** Each query in a transaction with its limit: a limit of the session would stay behind in a pooler. */
class LimitingDriver extends PostgresDriver {
  readonly #begin: CompiledQuery
  readonly #unlimited = new WeakMap<DatabaseConnection, DatabaseConnection>()
  constructor(config: PostgresDialectConfig, longestMs: number) {
    super(config)
    // For a query over many partitions compiling takes longer than answering.
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
        throw new Error('Read page by page.')
      },
    }
    this.#unlimited.set(limited, connection)
    return limited as never
  }
  override async releaseConnection(limited: DatabaseConnection) {
    await super.releaseConnection(this.#unlimited.get(limited) as never)
  }
}

/** What PostgreSQL says when it breaks off, in our words. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw (error as { code?: unknown }).code === CANCELLED ? tooLong() : error
  }
}

function readFile(file: string, longestMs: number): Reader {
  const driver = new ThreadDriver(() => openThread<Question>('records-reader', { file }), longestMs)
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

/** One question after the other; who takes too long is left alone with its thread, which ends when it is done. */
class ThreadDriver implements Driver, DatabaseConnection {
  #thread: Thread<Question> | null = null
  #last: Promise<unknown> = Promise.resolve()
  readonly #open: () => Thread<Question>
  readonly #longestMs: number
  constructor(open: () => Thread<Question>, longestMs: number) {
    this.#open = open
    this.#longestMs = longestMs
  }
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const answer = this.#last.then(() => this.#ask<R>({ sql, parameters }))
    this.#last = answer.catch(() => {})
    return { rows: await answer }
  }
  async #ask<R>(question: Question): Promise<R[]> {
    this.#thread ??= this.#open()
    const thread = this.#thread
    // The limit is for the question: on a busy machine a thread may need seconds to start.
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
    throw new Error('Read page by page.')
  }
}
