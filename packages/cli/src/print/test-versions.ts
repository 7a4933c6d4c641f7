// One case in several versions: a row for each, as `fire --profile all` shows them, and the failed expectations below
// it.

import { sep } from 'node:path'
import { decisionOf } from '@holdfast/hooks/testing'
import { compare, type ProfileRow as VersionRow } from '../profiles/compare.js'
import { IN_ORDER, versionName } from '../profiles/names.js'
import { receivedWords } from '../profiles/received.js'
import { HEADINGS, honouredWords, markOf, outcomeStyle, remarksOf } from '../profiles/report.js'
import type { Attempt } from '../test/attempt.js'
import type { CaseResult } from '../test/suite.js'
import { type Row, renderEach } from './rows.js'
import { isNarrow, type Screen } from './terminal.js'

const INDENT = 6

export function versionRows(
  result: CaseResult,
  screen: Screen,
  failure: (attempt: Attempt) => readonly string[],
): string[] {
  const attempts = result.attempts.toSorted(
    (a, b) => IN_ORDER.indexOf(a.profile) - IN_ORDER.indexOf(b.profile),
  )
  const compared = comparedRows(attempts)
  const inside = { ...screen, columns: screen.columns - INDENT }
  const narrow = isNarrow(screen)
  const head: Row = { cells: ['', ...HEADINGS].map(text => ({ text, style: screen.dim })) }
  const rows = attempts.map(attempt => rowOf(attempt, compared.get(attempt), inside, narrow))
  const columns = narrow ? [{}, {}, {}] : [{}, {}, { share: 0.3 }, { share: 0.4 }, {}]
  const lines = renderEach(narrow ? rows : [head, ...rows], columns, inside.columns, 2)
  const titles = narrow ? [] : lines.slice(0, 1)
  const put = (row: readonly string[]) => row.map(line => `${' '.repeat(INDENT)}${line}`)
  const told = new Map<string, string>()
  const each = lines.slice(titles.length).map((row, index) => {
    const attempt = attempts[index]!
    const why = failure(attempt)
    // Versions often fail for the same reason; it is printed once.
    const before = told.get(why.join('\n'))
    if (why.length > 0 && before === undefined) told.set(why.join('\n'), versionName(attempt.profile))
    const said = before === undefined ? why : [`${' '.repeat(12)}${screen.dim(`the same as in ${before}`)}`]
    return [...put(row), ...said]
  })
  return [...titles.map(put), ...each].flat()
}

function rowOf(attempt: Attempt, version: VersionRow | undefined, screen: Screen, narrow: boolean): Row {
  const { profile, outcome, reason, tidy } = attempt
  const mark = {
    passed: { text: '\u2713', style: screen.green },
    failed: { text: '\u2717', style: screen.red },
    skipped: { text: '\u2013', style: screen.dim },
  }[outcome]
  const name = { text: versionName(profile) }
  if (!version) {
    const words = reason ?? ways(attempt)
    return { cells: [mark, name, ...(narrow ? [] : [{ text: '-' }, { text: '-' }]), { text: words }] }
  }
  const receives = version.received ? receivedWords(version.received) : 'nothing'
  const came = { text: version.outcome, style: outcomeStyle(version, screen) }
  const fromHere = (text: string) => tidy(text).replaceAll(screen.cwd + sep, '')
  const remarks = remarksOf(version, screen).map(cell => ({ ...cell, text: fromHere(cell.text) }))
  return {
    cells: narrow
      ? [mark, name, came]
      : [mark, name, { text: receives }, { text: honouredWords(version) }, came],
    text: { text: markOf(version), style: screen.amber },
    below: narrow
      ? [{ text: `receives ${receives}` }, { text: `honours ${honouredWords(version)}` }, ...remarks]
      : remarks,
  }
}

/** Only for cases with one event: a session has no single response to compare. */
function comparedRows(attempts: readonly Attempt[]): ReadonlyMap<Attempt, VersionRow> {
  const single = attempts.flatMap(attempt => {
    const [only, ...more] = attempt.steps
    return only?.simulated && more.length === 0 ? [{ attempt, simulated: only.simulated }] : []
  })
  if (single.length === 0) return new Map()
  const { rows } = compare(single.map(({ simulated }) => simulated))
  return new Map(single.map(({ attempt }, index) => [attempt, rows[index]!]))
}

/** All passed, and all of them in the same way. */
export const wentAlike = ({ attempts, outcome }: CaseResult): boolean =>
  outcome === 'passed' && new Set(attempts.map(ways)).size === 1

/** The result of each event, in one word. */
const ways = ({ steps }: Attempt): string =>
  steps
    .flatMap(step => step.seen ?? [])
    .map(decisionOf)
    .join(', ') || '-'
