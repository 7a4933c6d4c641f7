// Everything about people and devices at the door, for one server.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller, DeviceActor } from '../access/actor.js'
import { addressOf, type Hop } from '../access/address.js'
import { openLimit } from '../access/limits.js'
import { openRefused } from '../access/refused.js'
import { openSeen } from '../access/seen.js'
import { openTokens } from '../access/tokens.js'
import { Complaint } from '../complaint.js'
import type { People } from '../serve.js'
import type { Team } from '../team.js'
import { openAuth } from './auth.js'
import { memberRole } from './members.js'
import type { Oidc } from './oidc.js'
import { admit } from './pages/gate.js'
import type { House } from './pages/house.js'
import { handlePage } from './pages/pages.js'
import { tidy } from './tidy.js'

const TIDY_EVERY_MS = 3_600_000

export interface PeopleOptions {
  readonly oidc?: Oidc
  /** False: people sign in by OIDC only. */
  readonly passwords?: boolean
  /** How many reverse proxies stand before the server and name the caller's address; none unless said. */
  readonly proxies?: number
}

export interface OpenPeople extends People {
  /**
   * The device that shows this Authorization header. At once, and without the database, when it was here in the last
   * minute; undefined for everybody else, who goes through the door and hears why.
   */
  identifyDevice(
    authorization: string | undefined,
    address?: string,
  ): DeviceActor | undefined | Promise<DeviceActor | undefined>
  /** A sign of a device that has not asked for anything: its stream is open. */
  seen(deviceId: string): void
  /** Writes what is collected. */
  flush(): Promise<void>
  close(): Promise<void>
}

export async function openPeople(team: Team, options: PeopleOptions = {}): Promise<OpenPeople> {
  const { oidc, passwords = true, proxies = 0 } = options
  if (!passwords && !oidc) {
    throw new Complaint('Sign-in by OIDC only needs an issuer: --oidc-issuer and --oidc-client.')
  }
  const { store, log, url } = team
  const account = openLimit(store, { name: 'sign-in', tries: 10, inSeconds: 900, lockSeconds: 900 })
  const network = openLimit(store, { name: 'sign-in-from', tries: 50, inSeconds: 900, lockSeconds: 900 })
  const codes = openLimit(store, { name: 'device-code', tries: 10, inSeconds: 600, lockSeconds: 600 })
  const seen = openSeen(team)
  const refusals = openRefused(team)
  const tokens = openTokens(team, seen)
  const auth = await openAuth(team, { oidc, passwords, lock: account })
  const refused = refusals.note
  const issuer = oidc ? new URL(oidc.issuer).host : null
  const house: House = { team, auth, issuer, passwords, account, network, codes, refused }
  const sweep = () =>
    tidy(team).catch(error =>
      log.warn('what is over could not be swept', { error: (error as Error).message }),
    )
  let sweeping = sweep()
  const timer = setInterval(() => {
    sweeping = sweep()
  }, TIDY_EVERY_MS).unref()

  const identify = async (headers: Headers, address: string): Promise<Caller> => {
    const authorization = headers.get('authorization')
    if (authorization !== null) return { actor: await tokens.bearer(authorization, address), cookies: [] }
    const session = await auth.session({ headers, address })
    const role = session && (await memberRole(store.db, session.user.id))
    if (!session || !role) return { actor: { kind: 'nobody', address }, cookies: [] }
    const { id: userId, email: name } = session.user
    seen.member(userId)
    return {
      actor: { kind: 'person', userId, name, role, via: 'session', address },
      cookies: session.cookies,
    }
  }
  const flush = async () => {
    await seen.flush()
    await refusals.flush()
  }
  const address = (hop: Hop): string => addressOf(hop, proxies)
  return {
    url,
    identify,
    refused,
    changes: () => team.hub.epoch('people') + team.hub.epoch('tokens'),
    address,
    handle: (request: IncomingMessage, response: ServerResponse) =>
      handlePage(house, request, response, address(request)),
    admit: (request, response) => admit(headers => identify(headers, address(request)), request, response),
    identifyDevice: (authorization, from = '') => tokens.device(authorization, from),
    seen: seen.device,
    flush,
    async close() {
      clearInterval(timer)
      tokens.close()
      await sweeping
      await flush()
    },
  }
}
