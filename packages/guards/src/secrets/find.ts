// Credentials in a text, by their form. Names the kind and the line, never the value. Each pattern reads one line and takes
// time in proportion to it.

export interface Secret {
  readonly kind: string
  readonly line: number
  readonly start: number
  readonly end: number
}

const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/g, 'a private key'],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, 'an AWS access key'],
  [/\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{40,}/g, 'a GitHub token'],
  [/\bglpat-[A-Za-z0-9_-]{20,}/g, 'a GitLab token'],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/services\/T\w+\/B\w+\/\w+/g, 'a Slack token'],
  [/\b[rs]k_live_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{24,}/g, 'a Stripe key'],
  [/\bAIza[A-Za-z0-9_-]{35}\b/g, 'a Google API key'],
  [/\bya29\.[A-Za-z0-9_-]{30,}/g, 'a Google OAuth token'],
  [/\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32,}/g, 'an API key of a model'],
  [/\bnpm_[A-Za-z0-9]{36}\b|_authToken=(?!\$\{)\S{8,}/g, 'an npm token'],
  [/\bpypi-AgE[A-Za-z0-9_-]{50,}/g, 'a PyPI token'],
  [/\bcio[A-Za-z0-9]{32}\b/g, 'a crates.io token'],
  [/\bdop_v1_[a-f0-9]{64}\b/g, 'a DigitalOcean token'],
  [/\bSG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,}/g, 'a SendGrid key'],
  [/\bhf_[A-Za-z0-9]{30,}\b/g, 'a Hugging Face token'],
  [/\bhvs\.[A-Za-z0-9_-]{24,}/g, 'a Vault token'],
  [/\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/g, 'a Shopify token'],
  [/\blin_api_[A-Za-z0-9]{30,}/g, 'a Linear key'],
  [/\bAGE-SECRET-KEY-1[0-9A-Z]{50,}/g, 'an age key'],
  [/\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g, 'a signed token (JWT)'],
  [/\bAccountKey=[A-Za-z0-9+/]{40,}/g, 'an Azure storage key'],
]

/** postgres://ada:password@host */
const IN_ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@'"`<>]{1,100}:([^\s:/@'"`<>]{3,200})@[\w.[-]/gi
/** password = "…", DB_SECRET=…, "api_key": "…" */
const NAMED =
  /(?:passwd|password|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w-]{0,40}["']?\s{0,4}(?::=|=>|[:=])\s{0,4}(?:(["'`])([^"'`\s]{8,200})\1|([^\s"'`,;)}\]#]{8,200})\s{0,100}$)/gi

const LONGEST_LINE = 20_000

export function findSecrets(text: string): readonly Secret[] {
  const found: Secret[] = []
  let line = 1
  for (let start = 0; start <= text.length; line++) {
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    // A longer line is read in overlapping parts, so that a border hides nothing.
    for (let from = start; from < stop || from === start; from += LONGEST_LINE - 500) {
      const part = text.slice(from, Math.min(stop, from + LONGEST_LINE)).replace(/\r$/, '')
      for (const one of secretsIn(part)) {
        const secret = { ...one, line, start: from + one.start, end: from + one.end }
        // Only the last ones can overlap: parts are read in order.
        if (!found.slice(-64).some(other => other.start < secret.end && secret.start < other.end))
          found.push(secret)
      }
    }
    if (end === -1) break
    start = end + 1
  }
  return found
}

/** The text with each secret replaced by its kind. A private key is removed to its end. */
export function redact(text: string, secrets: readonly Secret[] = findSecrets(text)): string {
  let result = text
  for (const { kind, start, end } of [...secrets].sort((a, b) => b.start - a.start)) {
    const mark = `[${kind.replace(/^an? /, '')} removed]`
    result =
      result.slice(0, start) + mark + result.slice(kind === 'a private key' ? endOfKey(result, end) : end)
  }
  return result
}

/** A key whose end was cut off goes on to the end of the text. */
function endOfKey(text: string, from: number): number {
  const end = /-----END[^\n-]*-----/g
  end.lastIndex = from
  return end.exec(text) ? end.lastIndex : text.length
}

function secretsIn(line: string): Omit<Secret, 'line'>[] {
  const found: Omit<Secret, 'line'>[] = []
  for (const [pattern, kind] of SHAPES) {
    for (const match of line.matchAll(pattern))
      if (!match[0].includes('EXAMPLE'))
        found.push({ kind, start: match.index, end: match.index + match[0].length })
  }
  for (const match of line.matchAll(IN_ADDRESS))
    if (isReal(match[1]!)) found.push(within(match, match[1]!, 'a password in an address'))
  for (const match of line.matchAll(NAMED)) {
    const value = match[2] ?? match[3]!
    if (isReal(value) && looksRandom(value)) found.push(within(match, value, 'a password or key'))
  }
  return found
}

const within = (match: RegExpMatchArray, value: string, kind: string) => {
  const start = match.index! + match[0].lastIndexOf(value)
  return { kind, start, end: start + value.length }
}

/** Placeholders for a value from elsewhere, or for none. */
const PLACEHOLDER =
  /^(?:\$|%|<|\{\{|\*+$|x+$|\.+$)|\$\{|\$\(|process\.env|os\.environ|getenv|secretKeyRef|^(?:your|change|replace|insert|example|dummy|fake|redacted|placeholder)|^(?:my|the|some|test|todo|none|null|undefined|true|false|secret|password|passwd|token)\b|[()[\]{}]/i

const isReal = (value: string) => !PLACEHOLDER.test(value)

/** Identifiers use few kinds of characters; keys use many. */
function looksRandom(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter(kind => kind.test(value)).length
  return kinds >= 2 && /[0-9]/.test(value) && bitsOf(value) >= 2.8
}

function bitsOf(value: string): number {
  const counts = new Map<string, number>()
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
