// The database of the server: a file, or PostgreSQL. All other code uses one query layer; what only one of them can do
// has its own place here.

import { type Kysely, sql, type Transaction } from 'kysely'
import { UsageError } from '../usage-error.js'
import { type DatabaseKind, kindOf } from './kind.js'
import { migrateBack } from './migrations.js'
import { openPostgres } from './postgres.js'
import type { Schema } from './schema.js'
import { openSqlite } from './sqlite.js'

export type { DatabaseKind } from './kind.js'
export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

export interface Store {
  readonly kind: DatabaseKind
  /** As given, for a thread that opens it a second time. */
  readonly database: string
  /** The number of waiting writers of the file; bulk writers give way to them. */
  readonly waiting: Int32Array
  readonly db: Db
  /** One transaction that writes; another writer waits for it. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** All reads are from one snapshot, which blocks nobody. */
  snapshot<T>(work: (db: Db | Tx) => Promise<T>): Promise<T>
  /** Runs only while no other server has this duty; null if one has it (duties.ts). */
  alone<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | null>
  close(): Promise<void>
}

export interface OpenOptions {
  /** A file, or postgres://… */
  readonly database: string
  readonly now: () => number
  /** Queries have no time limit. */
  readonly isPatient?: boolean
  /** Only reads, and leaves the tables as another version of the server created them. */
  readonly isReadOnly?: boolean
}

/** Errors of a connection, of PostgreSQL that starts or stops, and of a file that is gone or has no room. */
const UNREACHABLE =
  /^(E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)|ENOTFOUND|EAI_AGAIN|08|57P|53|3D000|SQLITE_(FULL|IOERR|CANTOPEN))/

/** The client's error for a lost connection. */
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|The connection was lost|Query read timeout)/
/** PostgreSQL's code for it, where a library keeps the real one to itself. */
export const CONNECTION_FAILURE = '08006'

export function isUnreachable(error: unknown): boolean {
  const { code, message = '', cause } = error as { code?: unknown; message?: string; cause?: unknown }
  if (UNREACHABLE.test(String(code ?? ''))) return true
  if (LOST.test(message)) return true
  return cause !== undefined && isUnreachable(cause)
}

export async function openStore(options: OpenOptions): Promise<Store> {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(options.database) && kindOf(options.database) !== 'postgres') {
    throw new UsageError(
      `The database "${options.database.split('://')[0]}://…" is not known. Give a file, or postgres://user@host/name.`,
    )
  }
  return kindOf(options.database) === 'postgres' ? openPostgres(options) : openSqlite(options)
}

/** Fails if the database does not answer. */
export const ping = (db: Db) => sql`select 1`.execute(db)

/** For the version of the server before this one. No server may run on the database. Returns the id of the migration. */
export async function undoMigration(database: string): Promise<string> {
  const store = await openStore({
    database,
    now: Date.now,
    isPatient: true,
    isReadOnly: kindOf(database) === 'postgres',
  })
  try {
    return await migrateBack(store.db as never, store.kind)
  } finally {
    await store.close()
  }
}
