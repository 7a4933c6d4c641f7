// A second factor for people with a password: codes of an authenticator app, and backup codes for its loss.

import { networkOf } from '../../access/address.js'
import { append } from '../../audit/chain.js'
import { Refusal } from '../../refusal.js'
import { oneAtATime } from '../../store/turn.js'
import type { SignedIn } from '../auth.js'
import { findMember } from '../members.js'
import type { House } from './house.js'
import { type Html, html } from './html.js'
import { done, field, layout, problem } from './layout.js'
import { safePath } from './next.js'
import type { Reply, Visit } from './visit.js'

const CODE = field({ name: 'code', label: 'Code', type: 'text', autocomplete: 'one-time-code' })
const PASSWORD = field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
})

/** After the password: the second half of a sign-in. */
export const codeForm = (house: House, { url }: Visit): Reply =>
  codePage(house, safePath(url.searchParams.get('next')))

function codePage({ team }: House, next: string, sentence = '', status = 200): Reply {
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

export async function checkCode(house: House, visit: Visit): Promise<Reply> {
  const form = await visit.form()
  const next = safePath(form.get('next'))
  const from = networkOf(visit.address)
  // The library counts wrong codes by account; this counts them by network, as passwords are.
  if ((await house.network.take(from)) > 0)
    return codePage(house, next, 'Too many failed sign-ins. Try again later.', 429)
  const code = (form.get('code') ?? '').replace(/\s/g, '')
  const path = /^\d{6}$/.test(code) ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code'
  const response = await house.auth.ask(path, visit, { code })
  if (response.ok) {
    await house.network.giveBack(from)
    return { location: next, cookies: response.headers.getSetCookie() }
  }
  await house.network.failed(from)
  house.refused('sign-in', 'a second factor', `from ${visit.address}`)
  return response.status === 429
    ? codePage(house, next, 'Too many codes. Wait, then sign in again.', 429)
    : codePage(house, next, 'The code is wrong, or the sign-in took too long.', 401)
}

export const secondFactorPage = (house: House, _: Visit, { user }: SignedIn): Promise<Reply> =>
  settingsPage(house, user.id, {})

interface Shown {
  readonly wrong?: string
  readonly right?: string
  /** While it is being set up: what the app needs, and what a person writes down. */
  readonly setUp?: { readonly uri: string; readonly backupCodes: readonly string[] }
}

async function settingsPage(
  { team, passwords }: House,
  userId: string,
  { wrong = '', right = '', setUp }: Shown,
): Promise<Reply> {
  const { signsInBy } = await findMember(team.store.db, userId)
  if (!passwords || signsInBy !== 'password')
    throw new Refusal('forbidden', 'Your issuer asks for a second factor, not this server.')
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
        (await isOn(team, userId))
          ? html`<p>Signing in takes your password and a code.</p>${form('off', 'Switch it off', html`${PASSWORD}${CODE}`)}`
          : html`<p>Without a second factor, your password alone signs in.</p>${form('start', 'Set it up', PASSWORD)}`
      }`
  return {
    status: wrong === '' ? 200 : 400,
    page: layout({ title: 'Second factor', team: team.name, isInside: true }, body),
  }
}

async function isOn({ store }: House['team'], userId: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('user')
    .select('twoFactorEnabled')
    .where('id', '=', userId)
    .executeTakeFirst()
  return Boolean(row?.twoFactorEnabled)
}

export async function changeSecondFactor(house: House, visit: Visit, me: SignedIn): Promise<Reply> {
  const form = await visit.form()
  const value = (name: string) => (form.get(name) ?? '').replace(name === 'code' ? /\s/g : '', '')
  const action = value('action')
  const wrong = (sentence: string) => settingsPage(house, me.user.id, { wrong: sentence })
  if (action === 'start') {
    if (await isOn(house.team, me.user.id)) return wrong('It is on already.')
    const response = await tryOwnPassword(house, visit, me, '/two-factor/enable', value('password'))
    if (!response) return wrong('The password is wrong, or there were too many tries.')
    const { totpURI, backupCodes } = (await response.json()) as { totpURI: string; backupCodes: string[] }
    return settingsPage(house, me.user.id, { setUp: { uri: totpURI, backupCodes } })
  }
  // A session alone must not be enough to switch it off: a thief of the session would.
  const checked = await house.auth.ask('/two-factor/verify-totp', visit, { code: value('code') })
  if (!checked.ok) return wrong('The code is wrong. Start again.')
  if (action === 'confirm') {
    await note(house, me, visit, true)
    const cookies = checked.headers.getSetCookie()
    return { ...(await settingsPage(house, me.user.id, { right: 'The second factor is on.' })), cookies }
  }
  const response = await tryOwnPassword(house, visit, me, '/two-factor/disable', value('password'))
  if (!response) return wrong('The password is wrong, or there were too many tries.')
  await note(house, me, visit, false)
  const cookies = response.headers.getSetCookie()
  return { ...(await settingsPage(house, me.user.id, { right: 'The second factor is off.' })), cookies }
}

/** Counted as a sign-in is, so that a thief of a session cannot guess the password here. */
async function tryOwnPassword(
  { auth, account }: House,
  visit: Visit,
  { user }: SignedIn,
  path: string,
  password: string,
): Promise<Response | null> {
  if ((await account.take(user.email)) > 0) return null
  const response = await auth.ask(path, visit, { password })
  await (response.ok ? account.forgive(user.email) : account.failed(user.email))
  return response.ok ? response : null
}

async function note({ team }: House, { user }: SignedIn, { address }: Visit, on: boolean): Promise<void> {
  const { role } = await findMember(team.store.db, user.id)
  const actor = {
    kind: 'person',
    userId: user.id,
    name: user.email,
    role,
    via: 'session',
    address,
  } as const
  await team.store.write(async tx => {
    await oneAtATime(tx)
    await append(tx, actor, team.now(), {
      action: 'member.second-factor',
      subject: user.email,
      detail: { on },
    })
  })
  team.hub.changed('people')
}
