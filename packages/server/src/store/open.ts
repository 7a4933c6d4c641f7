// The database behind the server: a file, or PostgreSQL. Everything above speaks to it through one query layer; what
// only one of them can do has a place of its own here.

import type { Kysely, Transaction } from 'kysely'
import { Complaint } from '../complaint.js'
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
  /** As it was given, for a thread that opens it a second time. */
  readonly database: string
  /** How many wait to write into the file; who writes much looks at it and gives way. */
  readonly waiting: Int32Array
  readonly db: Db
  /** One transaction that writes; another writer waits for it. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Everything that is read is of one moment; nobody waits for it. */
  snapshot<T>(work: (db: Db | Tx) => Promise<T>): Promise<T>
  /** Runs only while no other server has this duty; null when one has it (duties.ts). */
  alone<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | null>
  close(): Promise<void>
}

export interface OpenOptions {
  /** A file, or postgres://… */
  readonly database: string
  readonly now: () => number
  /** Queries have no time limit. */
  readonly isPatient?: boolean
  /** Only reads, and leaves the tables as another version of the server made them. */
  readonly isReadOnly?: boolean
}

/** Errors of a connection, of PostgreSQL that starts or stops, and of a file that is gone or has no room. */
const UNREACHABLE =
  /^(E(CONN|HOST|NET|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND)|ENOTFOUND|EAI_AGAIN|08|57P|53|3D000|SQLITE_(FULL|IOERR|CANTOPEN))/

/** What the client says of a connection that it lost. */
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
    throw new Complaint(
      `The database "${options.database.split('://')[0]}://…" is not known. Give a file, or postgres://user@host/name.`,
    )
  }
  return kindOf(options.database) === 'postgres' ? openPostgres(options) : openSqlite(options)
}

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
