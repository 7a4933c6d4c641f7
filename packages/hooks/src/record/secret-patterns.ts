// Secrets that are recognised by their form alone. One row per issuer; the pattern of a row is tried only if the text
// contains one of its needles, so ordinary text costs one search for any of them. Every pattern must stay linear: a
// fixed beginning, then classes that cannot run across the next beginning, and nothing repeated inside a repetition.
// The end is left open (`{36,}`, not `{36}`), so that no rest remains.

export interface Shape {
  readonly name: string
  /** The pattern is tried only when one of these is in the text. */
  readonly needs: readonly string[]
  /** A first group is kept in front of the mark. */
  readonly pattern: RegExp
  /** A second check of a match, if the form alone would also match ordinary words. */
  readonly really?: (found: string, text: string, offset: number) => boolean
}

export const SHAPES: readonly Shape[] = [
  {
    // Without its end line it is masked to the end: half a key is still a secret.
    name: 'private key',
    needs: ['PRIVATE KEY'],
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  {
    // First, since some issuers put their own prefix in front of one. A single part is only base64 of JSON.
    name: 'jwt',
    needs: ['eyJ'],
    pattern: /eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}/g,
    really: found => found.includes('.'),
  },
  { name: 'aws key id', needs: ['AKIA', 'ASIA'], pattern: /A[KS]IA[A-Z0-9]{16,}/g },
  {
    // Forty characters could be anything, a git hash or a path among them: the text must mention AWS.
    name: 'aws secret',
    needs: ['aws', 'AWS', 'Aws', '[secret: aws key id]'],
    pattern: /[A-Za-z0-9/+]{40,}/g,
    really: found => found.length === 40 && /\d/.test(found) && /[A-Z]/.test(found) && /[a-z]/.test(found),
  },
  {
    name: 'github token',
    needs: ['ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_', 'github_pat_'],
    pattern: /(?:gh[oprsu]|github_pat)_[A-Za-z0-9_]{20,}/g,
  },
  {
    name: 'gitlab token',
    needs: ['glpat-', 'glptt-', 'glcbt-', 'gldt-', 'glrt-', 'glft-'],
    pattern: /gl(?:pat|ptt|cbt|dt|rt|ft)-[A-Za-z0-9_.-]{20,}/g,
  },
  {
    name: 'slack token',
    needs: ['xox', 'xapp-', 'hooks.slack.com'],
    pattern:
      /xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9/]{16,}/g,
  },
  {
    name: 'stripe key',
    needs: ['k_live_', 'k_test_', 'whsec_'],
    pattern: /(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{10,}/g,
  },
  { name: 'anthropic key', needs: ['sk-ant-'], pattern: /sk-ant-[A-Za-z0-9_-]{20,}/g },
  {
    // `task-` and `disk-` end in the same three characters and are followed by hashes.
    name: 'openai key',
    needs: ['sk-'],
    pattern: /sk-(?:(?:proj|svcacct|admin|or)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,})/g,
    really: (found, text, offset) => /[A-Z]/.test(found) || (/\d/.test(found) && standsAlone(text, offset)),
  },
  {
    name: 'google key',
    needs: ['AIza', 'ya29.', 'GOCSPX-'],
    pattern: /AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}/g,
  },
  { name: 'npm token', needs: ['npm_'], pattern: /npm_[A-Za-z0-9]{30,}/g },
  { name: 'pypi token', needs: ['pypi-'], pattern: /pypi-[A-Za-z0-9_-]{50,}/g },
  {
    name: 'twilio key',
    needs: ['SK'],
    pattern: /SK[0-9a-f]{32,}/g,
    really: (_, text, offset) => standsAlone(text, offset),
  },
  { name: 'sendgrid key', needs: ['SG.'], pattern: /SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/g },
  { name: 'digitalocean token', needs: ['_v1_'], pattern: /do[oprt]_v1_[a-f0-9]{32,}/g },
  { name: 'huggingface token', needs: ['hf_'], pattern: /hf_[A-Za-z0-9]{30,}/g },
  { name: 'telegram token', needs: [':AA'], pattern: /[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}/g },
  {
    // Others whose prefix leaves no doubt.
    name: 'service token',
    needs: ['dckr_', 'shpat_', 'hvs.', 'gsk_', 'lin_api_', 'ATATT3', 'tskey-', 'AGE-SECRET-KEY-1'],
    pattern:
      /(?:dckr_[op]at_|shpat_|hvs\.|gsk_|lin_api_|ATATT3|tskey-[a-z]{1,12}-|AGE-SECRET-KEY-1)[A-Za-z0-9_=-]{20,}/g,
  },
  {
    name: 'azure signature',
    needs: ['sig='],
    pattern: /([?&;]sig=)[A-Za-z0-9%+/=_-]{20,}/g,
  },
  {
    name: 'authorization',
    needs: ['earer', 'EARER', 'asic', 'ASIC'],
    pattern: /((?:Bearer|Basic)[ \t]{1,4})[A-Za-z0-9._~+/=-]{6,}/gi,
    really: found => looksRandom(found),
  },
  {
    // A port is no password (`localhost:3000?to=a@b`), and a path may hold an @ (`localhost:3000/@vite`).
    name: 'url password',
    needs: ['://'],
    pattern: /(:\/\/[^\s/:@"'<>`\\]*:)(?!\d{1,5}[?#])[^\s/"'<>`\\]+(?=@)/g,
  },
  {
    name: 'password',
    needs: ['curl', 'wget', 'sshpass'],
    pattern:
      /((?:\s-u|\s--user|\s--proxy-user)[ \t=]{1,4}["']?(?!\d{1,9}:\d)[^\s:"']{1,100}:|sshpass[ \t]{1,4}-p[ \t]{0,4}["']?)(?!\[secret: )[^\s"']+/g,
  },
]

/** The kinds of secret in marks. */
export const KEY_KINDS = [
  'password',
  'secret',
  'token',
  'api key',
  'access key',
  'private key',
  'authorization',
  'cookie',
  'credential',
] as const
export type KeyKind = (typeof KEY_KINDS)[number]

export const mark = (kind: string): string => `[secret: ${kind}]`

// Only our own words: text that resembles a mark must not hide a secret.
const kinds = [...new Set([...KEY_KINDS, ...SHAPES.map(shape => shape.name), 'text'])].join('|')
const wholeMark = new RegExp(`^\\[secret: (?:${kinds})\\]$`)
const markHere = new RegExp(`\\[secret: (?:${kinds})\\]`, 'y')

export const isMark = (text: string): boolean =>
  text.length < 40 && text.startsWith('[secret: ') && wholeMark.test(text)

/** The end of the mark that begins at this place, or -1. */
export function markEnd(text: string, at: number): number {
  markHere.lastIndex = at
  return markHere.test(text) ? markHere.lastIndex : -1
}

const escaped = (needle: string): string => needle.replace(/[.[\]/]/g, '\\$&')
const ANY_NEEDLE = new RegExp(SHAPES.flatMap(shape => shape.needs.map(escaped)).join('|'))

export function maskShapes(text: string, found: (kind: string) => void): string {
  if (!ANY_NEEDLE.test(text)) return text
  let out = text
  for (const shape of SHAPES) {
    if (!hasAny(out, shape.needs)) continue
    out = out.replace(shape.pattern, (match: string, ...rest: unknown[]) => {
      const kept = typeof rest[0] === 'string' ? rest[0] : ''
      const offset = (typeof rest[0] === 'number' ? rest[0] : rest[1]) as number
      const secret = match.slice(kept.length)
      if (isMark(secret) || (shape.really && !shape.really(secret, out, offset))) return match
      found(shape.name)
      return kept + mark(shape.name)
    })
  }
  return out
}

/** Whether it could be a generated value rather than a word: digits, symbols, or capitals inside. */
export const looksRandom = (text: string): boolean =>
  text.length >= 6 && (/\d|[a-z][A-Z]|[^A-Za-z.,;:!?'"()[\]{}/_-]/.test(text) || text.length >= 40)

function hasAny(text: string, needles: readonly string[]): boolean {
  for (const needle of needles) if (text.includes(needle)) return true
  return false
}

/** Not the end of a longer word. Escapes (`\n`, colours, `%3D`) end in a letter and are no part of a word. */
const standsAlone = (text: string, offset: number): boolean =>
  /(?:^|[^A-Za-z0-9]|\\[abefnrtv0]|\[[0-9;]{0,8}m|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})$/.test(
    text.slice(Math.max(0, offset - 12), offset),
  )
