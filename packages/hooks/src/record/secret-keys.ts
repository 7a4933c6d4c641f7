// Secrets that are known by the name in front of them: `DB_PASSWORD=…`, `--token …`, `"apiKey": "…"`,
// `Authorization: …`, `<password>…</password>`, in any text and at any depth of escaping. First which names those are,
// whatever their spelling (DB_PASSWORD, dbPassword, db-password), then where the value of such a name is.

import { type KeyKind, looksRandom, mark, markEnd } from './secret-patterns.js'

/** Last words that turn the name of a secret into a fact about one: `token_count`, `passwordFile`. */
const TAILS = new Set(
  (
    'count counts limit limits length len size type types name names file files filename path paths dir folder ' +
    'url uri endpoint usage used budget policy expiry expires expiration at ttl age max min required enabled ' +
    'disabled present exists valid field fields label placeholder hint description rotation version manager ' +
    'store provider helper scanner scanning arn ref refs reference index format strategy mode rules rule check ' +
    'validation reset cost price rate bucket error errors message status'
  ).split(' '),
)
/** Words after the name that do not change the kind: `PASSWORD_PROD`, `token_value`, `secret_2`. */
const EXTRAS =
  /^(?:\d+|prod|production|dev|test|staging|value|raw|base64|b64|text|string|header|old|new|current|id)$/
/** Words that make a token something to be counted, or a word of a tokenizer. */
const COUNTED =
  /^(?:max|min|num|total|avg|per|input|output|prompt|completion|eos|bos|pad|unk|first|last|unexpected)$/
const KEPT = /^(?:access|auth|refresh|api|bearer|session|id)$/

const known = new Map<string, KeyKind | null>()

/** What kind of secret a key of this name holds, in any of its spellings; null for an ordinary key. */
export function secretKind(key: string): KeyKind | null {
  if (key.length > 100 || key.length < 3) return null
  let kind = known.get(key)
  if (kind === undefined) {
    kind = classify(key)
    // Keys come from payloads, so the cache is bounded.
    if (known.size >= 2000) known.clear()
    known.set(key, kind)
  }
  return kind
}

function classify(key: string): KeyKind | null {
  if (key.includes('[')) return null
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  while (words.length > 1 && EXTRAS.test(words.at(-1)!)) words.pop()
  const last = words.at(-1)
  if (last === undefined || TAILS.has(last)) return null
  const before = words.at(-2) ?? ''
  const all = words.join('')
  if (/passw(?:or)?d|passphrase|passcode|pwd$/.test(all) || (last === 'pass' && before)) return 'password'
  if (/private_?key|signingkey|encryptionkey|masterkey/.test(all)) return 'private key'
  if (/accesskey|accountkey/.test(all)) return 'access key'
  if (/apikey/.test(all)) return 'api key'
  if (/secret(?!ar|i)/.test(all)) return 'secret'
  if (/authori[sz]ation$/.test(all) || all === 'auth') return 'authorization'
  if (/credentials?$/.test(all)) return 'credential'
  if (/cookies?$/.test(last)) return 'cookie'
  if (last === 'tokens') return KEPT.test(before) ? 'token' : null
  if (last === 'jwt' || last === 'bearer') return 'token'
  if (!last.endsWith('token')) return null
  return COUNTED.test(last === 'token' ? before : last.slice(0, -5)) ? null : 'token'
}

/** Values that reveal nothing: names of types and switches, and references to the place of the secret. */
const PLAIN =
  /^(?:true|false|null|nil|none|undefined|yes|no|on|off|string|str|number|int|boolean|bool|any|unknown|object|bytes|\*+|x{3,}|\.{3}|\u2026|\$[A-Z_][A-Z0-9_]*|\$\{[A-Z_][A-Z0-9_]*\}|%[A-Z_]+%|\$?\{\{.*|<[a-z _-]+>)$/
const PATH = /^(?:~|\.{1,2})?(?:\/[\w.@-]+)+\/?$|^[A-Za-z]:\\/

/** `PWD` is a folder, and `secrets` or `credentials` are often a file. */
const MAY_BE_PATH = /^(?:old)?pwd$|(?:secret|credential|cookie)s$/i

/** Whether a value under such a key may stay as it is. */
export const isHarmless = (key: string, kind: KeyKind, value: string): boolean =>
  value === '' ||
  PLAIN.test(value) ||
  ((kind === 'private key' || MAY_BE_PATH.test(key)) && PATH.test(value)) ||
  (/^_?auth$/i.test(key) && !looksRandom(value))

const NAMES =
  /pass|pwd|secret|token|cookie|credential|authori[sz]ation|_auth|jwt|(?:api|access|private|account|signing|encryption|master)[-_ ]?key/gi
/** Function words: after "token:" or "--password" they belong to a sentence. */
const PROSE =
  /^(?:a|an|the|to|is|it|its|in|for|from|of|on|or|and|as|at|by|be|was|were|are|not|must|with|when|will|has|have|should|can|this|that|if|flag|option)[.,;:]?$/i

export const mayHoldKeys = (text: string): boolean => text.search(NAMES) !== -1

export function maskKeyed(text: string, found: (kind: string) => void): string {
  let out = ''
  let done = 0
  NAMES.lastIndex = 0
  for (let name = NAMES.exec(text); name; name = NAMES.exec(text)) {
    const start = keyStart(text, name.index, done)
    const markedUntil = start > 0 && text[start - 1] === '[' ? markEnd(text, start - 1) : -1
    const end = skip(KEY, text, name.index + name[0].length)
    // Never backwards, so that each character is visited once.
    NAMES.lastIndex = Math.max(markedUntil, end)
    if (markedUntil !== -1) continue
    const key = text.slice(Math.max(start, end - 80), end).replace(/^-+/, '')
    const kind = secretKind(key)
    if (kind === null) continue
    const value = findValue(text, start, end, kind)
    if (value === null) continue
    NAMES.lastIndex = Math.max(value.end, end)
    const content = text.slice(value.start, value.end)
    if (isHarmless(key, kind, content) || markEnd(content, 0) === content.length) continue
    found(kind)
    out += text.slice(done, value.start) + mark(kind)
    done = value.end
  }
  return done === 0 ? text : out + text.slice(done)
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Where the value of a key is, or null when the name is only a word in a sentence. */
function findValue(text: string, keyAt: number, keyEnd: number, kind: KeyKind): Span | null {
  let at = skip(SLASHES, text, keyEnd)
  if (text[keyEnd] === '>' && text[keyAt - 1] === '<')
    return { start: keyEnd + 1, end: until(text, keyEnd, '<') }
  const quotedKey = isQuote(text[at])
  at = quotedKey ? at + 1 : keyEnd
  if (text[at] === ']') at++
  const afterKey = at
  at = skip(BLANKS, text, at)
  const isFlag = text[keyAt] === '-' && at > afterKey && !quotedKey
  const sign = separator(text, at) || (quotedKey ? pairSign(text, at, text[keyAt] === '-') : 0)
  if (sign === 0 && !isFlag) return null
  const arrow = text.startsWith('=>', at)
  const afterSign = at + sign
  at = skip(BLANKS, text, afterSign)

  const opening = skip(SLASHES, text, at)
  if (isQuote(text[opening])) {
    return { start: opening + 1, end: closingQuote(text, opening, opening - at) }
  }
  if (arrow || at >= text.length) return null
  const first = text[at]!
  if ((first === '[' || first === '{') && markEnd(text, at) === -1 && text[at + 1] !== '{') {
    return { start: at, end: Math.min(text.length, until(text, at, first === '[' ? ']' : '}') + 1) }
  }
  if ((kind === 'authorization' || kind === 'cookie') && text[afterSign - 1] === ':') {
    return { start: at, end: endOf(LINE_END, text, at) }
  }
  const nextFlag = isFlag && sign === 0 && first === '-'
  // A mark in the place of a value may contain blanks.
  const end = nextFlag ? at : endOf(WORD_END, text, Math.max(at, markEnd(text, at)))
  const word = text.slice(at, end)
  if (isFlag && sign === 0) return nextFlag || PROSE.test(word) ? null : { start: at, end }
  if (at === afterSign) return { start: at, end }
  // "token: expired" can be a sentence, "token: 8f3k…" cannot; a line of its own is a setting.
  if (PROSE.test(word)) return null
  const alone = /^[ \t]*[,;)}\]"'`\\]*[ \t]*(?:[\r\n#]|$)/.test(text.slice(end, end + 40))
  const setting = alone && (kind === 'password' || startsLine(text, keyAt))
  return setting || looksRandom(word) ? { start: at, end } : null
}

const KEY = /[\w-]*/y
const SLASHES = /\\*/y
const BLANKS = /[ \t]*/y

/** The position after a match of a sticky pattern. */
function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  pattern.test(text)
  return pattern.lastIndex
}

function keyStart(text: string, from: number, floor: number): number {
  let start = from
  while (start > floor && /[\w-]/.test(text[start - 1]!) && from - start < 200) start--
  // The n of an escaped line break is no part of the name.
  if (start > 0 && start < from && text[start - 1] === '\\' && /[nrtbf]/.test(text[start]!)) start++
  return start
}

const isQuote = (char: string | undefined): boolean => char === '"' || char === "'" || char === '`'

/** Length of `=`, `:`, `:=`, `=>`; 0 for anything else, comparisons and `::` included. */
function separator(text: string, at: number): number {
  const [first, second] = [text[at], text[at + 1]]
  if (first === ':') return second === ':' ? 0 : second === '=' ? 2 : 1
  if (first !== '=') return 0
  if (second === '>') return 2
  return second === '=' && (text[at + 2] === ' ' || text[at + 2] === '=') ? 0 : 1
}

/** `"name": "token", "value": …`, and in lists of arguments `"--token", …`. */
const PAIR = /[\s,]{0,20}(\\{0,8}["']?value\\{0,8}["']?\s{0,4}[:=])?/y

function pairSign(text: string, at: number, isArgument: boolean): number {
  PAIR.lastIndex = at
  const pair = PAIR.exec(text)
  if (!pair || pair[0] === '' || !(pair[1] || (isArgument && pair[0].includes(',')))) return 0
  return pair[0].length
}

const until = (text: string, from: number, char: string): number => {
  const at = text.indexOf(char, from)
  return at === -1 ? text.length : at
}

/** The quote that closes at the same depth of escaping; the end of the text when there is none. */
function closingQuote(text: string, opening: number, depth: number): number {
  const quote = text[opening]!
  for (let at = text.indexOf(quote, opening + 1); at !== -1; at = text.indexOf(quote, at + 1)) {
    let slashes = 0
    while (at - slashes - 1 > opening && text[at - slashes - 1] === '\\') slashes++
    if (depth === 0 ? slashes % 2 === 0 : slashes <= depth) return depth === 0 ? at : at - slashes
  }
  return text.length
}

/** A line ends at its break, at an escaped one, or at the quote around it all. */
const LINE_END = /[\r\n]|\\{1,8}[nr"']|["'`](?=[\s,;)}\]]|$)/g

/**
 * A word ends at a blank, and at a sign that begins the next setting (`&page=2`, `;Server=…`) or closes an outer
 * bracket. Those signs may also be part of a password, so they count only before such a setting or bracket.
 */
const WORD_END =
  /\s|[&;,](?=\s|$|["']|[\w.%-]{1,40}[=:])|\\{1,8}(?:["']|[nrt](?=[\w"-]{0,40}(?:[=:\s]|$)))|["'`](?=\s|$|[,;:)}\]&|\\])|[)}\]>]{1,8}[,;.]?(?=\s|$)|<\//g

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/** Nothing but indentation, list signs and opening brackets or quotes before the key. */
function startsLine(text: string, keyAt: number): boolean {
  const before = text.slice(Math.max(0, keyAt - 40), keyAt)
  return /(?:^|[\r\n]|\\n)[ \t]*(?:[-*#>{(,"'`$][ \t]*){0,6}(?:export |set |const |let |var )?$/.test(before)
}
