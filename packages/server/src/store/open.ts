// The database behind the server: a file, or PostgreSQL. Everything above speaks to it through one query layer; what
// only one of them can do has a place of its own here.

import type { Kysely, Transaction } from 'kysely'
import { Complaint } from '../complaint.js'
import { type DatabaseKind, kindOf } from './kind.js'
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
  /** Runs only while no other process holds this lock; null when one does. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T | null>
  close(): Promise<void>
}

export interface OpenOptions {
  /** A file, or postgres://… */
  readonly database: string
  readonly now: () => number
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
