// The worst effect of an SQL text.

import { DIALECTS } from './dialects.js'
import { read, type Statement } from './tokens.js'

export interface Judgement {
  readonly kind: 'read' | 'write' | 'denied'
  readonly why: string
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const READS = words(
  'select with values table show describe desc explain use begin start commit rollback end savepoint release',
)
/** In any position: SQL Server needs no semicolon between statements. */
const DESTROYS = words('drop truncate alter grant revoke rename')
const WRITES = words('insert update delete merge replace upsert create call exec execute copy into lock')
/** Statements that run the content of their strings. */
const RUNS_STRINGS = words('do exec execute prepare create call')
/** Functions that write, contact other servers, or run their arguments inside a harmless select. */
const FUNCTIONS =
  /^(?:dblink\w*|query_to_xml\w*|lo_\w+|pg_(?:terminate|cancel|reload|rotate|switch|write|read|ls|file|promote)\w*|nextval|setval|set_config|load_extension|load_file|writefile|xp_\w+|sp_\w+|openrowset|openquery|sys_exec|sys_eval)$/

const HARMLESS: Judgement = { kind: 'read', why: '' }
const DEEPEST = 5

/** Several dialects find the same strings; each is judged once for a text. */
const judged = new Map<string, Judgement>()

/** The strictest of all dialects. */
export function judge(sql: string, depth = 0): Judgement {
  // A daemon judges for months.
  if (depth === 0) judged.clear()
  const key = `${depth} ${sql}`
  const known = judged.get(key) ?? judgeUncached(sql, depth)
  judged.set(key, known)
  return known
}

function judgeUncached(sql: string, depth: number): Judgement {
  if (depth > DEEPEST) return { kind: 'denied', why: 'it is code inside code, too deep to read' }
  const readings = DIALECTS.map(dialect => read(sql, dialect))
  if (!readings.some(({ isWhole }) => isWhole))
    return { kind: 'denied', why: 'a string or a comment in the SQL does not end' }
  return strictest(readings.flatMap(({ statements }) => statements.map(one => judgeOne(one, depth))))
}

/** Whether a text may be SQL although its name does not say so. */
export const looksLikeSql = (text: string): boolean =>
  read(text, DIALECTS[0]!).statements.some(({ words: [first = '', ...more] }) => {
    const verb = first === '(' ? (more[0] ?? '') : first
    return more.length > 0 && [READS, DESTROYS, WRITES, RUNS_STRINGS].some(verbs => verbs.has(verb))
  })

function judgeOne({ words, strings }: Statement, depth: number): Judgement {
  const verbs = words.filter((word, at) => !isName(words, word, at))
  const destroys = verbs.find(word => DESTROYS.has(word))
  if (destroys) return { kind: 'denied', why: `${destroys.toUpperCase()} is not run from here` }
  if (verbs.includes('copy') && verbs.includes('program'))
    return { kind: 'denied', why: 'COPY ... PROGRAM runs a program on the server' }
  const inside = verbs.some(word => RUNS_STRINGS.has(word)) ? judgeStrings(strings, depth + 1) : HARMLESS
  if (inside.kind === 'denied') return inside
  const writes = verbs.find((word, at) => WRITES.has(word) && !isLock(verbs, at))
  if (writes) return { kind: 'write', why: `${writes.toUpperCase()}${everywhere(writes, verbs)}` }
  const calls = words.find((word, at) => words[at + 1] === '(' && FUNCTIONS.test(word))
  if (calls) return { kind: 'write', why: `it calls ${calls}()` }
  const first = words.find(word => word !== '(') ?? ''
  return READS.has(first) ? inside : { kind: 'write', why: `"${first.slice(0, 40)}" is not known as a read` }
}

/** Each separately, and all together: EXEC('DR' + 'OP TABLE t'). A single word does nothing. */
const judgeStrings = (strings: readonly string[], depth: number): Judgement =>
  strictest(
    [...strings, strings.join('')].filter(text => /\w\W+\w/.test(text)).map(text => judge(text, depth)),
  )

/** t.update, update(...), :drop are columns, functions and parameters. 1.drop is a number and a verb. */
const isName = (words: readonly string[], word: string, at: number): boolean => {
  const before = words[at - 1]
  if (before === '.') return !/^\d/.test(words[at - 2] ?? '')
  return before === ':' || (words[at + 1] === '(' && !TAKES_BRACKET.has(word))
}

const TAKES_BRACKET = words('exec execute into copy')

/** SELECT ... FOR UPDATE and FOR NO KEY UPDATE only lock the rows. */
const isLock = (verbs: readonly string[], at: number) =>
  verbs[at] === 'update' && (verbs[at - 1] === 'for' || (verbs[at - 1] === 'key' && verbs[at - 2] === 'no'))

const everywhere = (verb: string, verbs: readonly string[]) =>
  (verb === 'delete' || verb === 'update') && !verbs.includes('where') ? ' without a WHERE' : ''

const ORDER = ['read', 'write', 'denied'] as const

export const strictest = (all: readonly Judgement[]): Judgement =>
  all.reduce((a, b) => (ORDER.indexOf(b.kind) > ORDER.indexOf(a.kind) ? b : a), HARMLESS)
