// The file of SQLite, opened in one way everywhere. Separate from the query layer, which the threads do not need.

import { chmodSync, closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'libsql'
import { makeFolder } from '../folder.js'
import { UsageError } from '../usage-error.js'

/** How long one wait for another writer may block this process. */
const STANDSTILL_MS = 20

const MAGIC = 'SQLite format 3\0'

/** Finds problems before anything is written beside the file. */
export function makeRoom(file: string): void {
  try {
    makeFolder(dirname(resolve(file)))
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat) return
    if (stat.isDirectory()) throw new Error('it is a folder')
    if (!stat.isFile()) throw new Error('it is not a file')
    if (stat.size > 0 && headOf(file) !== MAGIC) throw new Error('it is not a database')
  } catch (error) {
    throw cannotOpen(file, error)
  }
}

function headOf(file: string): string {
  const head = Buffer.alloc(MAGIC.length)
  const handle = openSync(file, 'r')
  try {
    readSync(handle, head, 0, head.length, 0)
  } finally {
    closeSync(handle)
  }
  return head.toString('latin1')
}

/**
 * One server for each file: two would not see each other's changes. The lock is one of SQLite on a file beside it, which
 * the operating system releases with the process, however it ends.
 */
export function lockFile(file: string): () => void {
  if (file === ':memory:') return () => {}
  const lock = new Database(`${resolve(file)}.lock`)
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if (!/^SQLITE_BUSY/.test(String((error as { code?: unknown }).code))) throw cannotOpen(file, error)
    throw new UsageError(
      `Another server is running on the database ${file}. Stop it first, or use PostgreSQL for several servers.`,
    )
  }
  return () => {
    if (lock.open) lock.close()
  }
}

const cannotOpen = (file: string, error: unknown): UsageError =>
  error instanceof UsageError
    ? error
    : new UsageError(
        `The database ${file} cannot be opened: ${(error as Error).message}. Give a file with --database.`,
      )

export function openFile(file: string, isReadOnly = false): Database.Database {
  try {
    if (isReadOnly) return new Database(file, { readonly: true, fileMustExist: true } as never)
    if (file !== ':memory:') makeRoom(file)
    const database = new Database(file)
    database.pragma(`busy_timeout = ${STANDSTILL_MS}`)
    database.pragma('journal_mode = WAL')
    // Acknowledged data must survive a power cut.
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    if (file !== ':memory:') chmodSync(file, 0o600)
    return database
  } catch (error) {
    throw cannotOpen(file, error)
  }
}
