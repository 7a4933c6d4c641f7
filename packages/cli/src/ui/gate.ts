// Authenticates every request to the panel. The link has a token that works once; then a cookie identifies the browser,
// and all calls that read, run or write also need a secret that only the page has.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const TOKEN_MS = 60_000
const MOST_TOKENS = 100
const MOST_PAGES = 200

export interface Gate {
  /** A new token for a link. */
  token(): string
  /** Whether the request may be processed: the message of the rejection, or null. */
  refusal(request: Pick<IncomingMessage, 'method' | 'headers' | 'url'>): string | null
  /** By token, or by cookie and reconnect key: a secret for this page, with the cookie to set; null for all others. */
  enter(headers: IncomingHttpHeaders, key: Key): Entered | null
  /** Whether a call holds both the cookie and the secret of a page. */
  isInside(headers: IncomingHttpHeaders): boolean
  /** Revokes all cookies, tokens and secrets. */
  close(): void
}

/** The credentials of a page: the token of its link, or the reconnect key that an earlier page left in the browser. */
export interface Key {
  readonly token?: string | undefined
  readonly again?: string | undefined
}

export interface Entered {
  readonly secret: string
  /**
   * Further pages use it with the cookie. Browsers send cookies to every port of a host, so the server of another port
   * could read the cookie; they do not send what a page stores for its own origin.
   */
  readonly again: string
  readonly cookie: string
}

export function openGate(port: number, now: () => number = Date.now): Gate {
  // Cookies are shared by all ports of a host, so the name tells them apart.
  const name = `holdfast_panel_${port}`
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]
  const session = fresh()
  const again = fresh()
  const tokens = ring(MOST_TOKENS)
  const secrets = ring(MOST_PAGES)
  let closed = false

  const hasCookie = ({ cookie = '' }: IncomingHttpHeaders) =>
    cookie
      .split(/;\s*/)
      .some(pair => pair.startsWith(`${name}=`) && isSame(hash(pair.slice(name.length + 1)), hash(session)))

  /** The message does not say which of the two is wrong, and the comparison takes constant time. */
  const mayEnter = (headers: IncomingHttpHeaders, { token, again: word }: Key): boolean => {
    if (token !== undefined) return (tokens.take(token) ?? 0) > now()
    const isKnown = isSame(hash(word ?? ''), hash(again))
    return hasCookie(headers) && isKnown
  }

  return {
    token() {
      const token = fresh()
      tokens.add(token, now() + TOKEN_MS)
      return token
    },
    refusal({ method, headers, url = '' }) {
      // Rejects other names that resolve to this address, against DNS rebinding.
      if (!hosts.includes(headers.host ?? '')) return 'This panel responds only at its own address.'
      if (!url.startsWith('/') || url.startsWith('//')) return 'This address does not belong to the panel.'
      if (method !== 'GET' && method !== 'HEAD' && method !== 'POST')
        return 'This request method is not supported.'
      if (!isOwnSite(method, headers)) return 'This request comes from another site.'
      return method === 'POST' ? refusalOfPost(headers) : null
    },
    enter(headers, key) {
      if (closed || !mayEnter(headers, key)) return null
      const secret = fresh()
      secrets.add(secret, 0)
      return { secret, again, cookie: `${name}=${session}; HttpOnly; SameSite=Strict; Path=/` }
    },
    isInside(headers) {
      const isKnown = secrets.has(String(headers['x-holdfast-panel'] ?? ''))
      return isKnown && hasCookie(headers) && !closed
    },
    close() {
      closed = true
      tokens.clear()
      secrets.clear()
    },
  }
}

/** The first page may be opened from elsewhere, as a document of its own; it contains no data yet. */
function isOwnSite(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = headers
  if (site === undefined || site === 'same-origin') return true
  return method === 'GET' && mode === 'navigate' && dest === 'document'
}

const TYPES = /^application\/(json|proto|connect\+json|connect\+proto)$/

/** A form or a page of another origin can send neither this type nor a custom header. */
function refusalOfPost(headers: IncomingHttpHeaders): string | null {
  if (headers.origin !== `http://${headers.host}`) return 'This does not come from a page of the panel.'
  const type = String(headers['content-type'] ?? '').split(';')[0]!
  return TYPES.test(type.trim()) && headers['x-holdfast-panel'] ? null : 'A form cannot send this request.'
}

/** Secrets by their hashes. The least recently used one is evicted. */
function ring(most: number) {
  const kept = new Map<Buffer, number>()
  /** Compares all, whichever matches, so that the time reveals nothing. */
  const find = (secret: string): Buffer | undefined => {
    const given = hash(secret)
    let found: Buffer | undefined
    for (const one of kept.keys()) if (isSame(given, one)) found = one
    return found
  }
  return {
    add(secret: string, until: number) {
      kept.set(hash(secret), until)
      if (kept.size > most) kept.delete(kept.keys().next().value!)
    },
    has(secret: string): boolean {
      const found = find(secret)
      if (!found) return false
      const until = kept.get(found)!
      kept.delete(found)
      kept.set(found, until)
      return true
    },
    take(secret: string): number | undefined {
      const found = find(secret)
      const until = found && kept.get(found)
      if (found) kept.delete(found)
      return until
    },
    clear: () => kept.clear(),
  }
}

const fresh = () => randomBytes(32).toString('base64url')
const hash = (text: string) => createHash('sha256').update(text).digest()
const isSame = (a: Buffer, b: Buffer) => timingSafeEqual(a, b)
