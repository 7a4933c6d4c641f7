// The one gate before everything that the panel answers. Its link carries a token that works once; after that a cookie
// says who it is, and a secret that only the page holds stands behind everything that reads, runs or writes.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const TOKEN_MS = 60_000
const MOST_TOKENS = 100
const MOST_PAGES = 200

export interface Gate {
  /** A new token for a link. */
  token(): string
  /** Whether the request may be looked at at all: the sentence that refuses it, or null. */
  refusal(request: Pick<IncomingMessage, 'method' | 'headers' | 'url'>): string | null
  /** By token, or by cookie and word: a secret for this page, with the cookie to set; null for everybody else. */
  enter(headers: IncomingHttpHeaders, key: Key): Entered | null
  /** Whether a call holds both the cookie and the secret of a page. */
  isInside(headers: IncomingHttpHeaders): boolean
  /** No cookie, token or secret counts any more. */
  close(): void
}

/** What a page brings: the token of its link, or the word that an earlier page left in the browser. */
export interface Key {
  readonly token?: string | undefined
  readonly again?: string | undefined
}

export interface Entered {
  readonly secret: string
  /**
   * Other pages come in with it and the cookie. Browsers send cookies to every port of a host, so that whoever serves
   * another one could learn the cookie; what a page keeps for its own origin they do not send anywhere.
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

  /** Which of the two is wrong is not said, and looking takes as long either way. */
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
      // Names that only lead here must not: this is what keeps a page that rebinds its own name out.
      if (!hosts.includes(headers.host ?? '')) return 'This panel answers only under its own address.'
      if (!url.startsWith('/') || url.startsWith('//')) return 'This address is not one of the panel.'
      if (method !== 'GET' && method !== 'HEAD' && method !== 'POST')
        return 'This way of asking is not answered.'
      if (!isOwnSite(method, headers)) return 'Another site asked for this.'
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

/** The first page may be opened from elsewhere, as a document of its own; it holds nothing yet. */
function isOwnSite(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = headers
  if (site === undefined || site === 'same-origin') return true
  return method === 'GET' && mode === 'navigate' && dest === 'document'
}

const TYPES = /^application\/(json|proto|connect\+json|connect\+proto)$/

/** A form, or a page from elsewhere, can send neither this type nor a header of its own. */
function refusalOfPost(headers: IncomingHttpHeaders): string | null {
  if (headers.origin !== `http://${headers.host}`) return 'This does not come from a page of the panel.'
  const type = String(headers['content-type'] ?? '').split(';')[0]!
  return TYPES.test(type.trim()) && headers['x-holdfast-panel'] ? null : 'A form cannot ask this.'
}

/** Secrets by their hashes. The one that was not used for longest makes room for a new one. */
function ring(most: number) {
  const kept = new Map<Buffer, number>()
  /** All are looked at, whichever fits: how long it takes says nothing. */
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
