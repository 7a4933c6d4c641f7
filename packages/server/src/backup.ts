// A backup is one SQLite file with every row of a team, whichever database it is in. It is read from one moment while
// the server works, and verified before it gets its name.

import { createHash } from 'node:crypto'
import { createReadStream, existsSync, linkSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { verifyChain } from './audit/actions.js'
import { copyTeam, damageIn, type OnTable, withoutLog } from './store/copy.js'
import { kindOf } from './store/kind.js'
import { openStore, type Store } from './store/open.js'
import { findTeam } from './store/team.js'
import { UsageError } from './usage-error.js'

export interface Copying {
  readonly from: string
  readonly to: string
  readonly onTable?: OnTable | undefined
  readonly now?: (() => number) | undefined
}

export interface Backup {
  readonly team: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

export async function backUp({ from, to, onTable, now = Date.now }: Copying): Promise<Backup> {
  if (kindOf(to) !== 'sqlite') throw new UsageError(`A backup is a file, and "${to}" is not a file name.`)
  if (existsSync(to)) throw new UsageError(`${to} exists and is not overwritten. Choose another name.`)
  mustExist(from)
  const half = `${to}.unfinished-${process.pid}`
  try {
    const source = await openStore({ database: from, now, isPatient: true, isReadOnly: true })
    const rows = await source
      .snapshot(old => inside(half, now, target => copyInto(old, target, from, onTable)))
      .finally(() => source.close())
    const team = await verify(half, now)
    // Unlike a rename, this fails if the name was taken meanwhile.
    linkSync(half, to)
    return { team, rows, bytes: statSync(to).size, sha256: await hashOf(to) }
  } finally {
    removeAll(half)
  }
}

export interface Restored {
  readonly team: string
  readonly rows: number
}

export async function restore({ from, to, onTable, now = Date.now }: Copying): Promise<Restored> {
  mustExist(from)
  const isNew = kindOf(to) === 'sqlite' && !existsSync(to)
  try {
    const team = await verify(from, now)
    const source = await openStore({ database: from, now, isReadOnly: true })
    const rows = await source
      .snapshot(old => inside(to, now, target => copyInto(old, target, from, onTable)))
      .finally(() => source.close())
    return { team, rows }
  } catch (error) {
    if (isNew) removeAll(to)
    throw error
  }
}

const copyInto = (old: Parameters<typeof copyTeam>[0], target: Store, from: string, onTable?: OnTable) =>
  target.write(fresh => copyTeam(old, fresh, { from: kindOf(from), to: target.kind }, onTable))

async function inside<T>(
  database: string,
  now: () => number,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore({ database, now, isPatient: true })
  try {
    const result = await work(store)
    if (store.kind === 'sqlite') await withoutLog(store.db)
    return result
  } finally {
    await store.close()
  }
}

/** Every page of the file and every admin action; returns the id of the team. */
async function verify(file: string, now: () => number): Promise<string> {
  let store: Store | undefined
  try {
    store = await openStore({ database: file, now, isReadOnly: true })
    const problem = await damageIn(store.db)
    if (problem !== undefined) throw new Error(problem)
    const found = await findTeam(store.db)
    if (!found) throw new UsageError(`There is no team in ${file}.`)
    const chain = await verifyChain(store.db)
    if (chain.state !== 'whole')
      throw new Error(`the chain of admin actions is ${chain.state}: ${chain.message}`)
    return found.id
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${file} is damaged: ${(error as Error).message}. Use another backup.`)
  } finally {
    await store?.close()
  }
}

function mustExist(database: string): void {
  if (kindOf(database) === 'sqlite' && !existsSync(database))
    throw new UsageError(`There is no database ${database}.`)
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** With the logs of SQLite beside it. */
function removeAll(file: string): void {
  const folder = dirname(resolve(file))
  for (const name of readdirSync(folder))
    if (name.startsWith(basename(file)) && /^(-wal|-shm|-journal)?$/.test(name.slice(basename(file).length)))
      rmSync(join(folder, name), { force: true })
}
