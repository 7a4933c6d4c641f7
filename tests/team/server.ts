// A complete server for a test, on a port of this machine, and clients for it.

import type { DescService } from '@bufbuild/protobuf'
import { type Client, createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { type RunningServer, type ServerOptions, startServer } from '@holdfast/server'
import { HooksService, RolloutService } from '@holdfast/team'
import type { Person } from '../../packages/server/src/access/actor.js'
import { hookOf, markFit } from '../../packages/server/src/hooks/drafts.js'
import { createToken } from '../../packages/server/src/people/person-tokens.js'
import type { Role } from '../../packages/server/src/roles.js'
import type { Team } from '../../packages/server/src/team.js'

export interface TestServer extends RunningServer {
  readonly logged: string[]
}

export async function startTestServer(
  database: string,
  options: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const logged: string[] = []
  const server = await startServer({
    database,
    host: '127.0.0.1',
    port: 0,
    secret: Buffer.alloc(32, 7),
    writeLog: line => logged.push(line),
    ...options,
  })
  return { ...server, logged }
}

export const callerOf =
  (url: string, token: string | null) =>
  <S extends DescService>(service: S) => {
    const withToken: Interceptor = next => request => {
      if (token) request.header.set('authorization', `Bearer ${token}`)
      return next(request)
    }
    return createClient(
      service,
      createConnectTransport({ baseUrl: url, httpVersion: '1.1', interceptors: [withToken] }),
    )
  }

/** A member without a password. */
export async function seat({ store, now }: Team, { userId, name, role }: Person): Promise<void> {
  const at = new Date(now()).toISOString() as never
  await store.db
    .insertInto('user')
    .values({
      id: userId,
      name,
      email: `${name}@example.com`,
      emailVerified: store.kind === 'sqlite' ? 1 : true,
      createdAt: at,
      updatedAt: at,
    } as never)
    .execute()
  await store.db
    .insertInto('members')
    .values({ user_id: userId, role, joined_at: now(), last_seen_at: 0 })
    .execute()
}

/** And a token of theirs. */
export async function seatMember({ team }: RunningServer, role: Role, name: string = role): Promise<string> {
  const actor: Person = { kind: 'person', userId: `user-${name}`, name, role, via: 'session', address: '' }
  await seat(team, actor)
  return (await createToken(team, actor, { name: 'test', role, days: 1 })).secret
}

/** Marks a draft as checked without running it. replay.test.ts and whole.test.ts cover the check itself. */
export const passDraft = async (team: Team, id: number): Promise<void> =>
  markFit(team, await hookOf(team.store.db, id))

/** Publishes a hook before shell commands, to all devices at once unless it uses rings. */
export async function publishHook(
  { team }: RunningServer,
  caller: <S extends DescService>(service: S) => Client<S>,
  script: string,
  { id = 0, skipRings = true }: { id?: number; skipRings?: boolean } = {},
): Promise<{ hookId: number; number: number }> {
  const hooks = caller(HooksService)
  const baseVersion = id === 0 ? 0 : (await hooks.getHook({ id })).hook!.draftVersion
  const { hook } = await hooks.saveDraft({
    id,
    name: 'Before the shell',
    baseVersion,
    draft: {
      hookStep: 'beforeShellExecution',
      scriptName: 'shell.sh',
      scriptContent: script,
      isActive: true,
    },
  })
  await passDraft(team, hook!.id)
  const { release } = await caller(RolloutService).publish({
    drafts: [{ hookId: hook!.id, draftVersion: hook!.draftVersion }],
    note: 'a test',
    skipRings,
  })
  return { hookId: hook!.id, number: release!.number }
}
