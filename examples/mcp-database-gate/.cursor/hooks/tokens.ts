// Splits SQL text into the words of its statements, without comments, strings and quoted names.

import type { Dialect } from './dialects.js'

export interface Statement {
  /** Words in lower case, and single characters; '' and "" replace quoted text. */
  readonly words: string[]
  /** The content of strings: some statements run it. */
  readonly strings: string[]
}

export interface Reading {
  readonly statements: readonly Statement[]
  /** False if a string or a comment does not end. */
  readonly isWhole: boolean
}

const WORD = /[\p{L}_@][\p{L}\p{N}_$@]*/uy
const NUMBER = /\d+/y
const DOLLAR = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy
const LINE_END = /[\r\n]|$/g
const COMMENT_MARK = /\/\*|\*\//g
const RUN_COMMENT = /\/\*M?!\d*/y

const PAIRS: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}', '<': '>' }

export function read(sql: string, dialect: Dialect): Reading {
  const statements: Statement[] = []
  let now: Statement = { words: [], strings: [] }
  let isWhole = true
  let at = 0

  const matchAt = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(sql)?.[0]
  }

  /** Moves past `end`; returns the text before it. */
  const skipPast = (end: string, from: number): string => {
    const found = sql.indexOf(end, from)
    if (found < 0) isWhole = false
    at = found < 0 ? sql.length : found + end.length
    return sql.slice(from, found < 0 ? undefined : found)
  }

  const skipLine = () => {
    LINE_END.lastIndex = at
    at = LINE_END.exec(sql)!.index
  }

  const skipComment = () => {
    const run = dialect.runsComments && matchAt(RUN_COMMENT)
    if (run) {
      at += run.length
      return
    }
    if (!dialect.nested) {
      skipPast('*/', at + 2)
      return
    }
    let depth = 0
    COMMENT_MARK.lastIndex = at
    for (let mark = COMMENT_MARK.exec(sql); mark; mark = COMMENT_MARK.exec(sql)) {
      depth += mark[0] === '/*' ? 1 : -1
      if (depth > 0) continue
      at = COMMENT_MARK.lastIndex
      return
    }
    isWhole = false
    at = sql.length
  }

  const takeString = (text: string) => {
    now.strings.push(text)
    now.words.push("''")
  }

  const takeQuoted = (quote: string) => {
    const prefix = /\w$/.test(sql[at - 1] ?? '') ? now.words.at(-1) : undefined
    if (dialect.triple && sql.startsWith(quote.repeat(3), at))
      return takeString(skipPast(quote.repeat(3), at + 3))
    if (dialect.ownQuotes && quote === "'" && /^n?q$/.test(prefix ?? '')) {
      const mark = sql[at + 1] ?? ''
      return takeString(skipPast(`${PAIRS[mark] ?? mark}'`, at + 2))
    }
    // E'...' has backslashes in PostgreSQL; r'...' has none in BigQuery.
    const hasEscapes = prefix === 'e' || (dialect.backslash && !(dialect.triple && prefix === 'r'))
    let text = ''
    for (at++; at < sql.length; at++) {
      if (hasEscapes && quote !== '`' && sql[at] === '\\') text += sql[++at] ?? ''
      else if (sql[at] !== quote) text += sql[at]
      else if (sql[at + 1] === quote) text += sql[at++]
      else break
    }
    if (at >= sql.length) isWhole = false
    at++
    if (quote === "'" || (quote === '"' && dialect.backslash)) takeString(text)
    else now.words.push('""')
  }

  while (at < sql.length) {
    const sign = sql[at]!
    const two = sql.slice(at, at + 2)
    const dollar = dialect.dollar && sign === '$' ? matchAt(DOLLAR) : undefined
    if (/\s/.test(sign)) at++
    else if (two === '--' && (!dialect.dashesNeedBlank || /^\s?$/.test(sql.slice(at + 2, at + 3)))) skipLine()
    else if (sign === '#' && dialect.hash) skipLine()
    else if (two === '//' && dialect.slashes) skipLine()
    else if (two === '/*') skipComment()
    // The end of a comment that runs.
    else if (two === '*/' && dialect.runsComments) at += 2
    else if (dollar !== undefined) takeString(skipPast(dollar, at + dollar.length))
    else if (sign === "'" || sign === '"' || sign === '`') takeQuoted(sign)
    else if (sign === '[' && dialect.brackets) {
      skipPast(']', at + 1)
      now.words.push('""')
    } else if (sign === ';') {
      statements.push(now)
      now = { words: [], strings: [] }
      at++
    } else {
      const word = matchAt(WORD) ?? matchAt(NUMBER) ?? sign
      now.words.push(word.toLowerCase())
      at += word.length
    }
  }
  statements.push(now)
  return { statements: statements.filter(({ words }) => words.length > 0), isWhole }
}
