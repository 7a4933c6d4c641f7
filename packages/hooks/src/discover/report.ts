// Collects what is wrong with one source. Nothing is dropped without passing through here.

import { CODES, type IssueCode } from '../protocol/codes.js'
import type { Issue, SourceKind } from '../protocol/config.js'
import type { Place } from './json.js'

export interface Finding {
  readonly file?: string
  readonly place?: Place | undefined
  readonly path?: string
  readonly message?: string
  readonly hint?: string
}

export interface Report {
  readonly issues: Issue[]
  error(code: IssueCode, finding?: Finding): void
  warning(code: IssueCode, finding?: Finding): void
  /** The same report, for findings in another file. */
  on(file: string): Report
}

const START: Place = { line: 1, column: 1 }

export function openReport(source: SourceKind, file: string, issues: Issue[] = []): Report {
  const add = (severity: Issue['severity'], code: IssueCode, finding: Finding = {}) => {
    const { line, column } = finding.place ?? START
    issues.push({
      code,
      severity,
      source,
      file: finding.file ?? file,
      line,
      column,
      path: finding.path ?? '',
      message: finding.message ?? CODES[code].meaning,
      hint: finding.hint ?? CODES[code].hint,
    })
  }
  return {
    issues,
    error: (code, finding) => add('error', code, finding),
    warning: (code, finding) => add('warning', code, finding),
    on: other => openReport(source, other, issues),
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
