// Which keys name a secret, whatever their spelling (DB_PASSWORD, dbPassword, db-password), and which values under
// such a key are none.

import { type KeyKind, looksRandom } from './shapes.js'

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
/** Words after the name that change nothing: `PASSWORD_PROD`, `token_value`, `secret_2`. */
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
    // Keys come from payloads, so the memory of them has an end.
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

/** Values that say nothing: words of types and switches, and references to where the secret is. */
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
