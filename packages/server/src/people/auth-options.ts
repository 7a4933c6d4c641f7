// How the library that keeps passwords and sessions is told what this server wants.

import { randomInt } from 'node:crypto'
import type { BetterAuthOptions } from 'better-auth'
import { APIError } from 'better-auth/api'
import { deviceAuthorization, twoFactor } from 'better-auth/plugins'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Limit } from '../access/limits.js'
import type { Team } from '../team.js'
import { admit } from './admit.js'
import { memberRole } from './members.js'
import { doorsOf, type Oidc, oidcPlugin, refused } from './oidc.js'
import { LONGEST_PASSWORD } from './words.js'

/** Set by this server on what it hands to the library; whatever a caller sends under this name is dropped. */
export const ADDRESS_HEADER = 'x-holdfast-address'
export const BASE = '/api/auth'
export const CLIENT_ID = 'holdfast'
/** A session that came from a device code says so where others name a browser. It is good for Enrol, and soon over. */
export const DEVICE_SESSION = 'holdfast login'
const DEVICE_SESSION_MS = 5 * 60_000
const DAY_SECONDS = 86_400

/** No vowels, so that no code is a word. */
const CONSONANTS = 'BCDFGHJKLMNPQRSTVWXZ'

export interface AuthParts {
  readonly oidc?: Oidc | undefined
  readonly passwords: boolean
  /** By account: who is locked out gets no device in either. */
  readonly lock: Limit
}

export function authOptions(team: Team, { oidc, passwords, lock }: AuthParts): BetterAuthOptions {
  const { store } = team
  const secret = Buffer.from(team.secrets.derive('sign-in')).toString('hex')
  const { origin } = new URL(team.url)
  return {
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
      enabled: passwords,
      disableSignUp: true,
      minPasswordLength: 12,
      maxPasswordLength: LONGEST_PASSWORD,
    },
    // Not extended by use: a password is asked for every week, an issuer every day (below).
    session: { expiresIn: 7 * DAY_SECONDS, disableSessionRefresh: true, cookieCache: { enabled: false } },
    account: {
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, trustedProviders: ['oidc'], requireLocalEmailVerified: false },
    },
    verification: { storeIdentifier: 'hashed' },
    onAPIError: { errorURL: `${origin}/sign-in/failed` },
    rateLimit: {
      enabled: true,
      customRules: {
        '/device/code': { window: 60, max: 30 },
        '/two-factor/*': { window: 60, max: 20 },
      },
      customStorage: ownCounts(),
    },
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
            const isByIssuer = path.startsWith('/oauth2/callback')
            if (oidc && isByIssuer) await admit(team, doorsOf(oidc), user, address)
            if (!(await memberRole(store.db, user.id))) throw notAMember(path)
            if (isByIssuer) {
              return { data: { ...session, expiresAt: new Date(Date.now() + DAY_SECONDS * 1000) } }
            }
            if (path !== '/device/token') {
              // Whatever a browser calls itself.
              return session.userAgent === DEVICE_SESSION
                ? { data: { ...session, userAgent: '' } }
                : undefined
            }
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
      // Of an authenticator app. Where an issuer signs people in, the issuer asks for its own.
      twoFactor({ issuer: `Holdfast ${team.name}` }),
      ...(oidc ? [oidcPlugin(team, oidc)] : []),
    ],
  }
}

/** The library keeps its counts for the process: a second server in it would refuse the callers of the first. */
function ownCounts() {
  const limiters = new Map<string, RateLimiterMemory>()
  const limiterOf = ({ window, max }: { window: number; max: number }): RateLimiterMemory => {
    const key = `${window} ${max}`
    const limiter = limiters.get(key) ?? new RateLimiterMemory({ points: max, duration: window })
    limiters.set(key, limiter)
    return limiter
  }
  return {
    async consume(key: string, rule: { window: number; max: number }) {
      try {
        await limiterOf(rule).consume(key)
        return { allowed: true, retryAfter: null }
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        return { allowed: false, retryAfter: Math.ceil(error.msBeforeNext / 1000) }
      }
    },
    // Only for a storage that cannot count and decide in one step.
    get: async () => null,
    set: async () => {},
  }
}

const notAMember = (path: string): APIError => {
  const sentence = 'You are not a member of this team any more.'
  return path === '/device/token' ? denied(sentence) : refused(sentence)
}

/** As RFC 8628 has it. */
const denied = (sentence: string): APIError =>
  new APIError('BAD_REQUEST', { error: 'access_denied', error_description: sentence })
