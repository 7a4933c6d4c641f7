// The file of SQLite, opened the same way by everybody. Apart from the query layer, which the threads do without.

import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'libsql'
import { Complaint } from '../complaint.js'

/** How long a wait for another writer may be in one piece, during which nothing else happens in this process. */
const STANDSTILL_MS = 20

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
