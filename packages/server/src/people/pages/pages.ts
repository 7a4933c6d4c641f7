// The paths of the pages. Forms are accepted from these pages only.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isSameOrigin } from '../../access/origin.js'
import { RequestError, type RequestErrorCode } from '../../request-error.js'
import { standingOf } from '../../store/members.js'
import type { SignedIn } from '../auth.js'
import { codePage, decide, lookAtDevice } from './device.js'
import { askForCode, askForToken, failed } from './device-code.js'
import { changePassword, homePage } from './home.js'
import { html } from './html.js'
import { joinPage, joinTeam } from './join.js'
import { layout } from './layout.js'
import { SECOND_FACTOR, safePath, signInFor } from './next.js'
import { addPasskey, registerOptions, signInOptions, signInWithPasskey } from './passkey.js'
import { PASSKEY_SCRIPT } from './passkey-script.js'
import { changeSecondFactor, checkCode, codeForm, secondFactorPage } from './second-factor.js'
import { fromIssuer, signIn, signInFailed, signInPage, signOut, toIssuer } from './sign-in.js'
import type { Site } from './site.js'
import { STYLE } from './style.js'
import { answer, type Reply, toVisit, type Visit } from './visit.js'

type Page = (site: Site, visit: Visit, rest: string) => Reply | Promise<Reply>
type Inner = (site: Site, visit: Visit, me: SignedIn) => Reply | Promise<Reply>

/** The account pages, which need a session only. */
const own =
  (page: Inner): Page =>
  async (site, visit) => {
    const me = await site.auth.session(visit)
    if (me) {
      const reply = await page(site, visit, me)
      return { ...reply, cookies: reply.cookies ?? me.cookies }
    }
    return { location: signInFor(visit.method === 'POST' ? '/' : `${visit.url.pathname}${visit.url.search}`) }
  }

/** The others need a complete set-up of the account, too. */
const inside = (page: Inner): Page =>
  own(async (site, visit, me) => {
    const standing = await standingOf(site.team.store.db, me.user.id)
    return standing && site.mustSetUp(standing) ? { location: SECOND_FACTOR } : page(site, visit, me)
  })

const CHANGED = 'The password is changed. Every other session of yours has ended.'

/** For a user who signed in again beside an open page. */
const signedInPage = (team: string) =>
  layout({ title: 'Signed in', team, isInside: true }, html`<p>Close this tab. The other page continues.</p>`)

const PAGES: Readonly<Record<string, { readonly GET?: Page; readonly POST?: Page }>> = {
  '/account': {
    GET: own((site, { url }, me) =>
      homePage(site, me, url.searchParams.get('password') === 'changed' ? { right: CHANGED } : {}),
    ),
  },
  '/signed-in': { GET: inside(({ team }) => ({ page: signedInPage(team.name) })) },
  '/style.css': { GET: () => ({ css: STYLE }) },
  '/sign-in': {
    GET: (site, { url }) => signInPage(site, { next: safePath(url.searchParams.get('next')) }),
    POST: signIn,
  },
  '/sign-in/code': { GET: codeForm, POST: checkCode },
  '/account/second-factor': { GET: own(secondFactorPage), POST: own(changeSecondFactor) },
  '/account/passkey/options': { POST: own(registerOptions) },
  '/account/passkey': { POST: own(addPasskey) },
  '/sign-in/passkey/options': { POST: signInOptions },
  '/sign-in/passkey': { POST: signInWithPasskey },
  '/passkey.js': { GET: () => ({ script: PASSKEY_SCRIPT }) },
  '/sign-in/oidc': {
    GET: (site, visit) => (site.issuer ? toIssuer(site, visit) : { location: '/sign-in' }),
  },
  '/sign-in/failed': { GET: site => signInFailed(site) },
  '/sign-out': { POST: signOut },
  '/password': { POST: own(changePassword) },
  '/join/': { GET: joinPage, POST: joinTeam },
  '/device': { GET: inside(codePage), POST: inside(lookAtDevice) },
  '/device/approve': { POST: inside((site, visit, me) => decide(site, visit, me, 'approve')) },
  '/device/deny': { POST: inside((site, visit, me) => decide(site, visit, me, 'deny')) },
  '/api/auth/oauth2/callback/oidc': {
    GET: (site, visit) => (site.issuer ? fromIssuer(site, visit) : { location: '/sign-in' }),
  },
}

/** Called by programs, which always get JSON. */
const CALLS: Readonly<Record<string, Page>> = {
  '/device/code': askForCode,
  '/device/token': askForToken,
}

const STATUS: Readonly<Partial<Record<RequestErrorCode, number>>> = {
  'too-much': 413,
  missing: 404,
  forbidden: 403,
}

/** True if the request was for one of the pages; then it is answered. */
export function handlePage(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
): boolean {
  const text = request.url ?? '/'
  const path = text.split('?')[0]!
  const rest = path.startsWith('/join/') ? path.slice('/join/'.length) : ''
  const key = path.startsWith('/join/') ? '/join/' : path
  if (!Object.hasOwn(PAGES, key) && !Object.hasOwn(CALLS, key)) return false
  const visit = toVisit(request, new URL(text, site.team.url), address)
  const reply = Object.hasOwn(CALLS, key) ? call(site, visit, CALLS[key]!) : show(site, visit, key, rest)
  void reply
    .catch(error => broken(site, error, path))
    .then(made => answer(request, response, made))
    .catch(() => response.destroy())
  return true
}

async function show(site: Site, visit: Visit, key: string, rest: string): Promise<Reply> {
  const method = visit.method === 'HEAD' ? 'GET' : visit.method
  const page = PAGES[key]![method as 'GET' | 'POST']
  if (!page) return plainPage(site, 405, 'This page does not support this method.')
  if (method === 'POST' && !isSameOrigin(visit.headers, site.team.url)) {
    site.refused(`POST ${key}`, visit.address, 'from another site')
    return plainPage(
      site,
      403,
      `This form does not come from a page of ${site.team.url}. Open it there and try again.`,
    )
  }
  try {
    return await page(site, visit, rest)
  } catch (error) {
    if (error instanceof RequestError) return plainPage(site, STATUS[error.code] ?? 400, error.message)
    throw error
  }
}

async function call(site: Site, visit: Visit, page: Page): Promise<Reply> {
  if (visit.method !== 'POST') return failed(405, 'invalid_request', 'Use POST.')
  try {
    return await page(site, visit, '')
  } catch (error) {
    if (error instanceof RequestError)
      return failed(STATUS[error.code] ?? 400, 'invalid_request', error.message)
    throw error
  }
}

function broken(site: Site, error: unknown, path: string): Reply {
  const id = crypto.randomUUID()
  // Never the complete path: a link to join contains a secret.
  site.team.log.error('a page failed', {
    page: path.replace(/^\/join\/.*/, '/join/…'),
    id,
    error: (error as Error).stack,
  })
  return plainPage(site, 500, `The server failed. Its log has the details under ${id}.`)
}

const plainPage = ({ team }: Site, status: number, sentence: string): Reply => ({
  status,
  page: layout(
    { title: status === 500 ? 'Something failed' : 'That did not work', team: team.name },
    html`<p class="problem" role="alert">${sentence}</p><p><a href="/">To the first page</a></p>`,
  ),
})
