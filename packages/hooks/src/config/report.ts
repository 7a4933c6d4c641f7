// Collects the problems of one source. A loader that drops something must report it here.

import { CODES, type IssueCode } from '../protocol/codes.js'
import type { Issue, SourceKind } from '../protocol/config.js'
import { editDistance } from '../protocol/edit-distance.js'
import type { Place } from './json.js'

export interface Finding {
  readonly file?: string
  readonly place?: Place | undefined
  readonly path?: string
  readonly message?: string
  readonly hint?: string
}

export interface Report {
  readonly source: SourceKind
  readonly issues: Issue[]
  error(code: IssueCode, finding?: Finding): void
  warning(code: IssueCode, finding?: Finding): void
  /** The known name that was probably meant. */
  suggest(word: string, names: readonly string[]): string | undefined
  /** The same report, for findings in another file. */
  on(file: string): Report
}

const START: Place = { line: 1, column: 1 }
/** Of one code, and of suggestions. Bounds the time and memory that a file full of mistakes takes. */
const MOST = 100

export function openReport(source: SourceKind, file: string): Report {
  return reportOn(source, file, [], new Map())
}

function reportOn(source: SourceKind, file: string, issues: Issue[], counts: Map<string, number>): Report {
  const count = (key: string): number => {
    const next = (counts.get(key) ?? 0) + 1
    counts.set(key, next)
    return next
  }
  const add = (severity: Issue['severity'], code: IssueCode, finding: Finding = {}) => {
    const number = count(code)
    if (number > MOST) return
    const { line, column } = finding.place ?? START
    const message = finding.message ?? CODES[code].meaning
    issues.push({
      code,
      severity,
      source,
      file: finding.file ?? file,
      line,
      column,
      path: finding.path ?? '',
      message: number < MOST ? message : `${message} Further problems of this kind are not listed.`,
      hint: finding.hint ?? CODES[code].hint,
    })
  }
  return {
    source,
    issues,
    error: (code, finding) => add('error', code, finding),
    warning: (code, finding) => add('warning', code, finding),
    suggest: (word, names) => (count('suggest') > MOST ? undefined : nearest(word, names)),
    on: other => reportOn(source, other, issues, counts),
  }
}

/** By place: the source's own file first, then others by name; errors before warnings at one place. */
export function sortIssues(issues: readonly Issue[], file: string): Issue[] {
  return [...issues].sort(
    (a, b) =>
      Number(a.file !== file) - Number(b.file !== file) ||
      compare(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compare(a.severity, b.severity),
  )
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** First the same letters in another spelling (`fail_closed`, `LoopLimit`), then a name with few typing errors. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  if (word.length > 60) return undefined
  const bare = strip(word)
  const sameLetters = names.find(name => strip(name) === bare)
  if (sameLetters !== undefined) return sameLetters
  let best: string | undefined
  let bestDistance = Math.floor(Math.max(word.length, 3) / 3) + 1
  for (const name of names) {
    const distance = Math.min(editDistance(bare, strip(name)), distanceIfCut(bare, strip(name)))
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

const strip = (word: string) => word.replace(/[_\-\s]/g, '').toLowerCase()

/** `beforeShell` for `beforeShellExecution` counts as one error, if the word is long enough. */
const distanceIfCut = (word: string, name: string) =>
  word.length >= 5 && name.startsWith(word) ? 1 : Infinity
