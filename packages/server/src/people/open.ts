// Authentication, users and devices of one server.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller, DeviceActor } from '../access/actor.js'
import { addressOf, type Hop } from '../access/address.js'
import { openLimit } from '../access/limits.js'
import { openRefused } from '../access/refused.js'
import { openSeen } from '../access/seen.js'
import { openTokens } from '../access/tokens.js'
import type { People } from '../serve.js'
import { deleteExpired } from '../store/expired.js'
import { type Standing, standingOf } from '../store/members.js'
import type { Team } from '../team.js'
import { UsageError } from '../usage-error.js'
import { openAuth } from './auth.js'
import { lacksSecondFactor } from './members.js'
import type { Oidc } from './oidc.js'
import { admit } from './pages/gate.js'
import { SECOND_FACTOR } from './pages/next.js'
import { handlePage } from './pages/pages.js'
import type { Site } from './pages/site.js'

const TIDY_EVERY_MS = 3_600_000

export interface PeopleOptions {
  readonly oidc?: Oidc
  /** False: users sign in by OIDC only. */
  readonly passwords?: boolean
  /** Of owners and admins with a password (default: optional if only this machine reaches the server). */
  readonly secondFactor?: 'required' | 'optional'
  /** The number of reverse proxies in front of the server (default: 0). */
  readonly proxies?: number
}

export interface OpenPeople extends People {
  /**
   * The device with this Authorization header. Synchronous and without the database if it called in the last minute;
   * undefined for all others, which complete authentication reports on.
   */
  identifyDevice(
    authorization: string | undefined,
    address?: string,
  ): DeviceActor | undefined | Promise<DeviceActor | undefined>
  /** Calls the listener with the id of a device whose token may have changed; '' stands for all devices. */
  onTokenChange(listener: (deviceId: string) => void): void
  /** Writes collected data. */
  flush(): Promise<void>
  close(): Promise<void>
}

export async function openPeople(team: Team, options: PeopleOptions = {}): Promise<OpenPeople> {
  const { oidc, passwords = true, proxies = 0 } = options
  const { secondFactor = isOwnMachine(team.url) ? 'optional' : 'required' } = options
  if (!passwords && !oidc) {
    throw new UsageError('Sign-in by OIDC only needs an issuer: --oidc-issuer and --oidc-client.')
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
  const isRequired = secondFactor === 'required'
  const mustSetUp = (standing: Standing) => isRequired && passwords && lacksSecondFactor(standing)
  const site: Site = { team, auth, issuer, passwords, mustSetUp, account, network, codes, refused }
  const sweep = () =>
    deleteExpired(store, team.now()).catch(error =>
      log.warn('expired rows could not be deleted', { error: (error as Error).message }),
    )
  let sweeping = sweep()
  const timer = setInterval(() => {
    sweeping = sweep()
  }, TIDY_EVERY_MS).unref()

  const identify = async (headers: Headers, address: string): Promise<Caller> => {
    const authorization = headers.get('authorization')
    if (authorization !== null) return { actor: await tokens.bearer(authorization, address), cookies: [] }
    const session = await auth.session({ headers, address })
    const standing = session && (await standingOf(store.db, session.user.id))
    if (!session || !standing) return { actor: { kind: 'nobody', address }, cookies: [] }
    if (mustSetUp(standing)) {
      const because = `Owners and admins need a second factor. Set one up at ${url}${SECOND_FACTOR}.`
      return { actor: { kind: 'nobody', address, because }, cookies: [], location: SECOND_FACTOR }
    }
    const { role } = standing
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
      handlePage(site, request, response, address(request)),
    admit: (request, response) => admit(headers => identify(headers, address(request)), request, response),
    identifyDevice: (authorization, from = '') => tokens.device(authorization, from),
    onTokenChange: tokens.onChange,
    flush,
    async close() {
      clearInterval(timer)
      tokens.close()
      await sweeping
      await flush()
    },
  }
}

const isOwnMachine = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
