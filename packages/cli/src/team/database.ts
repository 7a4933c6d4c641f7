// The database of a team server as an argument: its path, how it is shown, and copying it.

import { join } from 'node:path'
import type * as Server from '@holdfast/server'
import { type Given, value } from '../arguments.js'
import { openProgress } from '../print/progress.js'
import { visible } from '../print/text.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'
import { openServerDoor } from './door.js'

export const DATABASE = value(
  'FILE|URL',
  'a file or postgres://user@host/name; also from HOLDFAST_DATABASE',
  {
    defaultText: '~/.holdfast/server/team.db',
  },
)

export function databaseOf(given: Given): string {
  const { HOLDFAST_DATABASE: database } = process.env
  return (
    given.value('database') ?? (database || join(workspaceOf(given).home, '.holdfast', 'server', 'team.db'))
  )
}

/** Without the password of an address. */
export const shownDatabase = (database: string): string =>
  visible(database.replace(/(\w+:\/\/[^\s:/@]+:)[^\s@/]+@/, '$1\u2026@'))

export function needed(given: Given, command: string, option: string, example: string): string {
  const value = given.value(option)
  if (value) return value
  throw new UsageError(`holdfast ${command} needs a file: --${option} ${example}`)
}

/** Shows each table while it is copied. */
export async function copying<T>(
  verb: string,
  work: (server: typeof Server, onTable: (table: string) => void) => Promise<T>,
): Promise<T> {
  const server = await openServerDoor()
  const progress = openProgress()
  try {
    return await work(server, table => progress.say(`${verb} ${table}`))
  } catch (error) {
    throw error instanceof server.UsageError ? new UsageError(error.message) : error
  } finally {
    progress.end()
  }
}
