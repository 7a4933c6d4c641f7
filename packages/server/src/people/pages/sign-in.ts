// Signing in and out.

import { randomBytes } from 'node:crypto'
import { networkOf } from '../../access/address.js'
import { RequestError } from '../../request-error.js'
import { countTeamOwners, isMember } from '../../store/members.js'
import { OURS, PROVIDER } from '../oidc.js'
import { toEmail } from '../words.js'
import { html } from './html.js'
import { field, layout, problem } from './layout.js'
import { safePath } from './next.js'
import { signInButton } from './passkey.js'
import type { Site } from './site.js'
import type { Reply, Visit } from './visit.js'

export async function signInPage(
  site: Site,
  {
    next,
    email = '',
    sentence = '',
    status = 200,
  }: { next: string; email?: string; sentence?: string; status?: number },
): Promise<Reply> {
  const { team, issuer, passwords } = site
  const byIssuer = issuer
    ? html`<a class="button${passwords ? ' quiet' : ''}" href="/sign-in/oidc?next=${encodeURIComponent(next)}">Sign in with ${issuer}</a>`
    : null
  const isOpen = (await countTeamOwners(team.store.db)) > 0
  const body = isOpen
    ? html`${problem(sentence)}
${
  passwords
    ? html`<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
${field({ name: 'email', label: 'Email', type: 'email', autocomplete: 'username', value: email })}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<p class="row"><button>Sign in</button>
${byIssuer}</p>
</form>
${signInButton(next)}`
    : html`<p class="row">${byIssuer}</p>`
}
<p class="hint">Not a member yet? Ask an admin of the team for an invitation.${passwords ? ' Lost the password? Ask an admin to remove and invite you again.' : ''}</p>`
    : html`${problem(sentence)}<p>This team has no owner yet. Open the link that <code>holdfast serve</code> printed when it started.</p>`
  return { status, page: layout({ title: 'Sign in', team: team.name }, body) }
}

export async function signIn(site: Site, visit: Visit): Promise<Reply> {
  const form = await visit.form()
  const next = safePath(form.get('next'))
  const typed = form.get('email') ?? ''
  try {
    const { cookies, needsCode } = await tryPassword(site, visit, typed, form.get('password') ?? '')
    return { location: needsCode ? `/sign-in/code?next=${encodeURIComponent(next)}` : next, cookies }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    const status = error.code === 'too-much' ? 429 : error.code === 'invalid' ? 400 : 401
    return signInPage(site, { next, email: typed.slice(0, 254), sentence: error.message, status })
  }
}

/** The attempt is counted before the password is checked: a hundred concurrent attempts count as a hundred. */
export async function tryPassword(
  { team, auth, account, network, refused, passwords, issuer }: Site,
  visit: Visit,
  typed: string,
  password: string,
): Promise<{ cookies: readonly string[]; needsCode: boolean }> {
  if (!passwords) throw new RequestError('forbidden', `Passwords are off. Sign in with ${issuer}.`)
  const email = toEmail(typed)
  // An unknown name may be a password in the wrong field, and is not logged.
  const who = async () => ((await isMember(team.store.db, email)) ? email : 'somebody unknown')
  const from = networkOf(visit.address)
  const wait = Math.max(await account.take(email), await network.take(from))
  if (wait > 0) {
    refused('sign-in', await who(), `locked, from ${visit.address}`)
    const minutes = Math.ceil(wait / 60)
    throw new RequestError(
      'too-much',
      `Too many failed sign-ins. Try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`,
    )
  }
  const response = await auth.ask('/sign-in/email', visit, { email, password })
  if (response.ok) {
    await account.forgive(email)
    await network.giveBack(from)
    const { twoFactorRedirect } = (await response.json()) as { twoFactorRedirect?: boolean }
    return { cookies: response.headers.getSetCookie(), needsCode: twoFactorRedirect === true }
  }
  if (response.status === 429) {
    await account.giveBack(email)
    await network.giveBack(from)
    throw new RequestError(
      'too-much',
      'Too many sign-ins from your address. Wait ten seconds, then try again.',
    )
  }
  await account.failed(email)
  await network.failed(from)
  refused('sign-in', await who(), `from ${visit.address}`)
  const said = (await response.json().catch(() => ({}))) as { code?: string; message?: string }
  if (said.code === OURS) throw new RequestError('forbidden', said.message ?? '')
  throw new RequestError('unknown-caller', 'The email address or the password is wrong.')
}

export async function signOut({ auth, team }: Site, visit: Visit): Promise<Reply> {
  const me = await auth.session(visit)
  const response = await auth.ask('/sign-out', visit, {})
  // Pages in other windows check who is signed in. Unauthenticated callers change nothing.
  if (me) team.hub.changed('people')
  return { location: '/sign-in', cookies: response.headers.getSetCookie() }
}

/** To the issuer. A form could not lead there, because our policy allows forms to this site only. */
export async function toIssuer(site: Site, visit: Visit): Promise<Reply> {
  const next = safePath(visit.url.searchParams.get('next'))
  const response = await site.auth.ask('/sign-in/oauth2', visit, {
    providerId: PROVIDER,
    callbackURL: next,
    errorCallbackURL: '/sign-in/failed',
    additionalData: { nonce: randomBytes(32).toString('base64url') },
  })
  const { url } = (await response.json().catch(() => ({}))) as { url?: string }
  if (response.ok && url) return { location: url, cookies: response.headers.getSetCookie() }
  const sentence =
    response.status === 429
      ? 'Too many sign-ins from your address. Wait ten seconds, then try again.'
      : `${site.issuer} does not answer. Try again later${site.passwords ? ', or sign in with a password' : ''}.`
  return signInPage(site, { next, sentence, status: response.status === 429 ? 429 : 502 })
}

/** Back from the issuer. */
export async function fromIssuer(site: Site, visit: Visit): Promise<Reply> {
  const response = await site.auth.ask(`/oauth2/callback/${PROVIDER}${visit.url.search}`, visit)
  const location = response.headers.get('location')
  if (location) return { location: toOwnPath(location), cookies: response.headers.getSetCookie() }
  const said = (await response.json().catch(() => ({}))) as { code?: string; message?: string }
  const sentence = said.code === OURS && said.message ? said.message : failure(site)
  site.refused('sign-in', String(site.issuer), `${sentence} From ${visit.address}`)
  return signInPage(site, { next: '/', sentence, status: 403 })
}

/** The library redirects to one of two places here, and neither is outside. */
const toOwnPath = (location: string): string => {
  const { pathname, search } = new URL(location, 'http://here')
  return pathname === '/sign-in/failed' ? pathname : safePath(`${pathname}${search}`)
}

export const signInFailed = (site: Site): Promise<Reply> =>
  signInPage(site, { next: '/', sentence: failure(site), status: 403 })

const failure = ({ issuer }: Site): string =>
  `The sign-in with ${issuer} failed or took too long. Try again; if the error persists, contact an admin.`
