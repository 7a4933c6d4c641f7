// The file of SQLite, opened the same way by everybody. Apart from the query layer, which the threads do without.

import { chmodSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'libsql'
import { Complaint } from '../complaint.js'
import { makeFolder } from '../folder.js'

/** How long a wait for another writer may be in one piece, during which nothing else happens in this process. */
const STANDSTILL_MS = 20

/** Whatever stands in the way is found before anything is written beside it. */
export function makeRoom(file: string): void {
  try {
    makeFolder(dirname(resolve(file)))
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder')
  } catch (error) {
    throw cannotOpen(file, error)
  }
}

const cannotOpen = (file: string, error: unknown): Complaint =>
  error instanceof Complaint
    ? error
    : new Complaint(
        `The database ${file} cannot be opened: ${(error as Error).message}. Give a file with --database.`,
      )

export function openFile(file: string, isReadOnly = false): Database.Database {
  try {
    if (isReadOnly) return new Database(file, { readonly: true, fileMustExist: true } as never)
    if (file !== ':memory:') makeRoom(file)
    const database = new Database(file)
    database.pragma(`busy_timeout = ${STANDSTILL_MS}`)
    database.pragma('journal_mode = WAL')
    // What was acknowledged must be there after a power cut, too.
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    if (file !== ':memory:') chmodSync(file, 0o600)
    return database
  } catch (error) {
    throw cannotOpen(file, error)
  }
}
