// The real team server on a separate database, with members who have signed in.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DescService } from '@bufbuild/protobuf'
import type { Client } from '@connectrpc/connect'
import type { ServerOptions } from '@holdfast/server'
import { PeopleService } from '@holdfast/team'
import type { Role } from '../../packages/server/src/roles.js'
import '../team/passwords.js'
import { callerOf, startTestServer, type TestServer } from '../team/server.js'
import type { WindowOptions } from './browser.js'
import { listenAgain, release } from './ports.js'

const PASSWORD = 'correct horse battery'

export interface Person {
  readonly name: string
  readonly email: string
  readonly cookies: NonNullable<WindowOptions['cookies']>
  /** Calls with a token of theirs. */
  readonly as: <S extends DescService>(service: S) => Client<S>
}

export interface TestTeam {
  readonly server: TestServer
  readonly url: string
  readonly owner: Person
  /** Invited, come, and signed in. */
  member(role: Role, name?: string, email?: string): Promise<Person>
  /** Stops the server; the returned function starts it again at the same address with the same data. */
  interrupt(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

export async function startTeam(
  name = 'Harbour works',
  options: Partial<ServerOptions> = {},
): Promise<TestTeam> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-web-'))
  const start = (more: Partial<ServerOptions> = {}) =>
    startTestServer(join(folder, 'team.db'), { name, proxies: 1, ...options, ...more })
  let server = await listenAgain(port => start({ port }))
  const { url } = server
  const owner = await come(url, server.ownerLink!, 'Olga', 'olga@example.com')
  return {
    get server() {
      return server
    },
    url,
    owner,
    async member(role, called = role, email = `${called.toLowerCase()}@example.com`) {
      const { link } = await owner.as(PeopleService).inviteMember({ email, role })
      return come(url, link, called, email)
    },
    async interrupt() {
      await server.close()
      return async () => {
        server = await start({ port: Number(new URL(url).port) })
      }
    },
    async stop() {
      await server.close()
      await release(Number(new URL(url).port))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

let people = 0

async function come(url: string, link: string, name: string, email: string): Promise<Person> {
  const joined = await fetch(link, {
    method: 'POST',
    redirect: 'manual',
    // Each from another address: sign-ins are limited by address.
    headers: { origin: url, 'x-forwarded-for': `198.51.100.${++people}` },
    body: new URLSearchParams({ name, email, password: PASSWORD, repeated: PASSWORD }),
  })
  if (joined.status !== 303) throw new Error(`${name} could not join: ${await joined.text()}`)
  const pairs = joined.headers.getSetCookie().map(text => /^([^=]+)=([^;]*)/.exec(text)!)
  const cookies = pairs.map(([, name, value]) => ({ name: name!, value: value!, url }))
  const cookie = pairs.map(([pair]) => pair).join('; ')
  const made = await fetch(`${url}/holdfast.team.v1.PeopleService/CreateToken`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, origin: url },
    body: JSON.stringify({ name: 'test', days: 2 }),
  })
  const { secret } = (await made.json()) as { secret: string }
  return { name, email, cookies, as: callerOf(url, secret) }
}
