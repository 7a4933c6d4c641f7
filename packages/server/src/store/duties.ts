// What one server does for all: each duty is a lease in the database, which works through a pooler, and passes to
// another server soon after its holder was killed or cut off.

import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Store } from './open.js'

const LEASE_MS = 30_000
const RENEW_MS = 10_000

export interface Duty {
  readonly name: string
  /** When a server finished it last, by the clock of the database; 0 if none has. */
  readonly doneAt: number
  readonly isHeld: boolean
}

/** In PostgreSQL by its own clock, which is the same for all servers. A file has one server. */
const now = (kind: Store['kind']): RawBuilder<number> =>
  kind === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(${Date.now()} as integer)`

/**
 * Runs the work while no other call on this database has this duty; null if one has it. `lost` aborts if another server
 * may have taken over, because the lease could not be renewed in time.
 */
export async function alone<T>(
  { db, kind }: Pick<Store, 'db' | 'kind'>,
  name: string,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const holder = randomUUID()
  if (!(await take(db, kind, name, holder))) return null
  const lost = new AbortController()
  let until = performance.now() + LEASE_MS
  const renewing = setInterval(async () => {
    const asked = performance.now()
    const isRenewed = await take(db, kind, name, holder).catch(() => undefined)
    if (isRenewed) until = asked + LEASE_MS
    else if (isRenewed === false || performance.now() > until) lost.abort()
  }, RENEW_MS).unref()
  try {
    const result = await work(lost.signal)
    await finish(db, kind, name, holder, true)
    return result
  } catch (error) {
    await finish(db, kind, name, holder, false).catch(() => {})
    throw error
  } finally {
    clearInterval(renewing)
  }
}

async function take(db: Db, kind: Store['kind'], name: string, holder: string): Promise<boolean> {
  const { rows } = await sql`
    insert into duties (name, holder, until, done_at) values (${name}, ${holder}, ${now(kind)} + ${LEASE_MS}, 0)
    on conflict (name) do update set holder = excluded.holder, until = excluded.until
    where duties.holder = excluded.holder or duties.until < ${now(kind)} returning name`.execute(db)
  return rows.length > 0
}

const finish = (db: Db, kind: Store['kind'], name: string, holder: string, isDone: boolean) =>
  db
    .updateTable('duties')
    .set({ until: 0, ...(isDone ? { done_at: now(kind) } : {}) })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute()

export async function listDuties({
  db,
  kind,
}: Pick<Store, 'db' | 'kind'>): Promise<readonly (Duty & { readonly agoMs: number })[]> {
  const rows = await db
    .selectFrom('duties')
    .select(['name', 'done_at', 'until'])
    .select(now(kind).as('now'))
    .execute()
  return rows.map(({ name, done_at: doneAt, until, now }) => ({
    name,
    doneAt,
    isHeld: until > now,
    agoMs: now - doneAt,
  }))
}
