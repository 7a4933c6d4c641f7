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

export const LONGEST_MS = 10_000

export interface Reader {
  readonly db: Db
  close(): Promise<void>
}

export interface Question {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export const openReader = (store: Store): Reader =>
  store.kind === 'postgres' ? readPostgres(store.database) : readFile(store.database)

export const tooLong = (): Refusal =>
  new Refusal(
    'too-much',
    `The search took longer than ${LONGEST_MS / 1000} s and was broken off. Choose a shorter time range, or filter by device, hook or conversation.`,
  )

const CANCELLED = '57014'

function readPostgres(database: string): Reader {
  const pool = new pg.Pool({
    connectionString: database,
    max: 6,
    types: NUMBERS,
    connectionTimeoutMillis: 10_000,
    statement_timeout: LONGEST_MS,
    application_name: 'holdfast reader',
  })
  pool.on('error', () => {})
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

function readFile(file: string): Reader {
  const driver = new ThreadDriver(() => openThread<Question>('records-reader', { file }))
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
  constructor(open: () => Thread<Question>) {
    this.#open = open
  }
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const answer = this.#last.then(() => this.#ask<R>({ sql, parameters }))
    this.#last = answer.catch(() => {})
    return { rows: await answer }
  }
  async #ask<R>(question: Question): Promise<R[]> {
    this.#thread ??= this.#open()
    const thread = this.#thread
    let late: NodeJS.Timeout | undefined
    const patience = new Promise<never>((_, reject) => {
      late = setTimeout(() => {
        if (this.#thread === thread) this.#thread = null
        void thread.end()
        reject(tooLong())
      }, LONGEST_MS)
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
