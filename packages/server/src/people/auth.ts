// The library that keeps passwords, sessions and the device code flow, told how this server wants it. Its own web paths
// are reached only through here: nobody can call one that is not offered.

import { randomInt } from 'node:crypto'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { getAdapter } from 'better-auth/db/adapter'
import { deviceAuthorization } from 'better-auth/plugins'
import type { Limit } from '../access/limits.js'
import type { Db, Tx } from '../store/open.js'
import type { Team } from '../team.js'
import { hashing } from './adapter.js'
import { admit } from './admit.js'
import { memberRole } from './members.js'
import { doorsOf, type Oidc, oidcPlugin, refused } from './oidc.js'
import { LONGEST_PASSWORD } from './words.js'

/** Set by this server on what it hands to the library; whatever a caller sends under this name is dropped. */
const ADDRESS_HEADER = 'x-holdfast-address'
const BASE = '/api/auth'
const DAY_SECONDS = 86_400

export const CLIENT_ID = 'holdfast'
/** A session that came from a device code says so where others name a browser. It is good for Enrol, and soon over. */
export const DEVICE_SESSION = 'holdfast login'
const DEVICE_SESSION_MS = 5 * 60_000

/** No vowels, so that no code is a word. */
const CONSONANTS = 'BCDFGHJKLMNPQRSTVWXZ'

export interface Asking {
  readonly headers: Headers
  readonly address: string
}

export interface SignedIn {
  readonly user: { readonly id: string; readonly email: string; readonly name: string }
  readonly cookies: readonly string[]
}

export interface Auth {
  /** Calls one of the library's own paths, as the browser that asked would. */
  ask(path: string, from: Asking, body?: Readonly<Record<string, unknown>>): Promise<Response>
  session(from: Asking): Promise<SignedIn | null>
  hash(password: string): Promise<string>
  addUser(tx: Tx, user: { name: string; email: string; hash: string }): Promise<string>
}

export interface AuthParts {
  readonly oidc?: Oidc | undefined
  /** By account: who is locked out gets no device in either. */
  readonly lock: Limit
}

export async function openAuth(team: Team, { oidc, lock }: AuthParts): Promise<Auth> {
  const { store } = team
  const secret = Buffer.from(team.secrets.derive('sign-in')).toString('hex')
  const { origin } = new URL(team.url)
  const options: BetterAuthOptions = {
    appName: 'Holdfast',
    baseURL: origin,
    basePath: BASE,
    secret,
    secrets: [{ version: 1, value: secret }],
    telemetry: { enabled: false },
    trustedOrigins: [origin],
    // What it logs beside its sentence may hold anything, so only the sentence is kept.
    logger: {
      level: 'warn',
      disableColors: true,
      log: (level, message) =>
        team.log[level === 'error' ? 'error' : 'warn']('sign-in', { said: String(message).slice(0, 200) }),
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 12,
      maxPasswordLength: LONGEST_PASSWORD,
    },
    session: { expiresIn: 7 * DAY_SECONDS, updateAge: DAY_SECONDS, cookieCache: { enabled: false } },
    account: {
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, trustedProviders: ['oidc'], requireLocalEmailVerified: false },
    },
    verification: { storeIdentifier: 'hashed' },
    onAPIError: { errorURL: `${origin}/sign-in/failed` },
    rateLimit: { enabled: true, customRules: { '/device/code': { window: 60, max: 30 } } },
    advanced: {
      useSecureCookies: origin.startsWith('https://'),
      cookiePrefix: 'holdfast',
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
    databaseHooks: {
      account: {
        create: {
          // The issuer's tokens are of no use here, and are not kept.
          before: async account => ({
            data: { ...account, accessToken: null, refreshToken: null, idToken: null },
          }),
        },
      },
      session: {
        create: {
          before: async (session, context) => {
            const path = context?.path ?? ''
            const user = await store.db
              .selectFrom('user')
              .select(['id', 'email'])
              .where('id', '=', session.userId)
              .executeTakeFirstOrThrow()
            const address = context?.headers?.get(ADDRESS_HEADER) ?? ''
            if (oidc && path.startsWith('/oauth2/callback')) await admit(team, doorsOf(oidc), user, address)
            if (!(await memberRole(store.db, user.id))) throw notAMember(path)
            if (path !== '/device/token') return
            if ((await lock.shutFor(user.email)) > 0) throw denied('The account is locked. Try again later.')
            const expiresAt = new Date(Date.now() + DEVICE_SESSION_MS)
            return { data: { ...session, expiresAt, userAgent: DEVICE_SESSION } }
          },
        },
      },
    },
    plugins: [
      deviceAuthorization({
        expiresIn: '10m',
        interval: '5s',
        verificationUri: '/device',
        validateClient: id => id === CLIENT_ID,
        generateUserCode: () =>
          Array.from({ length: 8 }, () => CONSONANTS[randomInt(CONSONANTS.length)]).join(''),
      }),
      ...(oidc ? [oidcPlugin(team, oidc)] : []),
    ],
  }
  const adapterFor = async (db: Db | Tx) =>
    hashing(await getAdapter({ ...options, database: { db: db as never, type: store.kind } }))
  const adapter = await adapterFor(store.db)
  const auth = betterAuth({ ...options, database: () => adapter })
  const context = await auth.$context

  const passedOn = ({ headers, address }: Asking): Headers => {
    const copy = new Headers()
    for (const name of ['cookie', 'user-agent']) {
      const value = headers.get(name)
      if (value) copy.set(name, value)
    }
    // Whether the browser came from one of our pages was settled before.
    copy.set('origin', origin)
    copy.set(ADDRESS_HEADER, address)
    return copy
  }

  return {
    ask(path, from, body) {
      const headers = passedOn(from)
      if (body) headers.set('content-type', 'application/json')
      return auth.handler(
        new Request(`${origin}${BASE}${path}`, {
          method: body ? 'POST' : 'GET',
          headers,
          ...(body ? { body: JSON.stringify(body) } : {}),
        }),
      )
    },
    async session(from) {
      if (!from.headers.get('cookie')?.includes('holdfast.session_token=')) return null
      try {
        const { response, headers } = await auth.api.getSession({
          headers: passedOn(from),
          returnHeaders: true,
        })
        if (!response) return null
        const { id, email, name } = response.user
        return { user: { id, email, name }, cookies: headers.getSetCookie() }
      } catch (error) {
        if (error instanceof APIError) return null
        throw error
      }
    },
    hash: password => context.password.hash(password),
    async addUser(tx, { name, email, hash }) {
      const inside = await adapterFor(tx)
      const at = new Date()
      const user = await inside.create<Record<string, unknown>, { id: string }>({
        model: 'user',
        data: { name, email, emailVerified: false, createdAt: at, updatedAt: at },
      })
      await inside.create({
        model: 'account',
        data: {
          userId: user.id,
          accountId: user.id,
          providerId: 'credential',
          password: hash,
          createdAt: at,
          updatedAt: at,
        },
      })
      return user.id
    },
  }
}

const notAMember = (path: string): APIError => {
  const sentence = 'You are not a member of this team any more.'
  return path === '/device/token' ? denied(sentence) : refused(sentence)
}

/** As RFC 8628 has it. */
const denied = (sentence: string): APIError =>
  new APIError('BAD_REQUEST', { error: 'access_denied', error_description: sentence })
