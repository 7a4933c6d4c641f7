// A partition for each day. There is no default one: it would have to be searched whenever another is created or
// dropped.

import type { ClientBase } from 'pg'

const AHEAD = 7
const LOCK = "hashtext('holdfast makes a partition')"
const OVERLAPS = '42P17'
const nameOf = (day: number): string => `records_${day}`

/** Created separately and then attached, which does not block readers and writers of other days. */
export async function makePartition(client: ClientBase, day: number): Promise<void> {
  const name = nameOf(day)
  await client.query('begin')
  try {
    await client.query(`select pg_advisory_xact_lock(${LOCK})`)
    const { rows } = await client.query(
      'select 1 from pg_inherits where inhparent = $1::regclass and inhrelid = to_regclass($2)',
      ['records', name],
    )
    if (rows.length === 0) {
      // Left by a process that was killed between detaching and dropping.
      await client.query(`drop table if exists ${name}`)
      await client.query(
        `create table ${name} (like records including all, constraint ${name}_day check (day >= ${day} and day < ${day + 1}))`,
      )
      await client.query(
        `alter table records attach partition ${name} for values from (${day}) to (${day + 1})`,
      )
      await client.query(`alter table ${name} drop constraint ${name}_day`)
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    if ((error as { code?: string }).code !== OVERLAPS) throw error
  }
}

export const daysAhead = (today: number): number[] =>
  Array.from({ length: AHEAD + 1 }, (_, index) => today + index)

/** Finishes the interrupted work of another process. Outside of a transaction. */
export async function finishDetached(client: ClientBase): Promise<void> {
  const { rows: pending } = await client.query<{ name: string }>(
    'select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass and i.inhdetachpending',
    ['records'],
  )
  for (const { name } of pending)
    await client.query(`alter table records detach partition ${quoted(name)} finalize`)
  const { rows: loose } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relkind = 'r' and c.relname ~ '^records_[1-9][0-9]*$' and c.relnamespace = (select relnamespace from pg_class where oid = $1::regclass) and not exists (select 1 from pg_inherits i where i.inhrelid = c.oid)`,
    ['records'],
  )
  for (const { name } of loose) await client.query(`drop table if exists ${quoted(name)}`)
}

/** Drops the partition of the oldest day if it is older than the retention; false if there is none. */
export async function dropOldest(client: ClientBase, oldest: number): Promise<boolean> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass and c.relname ~ '^records_[1-9][0-9]*$' and substr(c.relname, 9)::bigint < $2 order by substr(c.relname, 9)::bigint limit 1`,
    ['records', oldest],
  )
  const [found] = rows
  if (!found) return false
  await client.query(`alter table records detach partition ${quoted(found.name)} concurrently`)
  await client.query(`drop table if exists ${quoted(found.name)}`)
  return true
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
