// Actions of people are linked in a hash chain that shows when and how it was modified.

import { type ChainedAction, hashOfAction, verifyActions } from '@holdfast/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../packages/server/src/access/actor.js'
import { listActions, verifyChain } from '../../packages/server/src/audit/actions.js'
import { append } from '../../packages/server/src/audit/chain.js'
import type { OpenTeam } from '../../packages/server/src/open-team.js'
import type { AdminActionRow } from '../../packages/server/src/store/schema.js'
import { DATABASES, type TestDatabase } from './databases.js'
import { openTestTeam } from './records.js'
import { seat } from './server.js'

const NOW = Date.UTC(2026, 5, 15, 12)
const ADA: Person = {
  kind: 'person',
  userId: 'u1',
  name: 'Ada',
  role: 'admin',
  via: 'session',
  address: '::1',
}

describe.each(DATABASES)('$kind', ({ create }) => {
  let database: TestDatabase
  let opened: OpenTeam
  beforeEach(async () => {
    database = await create()
    opened = await openTestTeam(database.url, () => NOW)
    await seat(opened.team, ADA)
  })
  afterEach(async () => {
    await opened.close()
    await database.drop()
  })
  const act = (index: number, fails = false) =>
    opened.team.store
      .write(async tx => {
        await append(tx, ADA, NOW + index, {
          action: 'release.advance',
          subject: `thing ${index}`,
          detail: { index },
        })
        if (fails) throw new Error('rolled back')
      })
      .catch(error => {
        if (error.message !== 'rolled back') throw error
      })
  const rows = async () => {
    const all = await opened.team.store.db.selectFrom('admin_actions').selectAll().orderBy('seq').execute()
    return all.map(row => ({ ...row, body: Buffer.from(row.body) }))
  }
  const verdict = async () => (await verifyChain(opened.team.records.reader)).state

  it('fifty at once, some of them rolled back, are a whole chain; then each kind of harm has its name', async () => {
    const { db } = opened.team.store
    const start = (await rows()).length
    await Promise.all(Array.from({ length: 50 }, (_, index) => act(index, index % 7 === 3)))
    const whole = await verifyChain(opened.team.records.reader)
    const kept = await rows()
    expect(kept).toHaveLength(start + 43)
    expect(whole).toMatchObject({
      state: 'whole',
      verifiedTo: start + 43,
      headHash: kept.at(-1)!.hash,
      message: `All ${start + 43} entries are complete.`,
    })

    const harmed = async (harm: () => Promise<unknown>) => {
      await harm()
      const found = await verifyChain(opened.team.records.reader)
      await db.deleteFrom('admin_actions').execute()
      await db.insertInto('admin_actions').values(kept).execute()
      expect(await verdict()).toBe('whole')
      return `${found.state} ${found.verifiedTo}: ${found.message}`
    }
    const at = start + 10
    const where = (seq: number) => db.updateTable('admin_actions').where('seq', '=', seq)
    const body = Buffer.from(
      Buffer.from(kept[at - 1]!.body)
        .toString()
        .replace('Ada', 'Eve'),
    )
    expect(await harmed(() => where(at).set({ body }).execute())).toBe(
      `altered ${at - 1}: Entry ${at} was altered.`,
    )
    for (const column of [
      { actor: 'Eve' },
      { action: 'release.halt' },
      { subject: 'thing 99' },
      { at: kept[at - 1]!.at + 1 },
    ] as const) {
      expect(await harmed(() => where(at).set(column).execute())).toBe(
        `altered ${at - 1}: Entry ${at} was altered.`,
      )
    }
    expect(
      await harmed(() =>
        db
          .deleteFrom('admin_actions')
          .where('seq', '>=', at)
          .where('seq', '<', at + 3)
          .execute(),
      ),
    ).toBe(`missing ${at - 1}: Entries ${at} to ${at + 2} are missing.`)
    expect(await harmed(() => db.deleteFrom('admin_actions').where('seq', '=', 1).execute())).toBe(
      'missing 0: Entry 1 is missing.',
    )
    const swap = async () => {
      await where(at).set({ seq: 9999 }).execute()
      await where(at + 1)
        .set({ seq: at })
        .execute()
      await where(9999)
        .set({ seq: at + 1 })
        .execute()
    }
    expect(await harmed(swap)).toBe(`forked ${at - 1}: Entry ${at + 1} stands in the place of entry ${at}.`)
    const last = start + 43
    expect(
      await harmed(() =>
        db
          .deleteFrom('admin_actions')
          .where('seq', '>', last - 5)
          .execute(),
      ),
    ).toBe(`truncated ${last - 5}: The chain ends at entry ${last - 5}, but entry ${last} has been seen.`)
    const beyond: AdminActionRow = { ...kept.at(-1)!, seq: last + 1 }
    expect(await harmed(() => db.insertInto('admin_actions').values(beyond).execute())).toBe(
      `forked ${last}: Entry ${last + 1} is after the end of the chain.`,
    )
  })

  it('a rewritten history contradicts every device that saw the old one', async () => {
    for (let index = 0; index < 6; index++) await act(index)
    const old = await rows()
    const seen = { seq: 4, hash: old[3]!.hash }
    expect(await verifyActions(chain(old), [seen])).toMatchObject({ state: 'whole', verifiedTo: old.length })
    let prev = ''
    const rewritten = chain(old).map(({ seq, body }) => {
      const told = Buffer.from(Buffer.from(body).toString().replace('thing 1', 'thing 9'))
      const hash = hashOfAction(prev, seq, told)
      const action = { seq, prev, hash, body: told }
      prev = hash
      return action
    })
    expect((await verifyActions(rewritten)).state).toBe('whole')
    expect(await verifyActions(rewritten, [seen])).toMatchObject({ state: 'forked', verifiedTo: 3 })
    const cut = chain(old).slice(0, 3)
    expect(await verifyActions(cut, [seen])).toMatchObject({ state: 'truncated', verifiedTo: 3 })
    const grafted = [...chain(old).slice(0, 4), ...rewritten.slice(4)]
    expect(await verifyActions(grafted)).toMatchObject({ state: 'forked', verifiedTo: 4 })
    const two = [chain(old)[0]!, chain(old)[0]!]
    expect(await verifyActions(two)).toMatchObject({ state: 'forked', message: 'There are two entries 1.' })
    expect(await verifyActions([])).toMatchObject({ state: 'whole', verifiedTo: 0 })
    const heads = [seen, { seq: 4, hash: 'f'.repeat(64) }]
    expect((await verifyActions(chain(old), heads)).state).toBe('forked')
  })

  it('is listed from both ends, page by page, and found by words', async () => {
    for (let index = 0; index < 7; index++) await act(index)
    const total = (await rows()).length
    const list = (more: object) =>
      listActions(opened.team, { pageSize: 3, pageToken: '', query: '', oldestFirst: false, ...more })
    const all = async (oldestFirst: boolean) => {
      const seqs: number[] = []
      let pageToken = ''
      do {
        const page = await list({ oldestFirst, pageToken })
        seqs.push(...page.actions.map(({ seq }) => seq))
        pageToken = page.nextPageToken
      } while (pageToken !== '')
      return seqs
    }
    const numbers = Array.from({ length: total }, (_, index) => index + 1)
    expect(await all(true)).toEqual(numbers)
    expect(await all(false)).toEqual(numbers.toReversed())
    const { actions } = await list({ query: 'THING 5' })
    expect(actions.map(({ subject }) => subject)).toEqual(['thing 5'])
  })

  it('leaves out what machines did when asked, and counts it', async () => {
    const { team } = opened
    const before = (await rows()).filter(({ actor }) => actor === 'server').length
    await act(1)
    await team.store.write(tx =>
      append(tx, 'server', team.now(), { action: 'release.advance', subject: 'x' }),
    )
    // Letters that cannot be part of a random team id.
    const deviceId = 'laptop-1'
    const device = { kind: 'device', deviceId, address: '' } as const
    await team.store.write(tx =>
      append(tx, device, team.now(), { action: 'device.leave', subject: deviceId }),
    )
    await act(2)
    const wish = { pageSize: 1, pageToken: '', query: '', oldestFirst: false, peopleOnly: true }
    const first = await listActions(team, wish)
    expect(first.actions.map(({ subject }) => subject)).toEqual(['thing 2'])
    expect(first.hidden).toBe(before + 2)
    const second = await listActions(team, { ...wish, pageToken: first.nextPageToken })
    expect(second.actions.map(({ subject }) => subject)).toEqual(['thing 1'])
    expect((await listActions(team, { ...wish, query: deviceId })).hidden).toBe(1)
    expect((await listActions(team, { ...wish, peopleOnly: false })).hidden).toBe(0)
  })
})

const chain = (rows: readonly AdminActionRow[]): ChainedAction[] =>
  rows.map(({ seq, prev, hash, body }) => ({ seq, prev, hash, body: new Uint8Array(body) }))
