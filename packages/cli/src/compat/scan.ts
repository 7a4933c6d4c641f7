// Reads the text of a script for what matters to versions: fields it reads, words it answers with, how it ends, what
// it prints. Shell, Python, JavaScript and TypeScript, line by line, without understanding any of them; bounded in
// time and size. Nothing is ever run.

import {
  ANSWER_ALIASES,
  ANSWER_FIELDS,
  EVENT_SPECS,
  PROFILE_NAMES,
  PROFILES,
  type Profile,
  payloadSchema,
} from '@holdfast/hooks/protocol'
import { type Printed, printedBy } from './prints.js'
import type { Place, Silence, Traits } from './traits.js'

const MOST_LINES = 5000
const LONGEST_LINE = 1000

/** The banner of bundled programs, and the import of those that are not. */
const BUNDLED = /^.{0,400}?\bholdfast-sdk\b/s
const IMPORTED = /^\s*(?:from|import)\s+holdfast_hooks\b|["']@holdfast\/hooks\/sdk["']/m

export function scan(text: string, file: string): Traits {
  if (BUNDLED.test(text.slice(0, 500)))
    return { speaks: 'sdk', reads: new Map(), writes: new Map(), silence: 'seldom' }
  const lines = codeLines(text)
  return IMPORTED.test(text.slice(0, 100_000)) ? scanLibrary(lines, file) : scanByHand(lines, file)
}

interface Line {
  readonly text: string
  readonly number: number
}

const COMMENT = /^\s*(?:#|\/\/|\/\*|\*(?:\s|$|\/))/

function codeLines(text: string): Line[] {
  const all = text.split('\n', MOST_LINES)
  return all.flatMap((line, index) =>
    COMMENT.test(line) ? [] : [{ text: line.slice(0, LONGEST_LINE), number: index + 1 }],
  )
}

/** Who uses the library calls its builders; which words go over the wire is the library's business. */
function scanLibrary(lines: readonly Line[], file: string): Traits {
  const called = (name: string) => placeOf(lines, file, new RegExp(`\\b${name}\\(`))
  const writes = Object.entries(BUILDERS).flatMap(([name, field]) => {
    const place = called(name)
    return place ? [[field, place] as const] : []
  })
  return {
    speaks: 'sdk',
    reads: new Map(),
    writes: new Map(writes),
    silence: 'seldom',
    ...given('denies', called('deny')),
    ...given('asks', called('ask')),
    ...given('allows', called('allow')),
  }
}

const BUILDERS = {
  followup: 'followup_message',
  context: 'additional_context',
  rewrite: 'updated_input',
  env: 'env',
  plugins: 'pluginPaths',
} as const

function scanByHand(lines: readonly Line[], file: string): Traits {
  const find = (pattern: RegExp) => placeOf(lines, file, pattern)
  const reads = wordsIn(lines, file, FIELD_READS, INSIDE_BRACES, isField)
  const writes = wordsIn(lines, file, [ANSWER_KEY], INSIDE_BRACES, isAnswerWord)
  const says = (word: RegExp) => (writes.has('permission') || writes.has('decision') ? find(word) : undefined)
  const denies = says(DENY) ?? find(STOP)
  const asks = says(ASK)
  const allows = says(ALLOW) ?? find(GO_ON) ?? find(EMPTY)
  const printed = lines.map(({ text }) => printedBy(text))
  return {
    speaks: 'by-hand',
    reads,
    writes,
    silence: silenceOf(printed, lines, Boolean(denies ?? asks), Boolean(allows)),
    ...given('denies', denies),
    ...given('asks', asks),
    ...given('allows', allows),
    ...given('exitsWith2', find(EXIT_2)),
    ...given('exitsAfterDeny', exitAfterDeny(lines, file)),
    ...given('printsText', textOf(printed, lines, file)),
  }
}

const given = <K extends keyof Traits>(name: K, place: Place | undefined) => (place ? { [name]: place } : {})

function placeOf(lines: readonly Line[], file: string, pattern: RegExp): Place | undefined {
  const found = lines.find(({ text }) => pattern.test(text))
  return found && { file, line: found.number }
}

const DENY = /\b(?:deny|block)\b/
const STOP = /\bcontinue\\?["']?\s{0,9}[:=]\s{0,9}["']?(?:false|False)\b/
const ASK = /["']ask\\?["']|\bpermission\W{1,6}ask\b/
const ALLOW = /\ballow\b/
const GO_ON = /\bcontinue\\?["']?\s{0,9}[:=]\s{0,9}["']?(?:true|True)\b/
const EMPTY = /(?:^|["'\s(])\{\s{0,9}\}(?:\\n)?(?:$|["'\s;)])/

const ENDS = (code: string) =>
  new RegExp(
    `(?:^|[\\s;&|({])exit\\s{1,9}${code}\\b|(?:\\bexit|\\bquit|_exit)\\(\\s{0,9}${code}\\s{0,9}\\)|\\bexitCode\\s{0,9}=\\s{0,9}${code}\\b`,
  )
const EXIT_2 = ENDS('2')
const EXIT_OTHER = ENDS('(?:1|[3-9]|\\d{2,3})')
const NEAR = 3

function exitAfterDeny(lines: readonly Line[], file: string): Place | undefined {
  const at = lines.findIndex(
    ({ text }, index) =>
      EXIT_OTHER.test(text) &&
      lines.slice(Math.max(0, index - NEAR), index + 1).some(({ text: near }) => SAID_NO.test(near)),
  )
  return at === -1 ? undefined : { file, line: lines[at]!.number }
}

const SAID_NO = /\bpermission\b.{0,40}\bdeny\b|\bcontinue\\?["']?\s{0,9}:\s{0,9}(?:false|False)\b/

function silenceOf(
  printed: readonly (Printed | undefined)[],
  lines: readonly Line[],
  objects: boolean,
  allows: boolean,
): Silence {
  const prints = printed.filter(one => one !== undefined)
  if (lines.some(({ text }) => DELEGATES.test(text))) return 'seldom'
  if (prints.length === 0) return 'always'
  const isPlain = prints.every(one => one === 'json' || one === 'text')
  const isCertain = lines.some(({ text }, index) => printed[index] === 'json' && UNCONDITIONAL.test(text))
  return isPlain && objects && !allows && !isCertain ? 'unless-objecting' : 'seldom'
}

/** A statement of its own that is not indented: it stands in no branch. */
const UNCONDITIONAL = /^(?:echo|printf|print|console|process|sys)\b(?:(?!&&|\|\|).){0,1000}$/

/** Another program prints for it. */
const DELEGATES =
  /(?:^|[\s;&|(])(?:exec\s|node\s|python3?\s|bun\s|deno\s|tsx\s|npx\s|uvx?\s|ruby\s|perl\s|(?:ba|z)?sh\s|source\s|\.\s)|\bsubprocess\b|\bspawn|\bexecSync\b|\brequire\(|\bimport\(/

function textOf(
  printed: readonly (Printed | undefined)[],
  lines: readonly Line[],
  file: string,
): Place | undefined {
  const at = printed.indexOf('text')
  return at === -1 ? undefined : { file, line: lines[at]!.number }
}

/** The first place of each word that the patterns capture and the test knows. */
function wordsIn(
  lines: readonly Line[],
  file: string,
  patterns: readonly RegExp[],
  braces: RegExp,
  isKnown: (word: string) => boolean,
): Map<string, Place> {
  const found = new Map<string, Place>()
  const add = (word: string, line: number) => {
    if (isKnown(word) && !found.has(word)) found.set(word, { file, line })
  }
  for (const { text, number } of lines) {
    for (const pattern of patterns) for (const [, word = ''] of text.matchAll(pattern)) add(word, number)
    for (const [, inside = ''] of text.matchAll(braces))
      for (const part of inside.split(',')) add(/^\s*(\w+)/.exec(part)?.[1] ?? '', number)
  }
  return found
}

/** `.field` of jq and JavaScript, and "field" in quotes of whatever kind. */
const FIELD_READS = [/\.([A-Za-z]\w{1,40})\b(?!\()/g, /["']([A-Za-z]\w{1,40})\\?["']/g]
/** `const { command, cwd } = …`, `({ command }) =>`. */
const INSIDE_BRACES = /\{([^{}]{1,300})\}\s{0,9}(?:=|\))/g
/** A key with its colon, quoted, escaped or bare; and `answer["permission"] =`. */
const ANSWER_KEY = /\b([A-Za-z]\w{2,40})\\?["']?\]?\s{0,9}(?::(?!:)|=(?![=>]))/g

const ANSWER_WORDS: ReadonlySet<string> = new Set([
  ...Object.keys(ANSWER_FIELDS),
  ...Object.keys(ANSWER_ALIASES),
  'decision',
  'reason',
])
const isAnswerWord = (word: string) => ANSWER_WORDS.has(word)

/** Every name under which a version sends a field; those that are also words of an answer tell nothing. */
const FIELDS: ReadonlySet<string> = new Set(
  [
    ...EVENT_SPECS.flatMap(spec => [
      ...Object.keys(payloadSchema(spec).entries),
      ...Object.keys(spec.accepts ?? {}),
    ]),
    ...PROFILE_NAMES.flatMap(name =>
      Object.values((PROFILES[name] as Profile).events).flatMap(({ payload = {} }) => [
        ...Object.values(payload.rename ?? {}),
        ...(payload.attachmentKey ? [payload.attachmentKey] : []),
      ]),
    ),
  ].filter(name => !ANSWER_WORDS.has(name)),
)
const isField = (word: string) => FIELDS.has(word)
