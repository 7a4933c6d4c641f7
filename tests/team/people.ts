// A real server on loopback with people at their browsers. Every secret that passes through here is recorded, and
// when the server closes none of them may be in its log or in its database.

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { OpenPeople } from '../../packages/server/src/people/open.js'
import { type ServerOptions, startServer as startRealServer } from '../../packages/server/src/start.js'
import type { Store } from '../../packages/server/src/store/open.js'
import type { Team } from '../../packages/server/src/team.js'
import type { TestDatabase } from './databases.js'
import './passwords.js'

export const PASSWORD = 'correct horse battery'

export interface Answer {
  readonly status: number
  /** Codes of Connect: unauthenticated, permission_denied, …; empty for success. */
  readonly code: string
  readonly message: string
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON answer holds is for the test to say
  readonly body: any
}

export interface TestServer {
  readonly url: string
  readonly team: Team
  readonly store: Store
  readonly people: OpenPeople
  readonly fingerprint: string
  readonly ownerLink: string
  readonly logged: string[]
  /** Milliseconds that the server's clock is ahead. */
  ahead: number
  secret(text: string): string
  call(method: string, body?: object, headers?: Record<string, string>): Promise<Answer>
  browser(options?: { address?: string }): Browser
  owner(): Promise<Browser>
  /** A member who accepted an invitation of that owner. */
  member(role: string, email?: string): Promise<Browser>
  token(browser: Browser, wish?: object): Promise<string>
  device(options?: { id?: string; key?: string }): Promise<{ id: string; token: string }>
  key(wish?: object): Promise<{ id: string; secret: string }>
  close(): Promise<void>
}

let addresses = 0
/** A different address for each, because limits count by address. */
export const newAddress = () => `198.51.${Math.floor(++addresses / 250)}.${addresses % 250}`

export const newDeviceId = () => randomBytes(16).toString('hex')

/** Limits by the minute of the server's clock start with a full minute. */
export function atFullMinute(server: TestServer): void {
  server.ahead += 60_000 - ((Date.now() + server.ahead) % 60_000)
}

export async function startServer(
  database: TestDatabase,
  options: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const logged: string[] = []
  const secrets = new Set<string>()
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map(name =>
    vi.spyOn(console, name).mockImplementation((...said) => void logged.push(`console ${said.map(String)}`)),
  )
  const server = { ahead: 0 }
  const running = await startRealServer({
    database: database.url,
    host: '127.0.0.1',
    port: 0,
    secret: Buffer.alloc(32, 7),
    name: 'Harbour <b>works</b>',
    proxies: 1,
    writeLog: line => logged.push(line),
    now: () => Date.now() + server.ahead,
    ...options,
  })
  const { team, people } = running
  const { store } = team
  const url = `http://127.0.0.1:${running.port}`
  const secret = (text: string) => {
    secrets.add(text)
    return text
  }
  let first: Promise<Browser> | undefined
  let members = 0

  const call: TestServer['call'] = async (method, body = {}, headers = {}) => {
    const response = await fetch(`${url}/holdfast.team.v1.${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const said = (await response.json().catch(() => ({}))) as { code?: string; message?: string }
    const { code = '', message = '' } = response.ok ? {} : said
    return { status: response.status, code, message, body: said }
  }
  const browser: TestServer['browser'] = options =>
    new Browser(url, team.url, secret, options?.address ?? newAddress())

  const test: TestServer = Object.assign(server, {
    url,
    team,
    store,
    people,
    fingerprint: running.fingerprint,
    ownerLink: running.ownerLink ?? '',
    logged,
    secret,
    call,
    browser,
    owner() {
      first ??= (async () => {
        const someone = browser()
        await someone.join(secret(running.ownerLink!), { name: 'Olga', email: 'olga@example.com' })
        return someone
      })()
      return first
    },
    async member(role: string, email = `m${++members}@example.com`) {
      const boss = await test.owner()
      const { body } = await boss.call('PeopleService/InviteMember', { email, role })
      const someone = browser()
      await someone.join(secret(body.link), { name: `Member ${members}` })
      return someone
    },
    async token(someone: Browser, wish: object = {}) {
      const { body } = await someone.call('PeopleService/CreateToken', { name: 'script', ...wish })
      return secret(body.secret)
    },
    async key(wish: object = {}) {
      const boss = await test.owner()
      const { body } = await boss.call('DevicesService/CreateEnrolmentKey', { maxUses: 100, ...wish })
      return { id: body.key.id, secret: secret(body.secret) }
    },
    async device({ id = newDeviceId(), key }: { id?: string; key?: string } = {}) {
      const answer = await call('DeviceService/Enrol', {
        enrolmentKey: key ?? (await test.key()).secret,
        deviceId: id,
        facts: { name: 'laptop', operatingSystem: 'Linux', osVersion: '6.1', clientVersion: '0.1.0' },
      })
      expect(answer).toMatchObject({ status: 200 })
      return { id, token: secret(answer.body.token) }
    },
    async close() {
      await people.flush()
      const rows = await everything(store)
      await running.close()
      for (const spy of spies) spy.mockRestore()
      for (const one of secrets) {
        for (const part of [one, ...one.split(/[/_.]/)].filter(({ length }) => length >= 12)) {
          if (part === running.fingerprint || /^[0-9a-f]{16}$/.test(part)) continue
          expect(logged.join('\n').includes(part), `a secret is in the log: ${part}`).toBe(false)
          expect(rows.includes(part), `a secret is in the database: ${part}`).toBe(false)
        }
      }
    },
  })
  return test
}

async function everything({ db, kind }: Store): Promise<string> {
  const { rows } = await (kind === 'sqlite'
    ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
    : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`
  ).execute(db)
  const texts: string[] = []
  for (const { name } of rows) {
    // Meanwhile the server deletes days that are over.
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db).catch(error => {
      if (error.code !== '42P01') throw error
      return { rows: [] }
    })
    for (const row of rows as Record<string, unknown>[]) {
      texts.push(
        Object.values(row)
          .map(value => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)))
          .join(' '),
      )
    }
  }
  return texts.join('\n')
}

export interface Seen {
  readonly status: number
  readonly text: string
  readonly location: string
  readonly headers: Headers
}

/** Keeps cookies, follows no redirect by itself, and sends an origin as browsers do. */
export class Browser {
  readonly jar = new Map<string, string>()
  constructor(
    readonly url: string,
    /** The origin that it sends. */
    readonly origin: string,
    readonly secret: (text: string) => string,
    readonly address: string,
  ) {}

  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
    return this.#send(path, { headers })
  }

  async post(
    path: string,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Seen> {
    return this.#send(path, {
      method: 'POST',
      headers: { origin: this.origin, ...headers },
      body: new URLSearchParams(form),
    })
  }

  async call(method: string, body: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.url}/holdfast.team.v1.${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: this.cookie, origin: this.origin, ...headers },
      body: JSON.stringify(body),
    })
    const said = (await response.json().catch(() => ({}))) as { code?: string; message?: string }
    const { code = '', message = '' } = response.ok ? {} : said
    return { status: response.status, code, message, body: said }
  }

  async join(link: string, { name, email = '' }: { name: string; email?: string }): Promise<void> {
    const seen = await this.post(new URL(link).pathname, {
      name,
      email,
      password: this.secret(PASSWORD),
      repeated: PASSWORD,
    })
    expect(seen).toMatchObject({ status: 303, location: '/' })
  }

  signIn(email: string, password = PASSWORD): Promise<Seen> {
    return this.post('/sign-in', { email, password: this.secret(password), next: '/' })
  }

  async #send(path: string, init: RequestInit): Promise<Seen> {
    const headers = { cookie: this.cookie, 'x-forwarded-for': this.address, ...init.headers }
    const response = await fetch(new URL(path, this.url), { ...init, headers, redirect: 'manual' })
    for (const text of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(text)!
      if (value === '') this.jar.delete(name!)
      else this.jar.set(name!, value!)
      if (value && name!.includes('session_token')) this.secret(decodeURIComponent(value).split('.')[0]!)
    }
    return {
      status: response.status,
      text: await response.text(),
      location: response.headers.get('location') ?? '',
      headers: response.headers,
    }
  }
}

export function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
