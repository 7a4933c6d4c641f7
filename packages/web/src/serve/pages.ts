// Serves the built pages: files by their names, and the one page of the app for its addresses.

import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, extname, join, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

export type Home = 'panel' | 'team'

export interface Pages {
  /** Whether it asks for a page, and not for a file that pages need. */
  isPage(request: IncomingMessage): boolean
  /** False if the request is not for this handler: not a GET, or not a page. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

interface Kept {
  readonly type: string
  readonly plain: Buffer
  readonly etag: string
  readonly packed: Map<string, Buffer>
}

/** Found by the package's name, so that it is the same for the bundle and for its source. */
const FOLDER = join(
  dirname(createRequire(import.meta.url).resolve('@holdfast/web/package.json')),
  'dist/pages',
)

/** Read and compressed files, shared by all servers of a process. */
let read: Map<string, Kept> | undefined

export function openPages(home: Home): Pages {
  read ??= readAll()
  const files = read
  const shell = files.get(`/${home}.html`)?.plain.toString('utf8')
  if (shell === undefined)
    throw new Error(`The pages are not built: ${join(FOLDER, `${home}.html`)} is missing.`)
  return {
    isPage: request => !files.has(pathOf(request)) && isPageOf(home, request),
    handle(request, response) {
      if (!isRead(request)) return false
      const path = pathOf(request)
      const kept = path.endsWith('.html') ? undefined : files.get(path)
      if (kept) sendFile(request, response, path, kept)
      else if (isPage(home, path, request)) sendShell(request, response, shell, home)
      else return false
      return true
    },
  }
}

/** The first part of the addresses of each app. All others are not found. */
const PLACES: Readonly<Record<Home, readonly string[]>> = {
  panel: ['', 'hooks', 'runs', 'sessions', 'questions', 'fire', 'compat'],
  team: ['', 'overview', 'hooks', 'rollout', 'devices', 'members', 'audit', 'settings'],
}

/** Whether a browser asks for a page of the app. */
export const isPageOf = (home: Home, request: IncomingMessage): boolean =>
  isRead(request) && isPage(home, pathOf(request), request)

const pathOf = ({ url }: IncomingMessage) => (url ?? '/').split(/[?#]/)[0]!
const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD'

const isPage = (home: Home, path: string, { headers }: IncomingMessage) =>
  PLACES[home].includes(path.split('/')[1]!) && /text\/html|\*\/\*/.test(headers.accept ?? '')

function readAll(): Map<string, Kept> {
  const files = new Map<string, Kept>()
  for (const name of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const plain = readFileSync(join(FOLDER, name))
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
    files.set(`/${name.split(sep).join('/')}`, { type, plain, etag, packed: new Map() })
  }
  return files
}

function sendFile(request: IncomingMessage, response: ServerResponse, path: string, kept: Kept): void {
  response.setHeader('etag', kept.etag)
  // The names of built files contain a hash of their content.
  const isFast = path.startsWith('/assets/')
  response.setHeader('cache-control', isFast ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (request.headers['if-none-match'] === kept.etag) {
    response.writeHead(304)
    response.end()
    return
  }
  response.setHeader('content-type', kept.type)
  response.setHeader('vary', 'accept-encoding')
  send(request, response, packedFor(request, response, kept))
}

/** Each at most once per encoding. Fonts are compressed already. */
function packedFor({ headers }: IncomingMessage, response: ServerResponse, kept: Kept): Buffer {
  if (kept.type.startsWith('font/')) return kept.plain
  const accepted = String(headers['accept-encoding'] ?? '')
  const way = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : ''
  if (way === '') return kept.plain
  response.setHeader('content-encoding', way)
  let packed = kept.packed.get(way)
  if (!packed) {
    packed =
      way === 'gzip'
        ? gzipSync(kept.plain, { level: 9 })
        : brotliCompressSync(kept.plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
    kept.packed.set(way, packed)
  }
  return packed
}

function sendShell(request: IncomingMessage, response: ServerResponse, shell: string, home: Home): void {
  const nonce = randomBytes(16).toString('base64url')
  response.setHeader('content-security-policy', policy(home, nonce))
  response.setHeader('content-type', TYPES['.html']!)
  response.setHeader('cache-control', 'no-store')
  send(request, response, Buffer.from(shell.replaceAll('__NONCE__', nonce)))
}

function send({ method }: IncomingMessage, response: ServerResponse, body: Buffer): void {
  response.setHeader('content-length', body.length)
  response.end(method === 'HEAD' ? undefined : body)
}

/** Menus and the editor write styles; only those with the nonce of this response are allowed. */
const policy = (home: Home, nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    // Signing out is a form of the server's own.
    `form-action ${home === 'team' ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // None may be created; the empty list would also forbid the libraries' own fallbacks.
    "trusted-types 'none'",
  ].join('; ')
