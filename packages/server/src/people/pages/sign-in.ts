// Signing in and out.

import { randomBytes } from 'node:crypto'
import { networkOf } from '../../access/address.js'
import { Refusal } from '../../refusal.js'
import { hasOwner, isMember } from '../members.js'
import { OURS, PROVIDER } from '../oidc.js'
import { toEmail } from '../words.js'
import type { House } from './house.js'
import { html } from './html.js'
import { field, layout, problem } from './layout.js'
import { safePath } from './next.js'
import type { Reply, Visit } from './visit.js'

export async function signInPage(
  house: House,
  {
    next,
    email = '',
    sentence = '',
    status = 200,
  }: { next: string; email?: string; sentence?: string; status?: number },
): Promise<Reply> {
  const { team, issuer, passwords } = house
  const byIssuer = issuer
    ? html`<a class="button${passwords ? ' quiet' : ''}" href="/sign-in/oidc?next=${encodeURIComponent(next)}">Sign in with ${issuer}</a>`
    : null
  const isOpen = await hasOwner(team.store.db)
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
</form>`
    : html`<p class="row">${byIssuer}</p>`
}
<p class="hint">Not a member yet? Ask an admin of the team for an invitation.</p>`
    : html`${problem(sentence)}<p>This team has no owner yet. Open the link that <code>holdfast serve</code> printed when it started.</p>`
  return { status, page: layout({ title: 'Sign in', team: team.name }, body) }
}

export async function signIn(house: House, visit: Visit): Promise<Reply> {
  const form = await visit.form()
  const next = safePath(form.get('next'))
  const typed = form.get('email') ?? ''
  try {
    const { cookies, needsCode } = await tryPassword(house, visit, typed, form.get('password') ?? '')
    return { location: needsCode ? `/sign-in/code?next=${encodeURIComponent(next)}` : next, cookies }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const status = error.code === 'too-much' ? 429 : error.code === 'invalid' ? 400 : 401
    return signInPage(house, { next, email: typed.slice(0, 254), sentence: error.message, status })
  }
}

/** The try is counted before the password is looked at: a hundred at once are a hundred tries. */
export async function tryPassword(
  { team, auth, account, network, refused, passwords, issuer }: House,
  visit: Visit,
  typed: string,
  password: string,
): Promise<{ cookies: readonly string[]; needsCode: boolean }> {
  if (!passwords) throw new Refusal('forbidden', `Passwords are off. Sign in with ${issuer}.`)
  const email = toEmail(typed)
  // What nobody is called may be a password in the wrong field, and is not written down.
  const who = async () => ((await isMember(team.store.db, email)) ? email : 'somebody unknown')
  const from = networkOf(visit.address)
  const wait = Math.max(await account.take(email), await network.take(from))
  if (wait > 0) {
    refused('sign-in', await who(), `locked, from ${visit.address}`)
    const minutes = Math.ceil(wait / 60)
    throw new Refusal(
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
    throw new Refusal('too-much', 'Too many sign-ins from your address. Wait ten seconds, then try again.')
  }
  await account.failed(email)
  await network.failed(from)
  refused('sign-in', await who(), `from ${visit.address}`)
  const said = (await response.json().catch(() => ({}))) as { code?: string; message?: string }
  if (said.code === OURS) throw new Refusal('forbidden', said.message ?? '')
  throw new Refusal('unknown-caller', 'The email address or the password is wrong.')
}

export async function signOut({ auth, team }: House, visit: Visit): Promise<Reply> {
  const me = await auth.session(visit)
  const response = await auth.ask('/sign-out', visit, {})
  // Pages that are still open in another window are asked who they are. Strangers change nothing.
  if (me) team.hub.changed('people')
  return { location: '/sign-in', cookies: response.headers.getSetCookie() }
}

/** To the issuer. A form could not lead there: our own rules let forms go to this site only. */
export async function toIssuer(house: House, visit: Visit): Promise<Reply> {
  const next = safePath(visit.url.searchParams.get('next'))
  const response = await house.auth.ask('/sign-in/oauth2', visit, {
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
      : `${house.issuer} does not answer. Try again later, or sign in with a password.`
  return signInPage(house, { next, sentence, status: response.status === 429 ? 429 : 502 })
}

/** Back from the issuer. */
export async function fromIssuer(house: House, visit: Visit): Promise<Reply> {
  const response = await house.auth.ask(`/oauth2/callback/${PROVIDER}${visit.url.search}`, visit)
  const location = response.headers.get('location')
  if (location) return { location: toOwnPath(location), cookies: response.headers.getSetCookie() }
  const said = (await response.json().catch(() => ({}))) as { code?: string; message?: string }
  const sentence = said.code === OURS && said.message ? said.message : failure(house)
  house.refused('sign-in', String(house.issuer), `${sentence} From ${visit.address}`)
  return signInPage(house, { next: '/', sentence, status: 403 })
}

/** What the library sends back here leads to one of two places, and neither is outside. */
const toOwnPath = (location: string): string => {
  const { pathname, search } = new URL(location, 'http://here')
  return pathname === '/sign-in/failed' ? pathname : safePath(`${pathname}${search}`)
}

export const signInFailed = (house: House): Promise<Reply> =>
  signInPage(house, { next: '/', sentence: failure(house), status: 403 })

const failure = ({ issuer }: House): string =>
  `The sign-in with ${issuer} did not work, or took too long. Try again; if it stays, tell an admin.`
