// Passkeys: a sign-in that needs neither the password nor a code. The browser makes and uses the keys in passkey-script.ts.

import { networkOf } from '../../access/address.js'
import { RequestError } from '../../request-error.js'
import type { SignedIn } from '../auth.js'
import { type Html, html } from './html.js'
import { field } from './layout.js'
import { safePath } from './next.js'
import { noteSecondFactor, tryOwnPassword } from './own-password.js'
import type { Site } from './site.js'
import type { Reply, Visit } from './visit.js'

interface Passkey {
  readonly id: string
  readonly name?: string
  readonly createdAt: string
}

export const passkeysOf = async ({ auth }: Site, visit: Visit): Promise<readonly Passkey[]> => {
  const response = await auth.ask('/passkey/list-user-passkeys', visit)
  return response.ok ? ((await response.json()) as Passkey[]) : []
}

/** `data-passkey` is read by passkey-script.ts, which shows the elements where the browser supports passkeys. */
export const signInButton = (next: string): Html =>
  html`<p class="row" hidden data-passkey="sign-in" data-next="${next}"><button type="button" class="quiet">Sign in with a passkey</button><span class="problem" role="alert"></span></p>
<script src="/passkey.js"></script>`

const passwordField = (id: string): Html =>
  field({ name: 'password', id, label: 'Password', type: 'password', autocomplete: 'current-password' })

export const passkeySection = (passkeys: readonly Passkey[]): Html => html`
<h2>Passkeys</h2>
<p>A passkey signs in without the password and a code. Add one on each device that you use.</p>
${passkeys.map(
  ({ id, name, createdAt }, index) => html`
<form method="post" action="/account/second-factor">
<input type="hidden" name="action" value="remove-passkey"><input type="hidden" name="id" value="${id}">
<p>${name || 'Passkey'}, added on ${String(createdAt).slice(0, 10)}</p>
${passwordField(`password-${index}`)}
<p class="row"><button class="quiet">Remove it</button></p>
</form>`,
)}
<form hidden data-passkey="add">
${passwordField('password-add')}
<p class="row"><button>Add a passkey</button><span class="problem" role="alert"></span></p>
</form>
<script src="/passkey.js"></script>`

/** A session alone must not be enough: its thief would add a key of their own. */
export async function registerOptions(site: Site, visit: Visit, me: SignedIn): Promise<Reply> {
  mustHavePasswords(site)
  const form = await visit.form()
  const password = form.get('password') ?? ''
  const checked = await tryOwnPassword(
    site,
    me,
    async () => (await site.auth.isOwnPassword(visit, password)) || null,
  )
  if (!checked) return failure('The password is wrong, or there were too many tries.')
  return optionsOf(await site.auth.ask('/passkey/generate-register-options', visit))
}

export async function addPasskey(site: Site, visit: Visit, me: SignedIn): Promise<Reply> {
  mustHavePasswords(site)
  const form = await visit.form()
  const response = await site.auth.ask('/passkey/verify-registration', visit, {
    response: parse(form.get('response')),
    name: (visit.headers.get('user-agent') ?? '').slice(0, 60),
  })
  if (!response.ok) return failure('The passkey was not accepted. Try again.')
  await noteSecondFactor(site, me, visit, { on: true, kind: 'passkey' })
  return { json: { location: '/account/second-factor' }, cookies: response.headers.getSetCookie() }
}

export async function signInOptions(site: Site, visit: Visit): Promise<Reply> {
  mustHavePasswords(site)
  return optionsOf(await site.auth.ask('/passkey/generate-authenticate-options', visit))
}

export async function signInWithPasskey(site: Site, visit: Visit): Promise<Reply> {
  mustHavePasswords(site)
  const form = await visit.form()
  const from = networkOf(visit.address)
  if ((await site.network.take(from)) > 0) return failure('Too many failed sign-ins. Try again later.', 429)
  const response = await site.auth.ask('/passkey/verify-authentication', visit, {
    response: parse(form.get('response')),
  })
  if (!response.ok) {
    await site.network.failed(from)
    site.refused('sign-in', 'a passkey', `from ${visit.address}`)
    return failure('The passkey was not accepted. Sign in with your password.', 401)
  }
  await site.network.giveBack(from)
  return { json: { location: safePath(form.get('next')) }, cookies: response.headers.getSetCookie() }
}

function mustHavePasswords({ passwords, issuer }: Site): void {
  if (!passwords) throw new RequestError('forbidden', `Passkeys are off. Sign in with ${issuer}.`)
}

async function optionsOf(response: Response): Promise<Reply> {
  if (!response.ok) return failure('No passkey can be used now. Try again later.')
  return {
    json: (await response.json()) as Record<string, unknown>,
    cookies: response.headers.getSetCookie(),
  }
}

const failure = (message: string, status = 400): Reply => ({ status, json: { message } })

function parse(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw new RequestError('invalid', 'The response of the passkey is not a JSON object.')
}

/** Null if the password is wrong. */
export async function removePasskey(
  site: Site,
  visit: Visit,
  me: SignedIn,
  { id, password }: { id: string; password: string },
): Promise<true | null> {
  const removed = await tryOwnPassword(site, me, async () => {
    if (!(await site.auth.isOwnPassword(visit, password))) return null
    return (await site.auth.ask('/passkey/delete-passkey', visit, { id })).ok || null
  })
  if (removed) await noteSecondFactor(site, me, visit, { on: false, kind: 'passkey' })
  return removed
}
