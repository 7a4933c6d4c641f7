// The one gate before everything that the panel answers. Its link carries a token that works once; after that a cookie
// says who it is, and a secret that only the page holds stands behind everything that reads, runs or writes.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const TOKEN_MS = 60_000
const MOST_PAGES = 200

export interface Gate {
  /** A new token for a link. */
  token(): string
  /** Whether the request may be looked at at all: the sentence that refuses it, or null. */
  refusal(request: IncomingMessage): string | null
  /** By token or by cookie: a secret for this page, with the cookie to set; null for everybody else. */
  enter(request: IncomingMessage, token: string | undefined): Entered | null
  /** Whether a call holds both the cookie and the secret of a page. */
  isInside(headers: IncomingHttpHeaders): boolean
  /** No cookie, token or secret counts any more. */
  close(): void
}

export interface Entered {
  readonly secret: string
  readonly cookie: string
}

export function openGate(port: number, now: () => number = Date.now): Gate {
  // Cookies are shared by all ports of a host, so the name tells them apart.
  const name = `holdfast_panel_${port}`
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]
  const session = fresh()
  const tokens = new Map<string, number>()
  const secrets = new Set<string>()
  let closed = false

  const hasCookie = ({ headers }: { headers: IncomingHttpHeaders }) =>
    !closed &&
    String(headers.cookie ?? '')
      .split(/;\s*/)
      .some(pair => pair.startsWith(`${name}=`) && isSame(pair.slice(name.length + 1), session))

  /** All are looked at, whichever fits: how long it takes says nothing. */
  const takes = (token: string): boolean => {
    let taken: string | undefined
    for (const [known, until] of tokens) {
      if (until < now()) tokens.delete(known)
      else if (isSame(token, known)) taken = known
    }
    return taken !== undefined && tokens.delete(taken)
  }

  return {
    token() {
      const token = fresh()
      tokens.set(token, now() + TOKEN_MS)
      return token
    },
    refusal({ method, headers, url = '' }) {
      // Names that only lead here must not: this is what keeps a page that rebinds its own name out.
      if (!hosts.includes(headers.host ?? '')) return 'This panel answers only under its own address.'
      if (!url.startsWith('/') || url.startsWith('//')) return 'This address is not one of the panel.'
      if (method !== 'GET' && method !== 'HEAD' && method !== 'POST')
        return 'This way of asking is not answered.'
      const site = headers['sec-fetch-site']
      const isFirst = method === 'GET' && headers['sec-fetch-mode'] === 'navigate'
      if (site !== undefined && site !== 'same-origin' && !(site === 'none' || isFirst)) {
        return 'Another site asked for this.'
      }
      if (method !== 'POST') return null
      if (headers.origin !== `http://${headers.host}`) return 'This does not come from a page of the panel.'
      const type = String(headers['content-type'] ?? '').split(';')[0]!
      if (
        !/^application\/(json|proto|connect\+json|connect\+proto)$/.test(type) ||
        !headers['x-holdfast-panel']
      )
        return 'A form cannot ask this.'
      return null
    },
    enter(request, token) {
      if (closed || (token === undefined ? !hasCookie(request) : !takes(token))) return null
      const secret = fresh()
      secrets.add(secret)
      // The oldest page has long been closed.
      if (secrets.size > MOST_PAGES) secrets.delete(secrets.values().next().value!)
      return { secret, cookie: `${name}=${session}; HttpOnly; SameSite=Strict; Path=/` }
    },
    isInside(headers) {
      const given = String(headers['x-holdfast-panel'] ?? '')
      let found = false
      for (const secret of secrets) if (isSame(given, secret)) found = true
      return found && hasCookie({ headers })
    },
    close() {
      closed = true
      tokens.clear()
      secrets.clear()
    },
  }
}

const fresh = () => randomBytes(32).toString('base64url')
const hash = (text: string) => createHash('sha256').update(text).digest()
const isSame = (given: string, kept: string) => timingSafeEqual(hash(given), hash(kept))
