// Detects secrets in a text by their form. Each pattern reads one line and takes time in proportion to it.

const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/, 'a private key'],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/, 'an AWS access key'],
  [/\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{40,}/, 'a GitHub token'],
  [/\bglpat-[A-Za-z0-9_-]{20,}/, 'a GitLab token'],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/services\/T\w+\/B\w+\/\w+/, 'a Slack token'],
  [/\b[rs]k_live_[A-Za-z0-9]{16,}/, 'a Stripe key'],
  [/\bAIza[A-Za-z0-9_-]{35}\b/, 'a Google API key'],
  [/\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}/, 'an API key of a model'],
  [/\bnpm_[A-Za-z0-9]{36}\b|_authToken=(?!\$\{)\S{8,}/, 'an npm token'],
  [/\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/, 'a signed token (JWT)'],
  [/\bAccountKey=[A-Za-z0-9+/]{40,}/, 'an Azure storage key'],
]

/** postgres://ada:password@host */
const IN_ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@'"`<>]{1,100}:([^\s:/@'"`<>]{3,200})@[\w.[-]/gi
/** password = "…", DB_SECRET=…, "api_key": "…" */
const NAMED =
  /(?:passwd|password|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w-]{0,40}["']?\s{0,4}(?::=|=>|[:=])\s{0,4}(?:(["'`])([^"'`\s]{8,200})\1|([^\s"'`,;)}\]#]{8,200})\s{0,100}$)/gi

const LONGEST_LINE = 20_000

export function secretContent(text: string): string | undefined {
  let line = 1
  let start = 0
  while (start <= text.length) {
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    // A longer line is read in overlapping parts, so that a border hides nothing.
    for (let from = start; from < stop || from === start; from += LONGEST_LINE - 500) {
      const found = secretIn(text.slice(from, Math.min(stop, from + LONGEST_LINE)).replace(/\r$/, ''))
      if (found) return `has ${found} in line ${line}`
    }
    if (end === -1) return
    start = end + 1
    line++
  }
}

function secretIn(line: string): string | undefined {
  const shape = SHAPES.find(([pattern]) => /^(?!.*EXAMPLE)/.test(pattern.exec(line)?.[0] ?? 'EXAMPLE'))
  if (shape) return shape[1]
  for (const [, password] of line.matchAll(IN_ADDRESS))
    if (isReal(password!)) return 'a password in an address'
  for (const [, , quoted, bare] of line.matchAll(NAMED)) {
    const value = quoted ?? bare!
    if (isReal(value) && looksRandom(value)) return 'a password or key'
  }
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
