// A second way into the database, for reading only and with an end: PostgreSQL breaks off what takes too long, and the
// file is read in a thread of its own, as reading it stops the thread that reads.

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresDialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import pg from 'pg'
import { Refusal } from '../../refusal.js'
import { NUMBERS } from '../../store/numbers.js'
import type { Db, Store } from '../../store/open.js'
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
  const pool = new pg.Pool({
    connectionString: database,
    max: 6,
    types: NUMBERS,
    connectionTimeoutMillis: 10_000,
    statement_timeout: longestMs,
    application_name: 'holdfast reader',
  })
  pool.on('error', () => {})
  // Neither does one that dies while it is in use: its query fails, which is enough.
  pool.on('connect', client => client.on('error', () => {}))
  // For a question over many partitions compiling takes longer than answering.
  pool.on('connect', client => void client.query('set jit = off').catch(() => {}))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return { db, close: () => db.destroy() }
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
