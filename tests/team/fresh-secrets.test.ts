// Secret values are new each time, and are not stored in a form that a reader of the database could use.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { placeOf } from '../../packages/server/src/people/enrol.js'
import { secretFrom } from '../../packages/server/src/secrets.js'
import { DATABASES, type TestDatabase } from './databases.js'
import { PASSWORD, startServer, type TestServer } from './people.js'
import { openRows, type Rows } from './rows.js'

describe('two teams', () => {
  let teams: Rows[]
  beforeAll(async () => {
    teams = [await openRows(), await openRows()]
  })
  afterAll(async () => {
    for (const team of teams) await team.close()
  })

  it('under one secret share neither ids, nor keys, nor what is encrypted', async () => {
    const seen = new Set<string>()
    let count = 0
    const add = (...values: (string | Uint8Array)[]) => {
      for (const value of values)
        seen.add(typeof value === 'string' ? value : Buffer.from(value).toString('hex'))
      count += values.length
    }
    for (const { team, fingerprint, rootKeys } of teams) {
      const { db } = team.store
      const { id, salt } = await db.selectFrom('team').selectAll().executeTakeFirstOrThrow()
      add(id, salt, fingerprint, ...rootKeys)
      const keys = await db.selectFrom('team_keys').selectAll().execute()
      expect(keys).toHaveLength(4)
      for (const { public_key, private_key } of keys) {
        add(new Uint8Array(public_key))
        if (private_key) add(new Uint8Array(private_key), new Uint8Array(private_key).subarray(0, 12))
      }
    }
    // Of each: five of the team, four public keys, and two that are encrypted, each with its nonce.
    expect([count, seen.size]).toEqual([26, 26])
  })

  it('store no root key', async () => {
    for (const { team, rootKeys } of teams) {
      const keys = await team.store.db.selectFrom('team_keys').selectAll().execute()
      const stored = keys.filter(({ use }) => use === 'root')
      expect(stored).toMatchObject([{ private_key: null }, { private_key: null }])
      for (const { private_key } of keys) {
        if (!private_key) continue
        const shown = Buffer.from(team.secrets.decrypt(new Uint8Array(private_key)))
        for (const key of rootKeys) expect(shown.equals(Buffer.from(key))).toBe(false)
      }
    }
  })

  it('place the same device differently in the rings', () => {
    const places = [
      placeOf('t', 's', 'd'),
      placeOf('t', 's', 'e'),
      placeOf('t', 'r', 'd'),
      placeOf('u', 's', 'd'),
    ]
    expect(new Set(places).size).toBe(4)
    expect(places[0]).toBe(placeOf('t', 's', 'd'))
    for (const place of places) expect(place >= 0 && place < 1).toBe(true)
  })
})

it('the secret file of each server holds another secret, which stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-secret-'))
  try {
    const made = ['one', 'two'].map(name => Buffer.from(secretFrom(join(folder, name))).toString('hex'))
    expect(new Set(made).size).toBe(2)
    expect(Buffer.from(secretFrom(join(folder, 'one'))).toString('hex')).toBe(made[0])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

describe('a server', () => {
  let database: TestDatabase
  let server: TestServer
  beforeAll(async () => {
    database = await DATABASES[0]!.create()
    server = await startServer(database)
  })
  afterAll(async () => {
    await server.close()
    await database.drop()
  })

  async function expectNew(make: () => Promise<string>): Promise<void> {
    const made = [await make(), await make(), await make()]
    for (const one of made) expect(one.length).toBeGreaterThanOrEqual(8)
    expect(new Set(made).size).toBe(3)
  }

  it('makes new tokens, enrolment keys and invitations, for the same wish', async () => {
    const owner = await server.owner()
    await expectNew(() => server.token(owner))
    await expectNew(async () => (await server.key()).secret)
    await expectNew(async () => (await server.key()).id)
    const wish = { email: 'ann@example.com', role: 'author' }
    await expectNew(async () =>
      server.secret((await owner.call('PeopleService/InviteMember', wish)).body.link.split('/').at(-1)),
    )
  })

  it('makes a new token whenever a device enrols again, or renews', async () => {
    const { secret: key } = await server.key()
    const { id, token } = await server.device({ key })
    await expectNew(async () => (await server.device({ id, key })).token)
    const again = (await server.device({ id, key })).token
    expect(again).not.toBe(token)
    const bearer = { authorization: `Bearer ${again}` }
    await expectNew(async () =>
      server.secret((await server.call('DeviceService/RenewToken', {}, bearer)).body.token),
    )
  })

  it('makes a new session at every sign-in, and ends it with the sign-out', async () => {
    await server.owner()
    const cookies: string[] = []
    for (let count = 0; count < 3; count++) {
      const browser = server.browser()
      await browser.signIn('olga@example.com')
      cookies.push(browser.cookie)
      expect((await browser.call('PeopleService/WhoAmI')).status).toBe(200)
      const kept = browser.cookie
      await browser.post('/sign-out', {})
      const { code } = await server.call('PeopleService/WhoAmI', {}, { cookie: kept, origin: server.url })
      expect(code).toBe('unauthenticated')
    }
    expect(new Set(cookies).size).toBe(3)
  })

  it('makes new device codes', async () => {
    const ask = async () => {
      const response = await fetch(`${server.url}/device/code`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: 'holdfast', device_name: 'laptop', operating_system: 'Linux' }),
      })
      return (await response.json()) as { device_code: string; user_code: string }
    }
    const made = [await ask(), await ask(), await ask()]
    for (const { device_code } of made) server.secret(device_code)
    expect(new Set(made.map(({ device_code }) => device_code)).size).toBe(3)
    expect(new Set(made.map(({ user_code }) => user_code)).size).toBe(3)
    for (const { user_code } of made)
      expect(user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  })

  it('salts passwords: the same one is stored differently for each person', async () => {
    await server.member('auditor')
    await server.member('auditor')
    const stored = sql<{ password: string }>`select password from account where password is not null`
    const { rows } = await stored.execute(server.store.db)
    expect(rows.length).toBeGreaterThanOrEqual(3)
    expect(new Set(rows.map(({ password }) => password)).size).toBe(rows.length)
    for (const { password } of rows) expect(password).not.toContain(PASSWORD)
  })
})
