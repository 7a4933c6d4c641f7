// Sign-in by an issuer of the organisation. The library handles the flow (discovery, PKCE, state); the remaining checks
// are here: signature, issuer, audience and nonce of the ID token, and a verified address.

import { APIError, getOAuthState } from 'better-auth/api'
import { validateToken } from 'better-auth/oauth2'
import { genericOAuth } from 'better-auth/plugins'
import type { Role } from '../roles.js'
import type { Team } from '../team.js'
import { UsageError } from '../usage-error.js'
import { type Doors, whyNot } from './admit.js'
import { toEmail } from './words.js'

export interface Oidc {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Domains whose verified addresses need no invitation. */
  readonly allowedDomains?: readonly string[]
  /** The role of these members (default: auditor). */
  readonly defaultRole?: Role
}

export const PROVIDER = 'oidc'
/** Error texts that are ours and may be shown. */
export const OURS = 'HOLDFAST'

const PATIENCE_MS = 10_000

export const doorsOf = ({ allowedDomains = [], defaultRole = 'auditor' }: Oidc): Doors => ({
  allowedDomains,
  defaultRole,
})

export function oidcPlugin(team: Team, oidc: Oidc) {
  const issuer = checkedIssuer(oidc.issuer)
  const discoveryUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  return genericOAuth({
    config: [
      {
        providerId: PROVIDER,
        discoveryUrl,
        issuer,
        clientId: oidc.clientId,
        clientSecret: oidc.clientSecret,
        scopes: ['openid', 'email', 'profile'],
        pkce: true,
        authorizationUrlParams: ({ body }) => ({ nonce: String(body?.additionalData?.nonce ?? '') }),
        async getUserInfo({ idToken }) {
          const claims = await checkedClaims(idToken, { discoveryUrl, issuer, clientId: oidc.clientId })
          const email = addressIn(claims, issuer)
          const subject = String(claims.sub)
          const directory = directoryIn(claims, issuer)
          const because = await whyNot(team, doorsOf(oidc), { email, subject, directory })
          if (because) throw refused(because)
          const name = [claims.name, claims.preferred_username].find(isText) ?? email
          return { id: subject, email, emailVerified: true, name: name.slice(0, 100) }
        },
      },
    ],
  })
}

/** Encrypted, or on this machine. */
function isPrivate(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  )
}

/** Microsoft's tenants: each is one organisation, whose admins control the addresses of its members. */
const ENTRA = /^https:\/\/login\.(microsoftonline\.(com|us)|partner\.microsoftonline\.cn)\//
const ENTRA_TENANT = /\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/v2\.0\/?$/i
const GOOGLE = 'https://accounts.google.com'

/** Exported for tests. */
export function checkedIssuer(text: string): string {
  const shown = `The OIDC issuer "${text.slice(0, 100)}"`
  if (!URL.canParse(text)) throw new UsageError(`${shown} is not an address. Expected https://….`)
  if (new URL(text).search !== '' || !isPrivate(text)) {
    throw new UsageError(
      `${shown} must be an https:// address without a query: anyone on the network could sign in as anyone. http:// works on this machine only.`,
    )
  }
  if (ENTRA.test(text) && !ENTRA_TENANT.test(text)) {
    throw new UsageError(
      `${shown} serves every organisation at Microsoft. Give the issuer of your tenant: https://login.microsoftonline.com/TENANT-ID/v2.0`,
    )
  }
  return text
}

type Claims = Readonly<Record<string, unknown>>

async function checkedClaims(
  idToken: string | undefined,
  { discoveryUrl, issuer, clientId }: { discoveryUrl: string; issuer: string; clientId: string },
): Promise<Claims> {
  const state = (await getOAuthState()) as { nonce?: unknown } | null
  try {
    if (!idToken) throw new Error('there was no ID token')
    const answer = await fetch(discoveryUrl, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const { jwks_uri } = (await answer.json()) as { jwks_uri: string }
    if (!isPrivate(jwks_uri)) throw new Error('its keys are not at an https:// address')
    const { payload } = await validateToken(idToken, jwks_uri, { audience: clientId, issuer })
    if (!isText(state?.nonce) || payload.nonce !== state.nonce) throw new Error('its nonce does not match')
    if (!isText(payload.sub)) throw new Error('it has no subject')
    return payload
  } catch (error) {
    throw refused(
      `The response of ${new URL(issuer).host} about you could not be verified: ${(error as Error).message}. Try again; if the error persists, contact an admin.`,
    )
  }
}

/** Exported for tests. */
export function addressIn(claims: Claims, issuer: string): string {
  const { host } = new URL(issuer)
  // Entra sends no email_verified, and no email for users without a mailbox: its tenant vouches for both names.
  const isEntra = ENTRA.test(issuer)
  const email = claims.email ?? (isEntra ? claims.preferred_username : undefined)
  if (!isText(email)) {
    throw refused(`${host} did not provide your email address. Ask an admin to add the claim "email" there.`)
  }
  const { email_verified: verified, xms_edov: ownsDomain } = claims
  const isVouchedFor = isEntra
    ? verified === undefined && ownsDomain !== false && ownsDomain !== 0 && ownsDomain !== '0'
    : false
  if (!isVouchedFor && verified !== true && verified !== 'true') {
    throw refused(
      `${host} does not confirm that your email address is verified. Verify it there, then try again.`,
    )
  }
  return toEmail(email)
}

/**
 * Exported for tests. Google also verifies company addresses of private accounts, which remain when the owner leaves
 * the company. Only "hd" names the directory that an account belongs to.
 */
export function directoryIn(claims: Claims, issuer: string): string | undefined {
  if (issuer.replace(/\/$/, '') !== GOOGLE) return undefined
  return isText(claims.hd) ? claims.hd.toLowerCase() : ''
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export const refused = (message: string): APIError => new APIError('FORBIDDEN', { code: OURS, message })
