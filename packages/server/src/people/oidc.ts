// Sign-in by an issuer of the organisation's own. The library walks the flow (discovery, PKCE, state); what it leaves
// open is closed here: the ID token's signature, issuer, audience and nonce are checked, and the address must be
// verified.

import { APIError, getOAuthState } from 'better-auth/api'
import { validateToken } from 'better-auth/oauth2'
import { genericOAuth } from 'better-auth/plugins'
import type { Role } from '../access/methods.js'
import { Complaint } from '../complaint.js'
import type { Team } from '../team.js'
import { type Doors, whyNot } from './admit.js'
import { toEmail } from './words.js'

export interface Oidc {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Whose verified addresses need no invitation. */
  readonly allowedDomains?: readonly string[]
  /** Of those; auditor unless said. */
  readonly defaultRole?: Role
}

export const PROVIDER = 'oidc'
/** On errors whose sentence is ours and may be shown. */
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
          const because = await whyNot(team, doorsOf(oidc), { email, subject })
          if (because) throw refused(because)
          const name = [claims.name, claims.preferred_username].find(isText) ?? email
          return { id: subject, email, emailVerified: true, name: name.slice(0, 100) }
        },
      },
    ],
  })
}

function checkedIssuer(text: string): string {
  const isFine =
    URL.canParse(text) && /^https:$|^http:$/.test(new URL(text).protocol) && new URL(text).search === ''
  if (isFine) return text
  throw new Complaint(`The OIDC issuer "${text.slice(0, 100)}" is not an address. Expected https://….`)
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
    const { payload } = await validateToken(idToken, jwks_uri, { audience: clientId, issuer })
    if (!isText(state?.nonce) || payload.nonce !== state.nonce) throw new Error('its nonce is not ours')
    if (!isText(payload.sub)) throw new Error('it names nobody')
    return payload
  } catch (error) {
    throw refused(
      `What ${new URL(issuer).host} said of you could not be verified: ${(error as Error).message}. Try again; if it stays, tell an admin.`,
    )
  }
}

function addressIn(claims: Claims, issuer: string): string {
  const { host } = new URL(issuer)
  if (!isText(claims.email)) throw refused(`${host} did not name your email address. Tell an admin.`)
  if (claims.email_verified !== true && claims.email_verified !== 'true') {
    throw refused(
      `${host} does not say that your email address is verified. Verify it there, then try again.`,
    )
  }
  return toEmail(claims.email)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export const refused = (message: string): APIError => new APIError('FORBIDDEN', { code: OURS, message })
