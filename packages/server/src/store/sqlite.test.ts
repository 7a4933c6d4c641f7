// A writer that had to wait leaves nothing behind: the library keeps a statement that was refused "in progress", and
// while one is, its connection commits nothing.

import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openFile } from './file.js'
import { openSqlite } from './sqlite.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-sqlite-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

describe('while somebody else writes', () => {
  const device = (id: string) => ({ day: 1, device_id: id, count: 1 })

  it.each(['a transaction', 'a single statement'])('%s waits, and the next one goes through', async kind => {
    const file = join(folder, 'team.db')
    const store = await openSqlite({ database: file, now: Date.now } as never)
    const other = openFile(file)
    try {
      for (let round = 0; round < 3; round++) {
        other.exec('begin immediate')
        other.exec(`insert into device_days (day, device_id, count) values (${round + 2}, 'other', 1)`)
        const first =
          kind === 'a transaction'
            ? store.write(trx =>
                trx
                  .insertInto('device_days')
                  .values(device(`a${round}`))
                  .execute(),
              )
            : store.db
                .insertInto('device_days')
                .values(device(`a${round}`))
                .execute()
        const second = store.write(async trx => {
          await trx
            .insertInto('device_days')
            .values(device(`b${round}`))
            .execute()
          await trx
            .updateTable('device_days')
            .set({ count: 2 })
            .where('device_id', '=', `b${round}`)
            .execute()
        })
        await expect.poll(() => store.waiting[0], { timeout: 30_000 }).toBe(1)
        const timers = vi.spyOn(globalThis, 'setTimeout').mockClear()
        other.exec('commit')
        await Promise.all([first, second])
        // Each further try sets one: a statement that is still in progress would be tried a hundred times.
        expect(timers.mock.calls.length).toBeLessThan(10)
      }
      const rows = await store.db.selectFrom('device_days').select(['device_id', 'count']).execute()
      expect(rows).toHaveLength(9)
    } finally {
      other.close()
      await store.close()
    }
  })
})

it('opens a file that survives a power cut, keeps its references and is closed to others', () => {
  const file = join(folder, 'new', 'team.db')
  const database = openFile(file)
  try {
    const pragma = (name: string) => database.prepare(`pragma ${name}`).get()
    expect(pragma('journal_mode')).toMatchObject({ journal_mode: 'wal' })
    expect(pragma('synchronous')).toMatchObject({ synchronous: 2 })
    expect(pragma('foreign_keys')).toMatchObject({ foreign_keys: 1 })
    expect(pragma('busy_timeout')).toMatchObject({ timeout: 20 })
  } finally {
    database.close()
  }
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700)
  const open = join(folder, 'open.db')
  writeFileSync(open, '')
  chmodSync(open, 0o644)
  openFile(open).close()
  expect(statSync(open).mode & 0o777).toBe(0o600)
})
