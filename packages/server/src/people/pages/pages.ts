// Which page stands where. Forms count only when they come from one of these pages.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isSameOrigin } from '../../access/origin.js'
import { Refusal, type RefusalCode } from '../../refusal.js'
import type { SignedIn } from '../auth.js'
import { codePage, decide, lookAtDevice } from './device.js'
import { askForCode, askForToken, failed } from './device-code.js'
import { changePassword, homePage } from './home.js'
import type { House } from './house.js'
import { html } from './html.js'
import { joinPage, joinTeam } from './join.js'
import { layout } from './layout.js'
import { safePath, signInFor } from './next.js'
import { changeSecondFactor, checkCode, codeForm, secondFactorPage } from './second-factor.js'
import { fromIssuer, signIn, signInFailed, signInPage, signOut, toIssuer } from './sign-in.js'
import { STYLE } from './style.js'
import { answer, type Reply, toVisit, type Visit } from './visit.js'

type Page = (house: House, visit: Visit, rest: string) => Reply | Promise<Reply>
type Inner = (house: House, visit: Visit, me: SignedIn) => Reply | Promise<Reply>

const inside =
  (page: Inner): Page =>
  async (house, visit) => {
    const me = await house.auth.session(visit)
    if (me) {
      const reply = await page(house, visit, me)
      return { ...reply, cookies: reply.cookies ?? me.cookies }
    }
    return { location: signInFor(visit.method === 'POST' ? '/' : `${visit.url.pathname}${visit.url.search}`) }
  }

const CHANGED = 'The password is changed. Every other session of yours has ended.'

/** For who signed in again beside a page that is still open. */
const signedInPage = (team: string) =>
  layout(
    { title: 'Signed in', team, isInside: true },
    html`<p>Close this tab. The page that you came from goes on where it was.</p>`,
  )

const PAGES: Readonly<Record<string, { readonly GET?: Page; readonly POST?: Page }>> = {
  '/account': {
    GET: inside((house, { url }, me) =>
      homePage(house, me, url.searchParams.get('password') === 'changed' ? { right: CHANGED } : {}),
    ),
  },
  '/signed-in': { GET: inside(({ team }) => ({ page: signedInPage(team.name) })) },
  '/style.css': { GET: () => ({ css: STYLE }) },
  '/sign-in': {
    GET: (house, { url }) => signInPage(house, { next: safePath(url.searchParams.get('next')) }),
    POST: signIn,
  },
  '/sign-in/code': { GET: codeForm, POST: checkCode },
  '/account/second-factor': { GET: inside(secondFactorPage), POST: inside(changeSecondFactor) },
  '/sign-in/oidc': {
    GET: (house, visit) => (house.issuer ? toIssuer(house, visit) : { location: '/sign-in' }),
  },
  '/sign-in/failed': { GET: house => signInFailed(house) },
  '/sign-out': { POST: signOut },
  '/password': { POST: inside(changePassword) },
  '/join/': { GET: joinPage, POST: joinTeam },
  '/device': { GET: inside(codePage), POST: inside(lookAtDevice) },
  '/device/approve': { POST: inside((house, visit, me) => decide(house, visit, me, 'approve')) },
  '/device/deny': { POST: inside((house, visit, me) => decide(house, visit, me, 'deny')) },
  '/api/auth/oauth2/callback/oidc': {
    GET: (house, visit) => (house.issuer ? fromIssuer(house, visit) : { location: '/sign-in' }),
  },
}

/** Asked by programs, which get JSON in every case. */
const CALLS: Readonly<Record<string, Page>> = {
  '/device/code': askForCode,
  '/device/token': askForToken,
}

const STATUS: Readonly<Partial<Record<RefusalCode, number>>> = {
  'too-much': 413,
  missing: 404,
  forbidden: 403,
}

/** True when the request was for one of the pages; then it is answered. */
export function handlePage(
  house: House,
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
): boolean {
  const text = request.url ?? '/'
  const path = text.split('?')[0]!
  const rest = path.startsWith('/join/') ? path.slice('/join/'.length) : ''
  const key = path.startsWith('/join/') ? '/join/' : path
  if (!Object.hasOwn(PAGES, key) && !Object.hasOwn(CALLS, key)) return false
  const visit = toVisit(request, new URL(text, house.team.url), address)
  const reply = Object.hasOwn(CALLS, key) ? call(house, visit, CALLS[key]!) : show(house, visit, key, rest)
  void reply
    .catch(error => broken(house, error, path))
    .then(made => answer(request, response, made))
    .catch(() => response.destroy())
  return true
}

async function show(house: House, visit: Visit, key: string, rest: string): Promise<Reply> {
  const method = visit.method === 'HEAD' ? 'GET' : visit.method
  const page = PAGES[key]![method as 'GET' | 'POST']
  if (!page) return plainPage(house, 405, 'This page cannot be asked in this way.')
  if (method === 'POST' && !isSameOrigin(visit.headers, house.team.url)) {
    house.refused(`POST ${key}`, visit.address, 'from another site')
    return plainPage(
      house,
      403,
      `This form does not come from a page of ${house.team.url}. Open it there and try again.`,
    )
  }
  try {
    return await page(house, visit, rest)
  } catch (error) {
    if (error instanceof Refusal) return plainPage(house, STATUS[error.code] ?? 400, error.message)
    throw error
  }
}

async function call(house: House, visit: Visit, page: Page): Promise<Reply> {
  if (visit.method !== 'POST') return failed(405, 'invalid_request', 'Use POST.')
  try {
    return await page(house, visit, '')
  } catch (error) {
    if (error instanceof Refusal) return failed(STATUS[error.code] ?? 400, 'invalid_request', error.message)
    throw error
  }
}

function broken(house: House, error: unknown, path: string): Reply {
  const id = crypto.randomUUID()
  // Never the whole path: a link to join holds a secret.
  house.team.log.error('a page failed', {
    page: path.replace(/^\/join\/.*/, '/join/…'),
    id,
    error: (error as Error).stack,
  })
  return plainPage(house, 500, `The server failed. Its log tells more under ${id}.`)
}

const plainPage = ({ team }: House, status: number, sentence: string): Reply => ({
  status,
  page: layout(
    { title: status === 500 ? 'Something failed' : 'That did not work', team: team.name },
    html`<p class="problem" role="alert">${sentence}</p><p><a href="/">To the first page</a></p>`,
  ),
})
