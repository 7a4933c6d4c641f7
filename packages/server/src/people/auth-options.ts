// The configuration of the library for passwords and sessions.

import { randomInt } from 'node:crypto'
import { passkey } from '@better-auth/passkey'
import type { BetterAuthOptions } from 'better-auth'
import { APIError } from 'better-auth/api'
import { deviceAuthorization, twoFactor } from 'better-auth/plugins'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Limit } from '../access/limits.js'
import { findUser, membershipOf, standingOf } from '../store/members.js'
import type { Db } from '../store/open.js'
import type { Team } from '../team.js'
import { admit } from './admit.js'
import { doorsOf, type Oidc, oidcPlugin, refused } from './oidc.js'
import { LONGEST_PASSWORD } from './words.js'

/** Set by this server on internal requests; the same header of a caller is dropped. */
export const ADDRESS_HEADER = 'x-holdfast-address'
export const BASE = '/api/auth'
export const CLIENT_ID = 'holdfast'
/** A session from a device code is marked in place of a browser name. It can only enrol, and expires soon. */
export const DEVICE_SESSION = 'holdfast login'
const DEVICE_SESSION_MS = 5 * 60_000
const DAY_SECONDS = 86_400

/** No vowels, so that codes do not form words. */
const CONSONANTS = 'BCDFGHJKLMNPQRSTVWXZ'

export interface AuthParts {
  readonly oidc?: Oidc | undefined
  readonly passwords: boolean
  /** By account: a locked account gets no device in either way. */
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
    // Its log details may contain secrets, so only the message is kept.
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
    // Not extended by use: a password is required every week, an issuer every day (below).
    session: {
      expiresIn: 7 * DAY_SECONDS,
      disableSessionRefresh: true,
      freshAge: 0,
      cookieCache: { enabled: false },
    },
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
        '/passkey/*': { window: 60, max: 30 },
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
          // Tokens of the issuer are not needed, and not stored.
          before: async account => ({
            data: { ...account, accessToken: null, refreshToken: null, idToken: null },
          }),
        },
      },
      session: {
        create: {
          before: async (session, context) => {
            const path = context?.path ?? ''
            const user = (await findUser(store.db, 'id', session.userId))!
            const address = context?.headers?.get(ADDRESS_HEADER) ?? ''
            const isByIssuer = path.startsWith('/oauth2/callback')
            if (oidc && isByIssuer) await admit(team, doorsOf(oidc), user, address)
            if (!(await membershipOf(store.db, user.id))) throw notAMember(path)
            if (path === '/sign-in/email' && (await needsPasskey(store.db, user.id)))
              throw refused(USE_PASSKEY)
            if (isByIssuer) {
              return { data: { ...session, expiresAt: new Date(Date.now() + DAY_SECONDS * 1000) } }
            }
            if (path !== '/device/token') {
              // Limits the name of a browser.
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
      // Of an authenticator app. If an issuer signs users in, it handles the second factor.
      twoFactor({ issuer: `Holdfast ${team.name}` }),
      // The PIN or fingerprint of the key is the second factor, so a key that was only touched is refused.
      passkey({
        rpID: new URL(team.url).hostname,
        rpName: `Holdfast ${team.name}`,
        origin,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        registration: {
          afterVerification: ({ verification }) =>
            mustBeVerified(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: ({ verification }) =>
            mustBeVerified(verification.authenticationInfo.userVerified),
        },
      }),
      ...(oidc ? [oidcPlugin(team, oidc)] : []),
    ],
  }
}

const USE_PASSKEY = 'This account signs in with a passkey. The password alone is not enough.'

async function needsPasskey(db: Db, userId: string): Promise<boolean> {
  const standing = await standingOf(db, userId)
  return standing !== null && standing.passkeys > 0 && !standing.hasCodes
}

async function mustBeVerified(isVerified: boolean | undefined): Promise<undefined> {
  if (!isVerified) throw refused('The passkey must ask for a PIN, a fingerprint or a face.')
}

/** The library counts per process: a second server would count separately. */
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
    // Only for a storage without an atomic counter.
    get: async () => null,
    set: async () => {},
  }
}

const notAMember = (path: string): APIError => {
  const sentence = 'You are no longer a member of this team.'
  return path === '/device/token' ? denied(sentence) : refused(sentence)
}

/** As in RFC 8628. */
const denied = (sentence: string): APIError =>
  new APIError('BAD_REQUEST', { error: 'access_denied', error_description: sentence })
