// The second factor of members with a password: codes of an authenticator app with backup codes for its loss, or passkeys.

import { networkOf } from '../../access/address.js'
import { RequestError } from '../../request-error.js'
import { standingOf } from '../../store/members.js'
import type { SignedIn } from '../auth.js'
import { type Html, html } from './html.js'
import { done, field, layout, problem } from './layout.js'
import { safePath } from './next.js'
import { noteSecondFactor, tryOwnPassword } from './own-password.js'
import { passkeySection, passkeysOf, removePasskey } from './passkey.js'
import type { Site } from './site.js'
import type { Reply, Visit } from './visit.js'

const CODE = field({ name: 'code', label: 'Code', type: 'text', autocomplete: 'one-time-code' })
const PASSWORD = field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
})

/** After the password: the second step of a sign-in. */
export const codeForm = (site: Site, { url }: Visit): Reply =>
  codePage(site, safePath(url.searchParams.get('next')))

function codePage({ team }: Site, next: string, sentence = '', status = 200): Reply {
  const body = html`${problem(sentence)}
<form method="post" action="/sign-in/code">
<input type="hidden" name="next" value="${next}">
<p>Enter the code that your authenticator app shows, or one of your backup codes.</p>
${CODE}
<p class="row"><button>Sign in</button></p>
</form>
<p class="hint"><a href="/sign-in">Back to the password</a></p>`
  return { status, page: layout({ title: 'Second factor', team: team.name }, body) }
}

export async function checkCode(site: Site, visit: Visit): Promise<Reply> {
  const form = await visit.form()
  const next = safePath(form.get('next'))
  const from = networkOf(visit.address)
  // The library counts wrong codes by account; this counts them by network, like passwords.
  if ((await site.network.take(from)) > 0)
    return codePage(site, next, 'Too many failed sign-ins. Try again later.', 429)
  const code = (form.get('code') ?? '').replace(/\s/g, '')
  const path = /^\d{6}$/.test(code) ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code'
  const response = await site.auth.ask(path, visit, { code })
  if (response.ok) {
    await site.network.giveBack(from)
    return { location: next, cookies: response.headers.getSetCookie() }
  }
  await site.network.failed(from)
  site.refused('sign-in', 'a second factor', `from ${visit.address}`)
  return response.status === 429
    ? codePage(site, next, 'Too many codes. Wait, then sign in again.', 429)
    : codePage(site, next, 'The code is wrong, or the sign-in took too long.', 401)
}

export const secondFactorPage = (site: Site, visit: Visit, me: SignedIn): Promise<Reply> =>
  settingsPage(site, visit, me, {})

interface Shown {
  readonly wrong?: string
  readonly right?: string
  /** During set-up: the data for the app, and the backup codes to write down. */
  readonly setUp?: { readonly uri: string; readonly backupCodes: readonly string[] }
}

async function settingsPage(
  site: Site,
  visit: Visit,
  { user }: SignedIn,
  { wrong = '', right = '', setUp }: Shown,
): Promise<Reply> {
  const { team, passwords } = site
  const standing = await standingOf(team.store.db, user.id)
  if (!passwords || !standing?.hasPassword)
    throw new RequestError('forbidden', 'Your issuer asks for a second factor, not this server.')
  const form = (action: string, label: string, fields: Html) => html`
<form method="post" action="/account/second-factor">
<input type="hidden" name="action" value="${action}">
${fields}
<p class="row"><button>${label}</button></p>
</form>`
  const body = setUp
    ? html`${problem(wrong)}<p>Add this key to your authenticator app, then enter the code that it shows.</p>
<p><code>${new URL(setUp.uri).searchParams.get('secret') ?? ''}</code></p>
<p><a href="${setUp.uri}">Open it in an app on this machine</a></p>
<p>Write down these backup codes. Each works once, when the app is lost. They are not shown again.</p>
<p>${setUp.backupCodes.map(code => html`<code>${code}</code> `)}</p>
${form('confirm', 'Switch it on', CODE)}`
    : html`${done(right)}${problem(wrong)}${
        site.mustSetUp(standing)
          ? html`<p>Owners and admins of this team need a second factor. Set up codes or add a passkey to go on.</p>`
          : null
      }
<h2>Codes</h2>
${
  standing.hasCodes
    ? html`<p>Signing in takes your password and a code.</p>${form('off', 'Switch it off', html`${PASSWORD}${CODE}`)}`
    : html`<p>${standing.passkeys > 0 ? 'Codes of an authenticator app are off.' : 'Without a second factor, your password alone signs in.'}</p>${form('start', 'Set it up', PASSWORD)}`
}
${passkeySection(await passkeysOf(site, visit))}`
  return {
    status: wrong === '' ? 200 : 400,
    page: layout({ title: 'Second factor', team: team.name, isInside: true }, body),
  }
}

const WRONG_PASSWORD = 'The password is wrong, or there were too many tries.'

export async function changeSecondFactor(site: Site, visit: Visit, me: SignedIn): Promise<Reply> {
  const form = await visit.form()
  const value = (name: string) => (form.get(name) ?? '').replace(name === 'code' ? /\s/g : '', '')
  const password = value('password')
  const action = value('action')
  const page = (shown: Shown) => settingsPage(site, visit, me, shown)
  const wrong = (sentence: string) => page({ wrong: sentence })
  const askWithPassword = (path: string) =>
    tryOwnPassword(site, me, async () => {
      const response = await site.auth.ask(path, visit, { password })
      return response.ok ? response : null
    })
  const standing = await standingOf(site.team.store.db, me.user.id)
  if (!standing) throw new RequestError('forbidden', 'You are not a member of this team any more.')
  if (action === 'start') {
    if (standing.hasCodes) return wrong('It is on already.')
    const response = await askWithPassword('/two-factor/enable')
    if (!response) return wrong(WRONG_PASSWORD)
    const { totpURI, backupCodes } = (await response.json()) as { totpURI: string; backupCodes: string[] }
    return page({ setUp: { uri: totpURI, backupCodes } })
  }
  if (action === 'remove-passkey') {
    if (site.mustSetUp({ ...standing, passkeys: standing.passkeys - 1 })) return wrong(KEEP_ONE)
    if (!(await removePasskey(site, visit, me, { id: value('id'), password }))) return wrong(WRONG_PASSWORD)
    return page({ right: 'The passkey is removed.' })
  }
  // A session alone cannot switch it off, because a thief of the session could.
  const checked = await site.auth.ask('/two-factor/verify-totp', visit, { code: value('code') })
  if (!checked.ok) return wrong('The code is wrong. Start again.')
  if (action === 'confirm') {
    await noteSecondFactor(site, me, visit, { on: true, kind: 'codes' })
    return { ...(await page({ right: 'The second factor is on.' })), cookies: checked.headers.getSetCookie() }
  }
  if (site.mustSetUp({ ...standing, hasCodes: false })) return wrong(KEEP_ONE)
  const response = await askWithPassword('/two-factor/disable')
  if (!response) return wrong(WRONG_PASSWORD)
  await noteSecondFactor(site, me, visit, { on: false, kind: 'codes' })
  return { ...(await page({ right: 'The second factor is off.' })), cookies: response.headers.getSetCookie() }
}

const KEEP_ONE = 'Owners and admins of this team need a second factor. Set up another one first.'
