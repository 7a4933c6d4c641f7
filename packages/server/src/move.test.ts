// A team moves whole, or not at all; its old database is never served again.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { moveTeam } from './move.js'
import { createTeam } from './setup.js'
import { openStore, type Store } from './store/open.js'

let folder: string
let from: string
let to: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-move-'))
  from = join(folder, 'old.db')
  to = join(folder, 'new.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const now = () => 7
async function inside<T>(database: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ database, now })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
const team = (database: string) => inside(database, store => createTeam(store, 'Team', 1))

it('moves every row with its bytes, and leaves an old database that nobody can serve or write', async () => {
  await team(from)
  const content = Buffer.from([0, 255, 1])
  await inside(from, async ({ db }) => {
    await db.insertInto('scripts').values({ sha256: 'x', content }).execute()
    const device = { day: 1, count: 1 }
    const days = Array.from({ length: 401 }, (_, index) => ({ ...device, device_id: `d${index}` }))
    await db.insertInto('device_days').values(days).execute()
    await db.updateTable('admin_head').set({ seq: 9, hash: 'h' }).execute()
  })
  const server = await openStore({ database: from, now })
  const moved = new Map<string, number>()
  const { rows } = await moveTeam({ from, to, now, onTable: (name, count) => void moved.set(name, count) })
  expect(rows).toBe(404)
  expect(Object.fromEntries(moved)).toMatchObject({
    team: 1,
    scripts: 1,
    device_days: 401,
    admin_head: 1,
    tokens: 0,
  })
  // A server that still runs on the old one takes no records and no changes any more.
  for (const table of ['team', 'cursors', 'admin_head']) {
    await expect(sql`select 1 from ${sql.table(table)}`.execute(server.db), table).rejects.toThrow('no such')
  }
  await server.close()
  await expect(openStore({ database: from, now })).rejects.toThrow('has moved')
  await inside(to, async ({ db }) => {
    const script = await db.selectFrom('scripts').selectAll().executeTakeFirstOrThrow()
    expect(Buffer.from(script.content)).toEqual(content)
    expect(await db.selectFrom('admin_head').selectAll().execute()).toEqual([{ one: 1, seq: 9, hash: 'h' }])
    const ids = (await db.selectFrom('device_days').select('device_id').execute()).map(row => row.device_id)
    expect(new Set(ids).size).toBe(401)
  })
})

it('moves nothing from or to a database that is not fit for it', async () => {
  await expect(moveTeam({ from, to, now })).rejects.toThrow('There is no database')
  await inside(from, async () => {})
  await expect(moveTeam({ from, to, now })).rejects.toThrow('There is no team in')
  await team(from)
  for (const same of [from, relative('.', from), join(folder, '.', 'old.db')]) {
    await expect(moveTeam({ from, to: same, now })).rejects.toThrow('The old database is the new one')
  }
  const other = await team(to)
  await expect(moveTeam({ from, to, now })).rejects.toThrow('has a team already')
  const { id } = await inside(to, ({ db }) => db.selectFrom('team').selectAll().executeTakeFirstOrThrow())
  expect(id).toBe(other.id)
  await inside(from, ({ db }) => sql`create table more (id text)`.execute(db))
  const empty = join(folder, 'empty.db')
  await expect(moveTeam({ from, to: empty, now })).rejects.toThrow('the tables more cannot be moved')
  // What failed changed neither of them.
  expect(await inside(empty, ({ db }) => db.selectFrom('team').selectAll().execute())).toEqual([])
  expect(await inside(from, ({ db }) => db.selectFrom('team').select('name').execute())).toEqual([
    { name: 'Team' },
  ])
})
