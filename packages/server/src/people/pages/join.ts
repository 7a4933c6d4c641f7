// The page behind a link: the first owner sets the server up, or an invited user joins.

import { RequestError } from '../../request-error.js'
import type { InviteRow } from '../../store/schema.js'
import { addressInvite, openInvite } from '../invites.js'
import { join } from '../join.js'
import { html } from './html.js'
import { field, layout, problem } from './layout.js'
import { tryPassword } from './sign-in.js'
import type { Site } from './site.js'
import type { Reply, Visit } from './visit.js'

export const joinPage = async (site: Site, _: Visit, link: string): Promise<Reply> =>
  formPage(site, await openInvite(site.team, link), link, {})

export async function joinTeam(site: Site, visit: Visit, link: string): Promise<Reply> {
  const form = await visit.form()
  const invite = await openInvite(site.team, link)
  const said = (name: string) => form.get(name) ?? ''
  const name = said('name')
  const typed = said('email')
  const password = said('password')
  const again = (sentence: string) => formPage(site, invite, link, { name, email: typed, sentence })
  try {
    if (!site.passwords) {
      // The holder of the link names the account at the issuer that the link is for.
      if (invite.email === '') await addressInvite(site.team, invite, typed)
      return { location: '/sign-in/oidc' }
    }
    if (password !== said('repeated')) return await again('The two passwords differ. Type them again.')
    const email = await join(site.team, site.auth, {
      link,
      name,
      email: typed,
      password,
      address: visit.address,
    })
    return { location: '/', cookies: (await tryPassword(site, visit, email, password)).cookies }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    // The account exists, and only the sign-in has to wait a little.
    if (error.code === 'too-much') return { location: '/sign-in' }
    return again(error.message)
  }
}

function formPage(
  { team, issuer, passwords }: Site,
  invite: InviteRow,
  link: string,
  typed: { name?: string; email?: string; sentence?: string },
): Reply {
  const isFirst = invite.email === ''
  const { name = '', email = '', sentence = '' } = typed
  const body = html`${
    isFirst
      ? html`<p>You become the owner of this team. Owners invite others and look after its keys.</p>`
      : html`<p>${invite.invited_by} invites <strong>${invite.email}</strong> as ${invite.role}.</p>`
  }
${problem(sentence)}
<form method="post" action="/join/${link}">
${passwords ? field({ name: 'name', label: 'Your name', type: 'text', autocomplete: 'name', value: name }) : null}
${isFirst ? field({ name: 'email', label: 'Email', type: 'email', autocomplete: 'username', value: email }) : html`<input type="hidden" name="username" value="${invite.email}" autocomplete="username">`}
${
  passwords
    ? html`${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', hint: 'Twelve characters or more.', shortest: 12 })}
${field({ name: 'repeated', label: 'Password again', type: 'password', autocomplete: 'new-password', shortest: 12 })}`
    : null
}
<p class="row"><button>${passwords ? (isFirst ? 'Set up the team' : 'Join the team') : html`Sign in with ${issuer}`}</button></p>
</form>
${issuer && passwords && !isFirst ? html`<p>Or join without a password: <a href="/sign-in/oidc">sign in with ${issuer}</a> as ${invite.email}.</p>` : null}`
  const title = isFirst ? 'Set up the team' : 'Join the team'
  return { status: sentence === '' ? 200 : 400, page: layout({ title, team: team.name }, body) }
}
