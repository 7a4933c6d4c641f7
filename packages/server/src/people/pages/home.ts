// The account page: one's own identity and password.

import { RequestError } from '../../request-error.js'
import type { SignedIn } from '../auth.js'
import { memberOf } from '../members.js'
import { fingerprint, forEyes } from '../trust.js'
import { toPassword } from '../words.js'
import { html } from './html.js'
import { done, field, layout, problem } from './layout.js'
import type { Site } from './site.js'
import type { Reply, Visit } from './visit.js'

interface Said {
  readonly wrong?: string
  readonly right?: string
}

export async function homePage(
  { team, passwords }: Site,
  { user }: SignedIn,
  said: Said = {},
): Promise<Reply> {
  const member = await memberOf(team.store.db, user.id)
  const pin = forEyes(await fingerprint(team.store.db))
  const { wrong = '', right = '' } = said
  const body = html`${done(right)}
<dl>
<dt>Name</dt><dd>${member.name}</dd>
<dt>Email</dt><dd>${member.email}</dd>
<dt>Role</dt><dd>${member.role}</dd>
<dt>Team</dt><dd>${team.name}</dd>
<dt>Fingerprint</dt><dd><code>${pin || 'none yet'}</code></dd>
</dl>
<div class="row">
<a class="button quiet" href="/device">Approve a device</a>
${passwords && member.signsInBy === 'password' ? html`<a class="button quiet" href="/account/second-factor">Second factor</a>` : null}
<form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>
</div>
${
  passwords && member.signsInBy === 'password'
    ? html`<h2>Change the password</h2>
${problem(wrong)}
<form method="post" action="/password">
<input type="hidden" name="username" value="${member.email}" autocomplete="username">
${field({ name: 'current', label: 'Password now', type: 'password', autocomplete: 'current-password' })}
${field({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: 'Twelve characters or more. Your other sessions end.', shortest: 12 })}
<p class="row"><button>Change it</button></p>
</form>`
    : null
}`
  return {
    status: wrong === '' ? 200 : 400,
    page: layout({ title: 'Your account', team: team.name, isInside: true }, body),
  }
}

export async function changePassword(site: Site, visit: Visit, me: SignedIn): Promise<Reply> {
  if (!site.passwords) throw new RequestError('forbidden', `Passwords are off. Sign in with ${site.issuer}.`)
  const form = await visit.form()
  try {
    const newPassword = toPassword(form.get('password') ?? '', me.user.email)
    const wait = await site.account.take(me.user.email)
    if (wait > 0) throw new RequestError('too-much', 'Too many wrong passwords. Try again later.')
    const response = await site.auth.ask('/change-password', visit, {
      currentPassword: form.get('current') ?? '',
      newPassword,
      revokeOtherSessions: true,
    })
    if (response.ok) {
      await site.account.forgive(me.user.email)
      // Open pages of ended sessions check who is signed in.
      site.team.hub.changed('people')
      return { location: '/account?password=changed', cookies: response.headers.getSetCookie() }
    }
    await site.account.failed(me.user.email)
    throw new RequestError('invalid', 'The password was not changed: the current password was wrong.')
  } catch (error) {
    if (error instanceof RequestError) return homePage(site, me, { wrong: error.message })
    throw error
  }
}
