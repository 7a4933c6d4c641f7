// One row per version: what hooks receive there, which fields of their responses count, and the result.

import { sep } from 'node:path'
import { RESPONSE_FIELDS } from '@holdfast/hooks/protocol'
import type { Call } from '../call.js'
import { headline } from '../print/fire-report.js'
import { place } from '../print/place.js'
import { type Cell, renderRows, type Row as TableRow } from '../print/rows.js'
import { isNarrow, type Screen } from '../print/terminal.js'
import { oneLine, shorten } from '../print/text.js'
import { count, shortHook } from '../print/words.js'
import type { HookRow, ProfileRow } from './compare.js'
import { versionName } from './names.js'
import { receivedWords } from './received.js'
import type { Simulated } from './simulate.js'

export function matrixReport(
  { spec, fields }: Pick<Call, 'spec' | 'fields'>,
  rows: readonly ProfileRow[],
  reference: Simulated,
  screen: Screen,
): string {
  const table = isNarrow(screen) ? narrowTable(rows, screen) : wideTable(rows, screen)
  const text = [[`  ${headline(spec.name, fields, screen)}`], table, closingLines(rows, reference, screen)]
  return `\n${text.map(block => block.join('\n')).join('\n\n')}\n\n`
}

export const HEADINGS = ['version', 'receives', 'answer honoured', 'outcome']

function wideTable(rows: readonly ProfileRow[], screen: Screen): string[] {
  const head: TableRow = { cells: HEADINGS.map(text => ({ text, style: screen.dim })) }
  const lines = rows.map(
    (row): TableRow => ({
      cells: [
        { text: versionName(row.simulated.profile.name) },
        { text: row.received ? receivedWords(row.received) : 'nothing' },
        { text: honouredWords(row) },
        { text: row.outcome, style: outcomeStyle(row, screen) },
      ],
      text: { text: markOf(row), style: screen.amber },
      below: remarksOf(row, screen),
    }),
  )
  return renderRows([head, ...lines], [{}, { share: 0.3 }, { share: 0.4 }, {}], screen.columns)
}

function narrowTable(rows: readonly ProfileRow[], screen: Screen): string[] {
  const lines = rows.map(
    (row): TableRow => ({
      cells: [
        { text: versionName(row.simulated.profile.name) },
        { text: row.outcome, style: outcomeStyle(row, screen) },
      ],
      text: { text: markOf(row), style: screen.amber },
      below: [
        { text: `receives ${row.received ? receivedWords(row.received) : 'nothing'}` },
        { text: `honours ${honouredWords(row)}` },
        ...remarksOf(row, screen),
      ],
    }),
  )
  return renderRows(lines, [{}, {}], screen.columns)
}

const FIELDS = Object.keys(RESPONSE_FIELDS)

/** The fields that count, or one word for the reason that none does. */
export function honouredWords({ hooks }: Pick<ProfileRow, 'hooks'>): string {
  const ran = hooks.filter(({ said }) => said !== 'skipped' && said !== 'observes')
  if (ran.length === 0) {
    return hooks.length === 0 ? '-' : hooks.some(({ said }) => said === 'observes') ? 'observed' : 'not asked'
  }
  const honoured = [...new Set(ran.flatMap(hook => hook.honoured))]
  if (honoured.length > 0) return FIELDS.filter(field => honoured.includes(field)).join(', ')
  if (ran.some(({ ignored }) => ignored.length > 0)) return 'no'
  return ran.some(({ said }) => said.startsWith('failed')) ? 'failed' : 'no response'
}

/** A different outcome matters most; a lost message is shown less prominently. */
export function markOf({ differs }: ProfileRow): string {
  if (differs.length === 0) return ''
  if (differs.includes('outcome')) return '\u2190 differs'
  return `\u2190 ${differs.join(' and ')} ${differs.length > 1 ? 'differ' : 'differs'}`
}

export const outcomeStyle = ({ outcome }: ProfileRow, { red, amber, green, dim }: Screen) =>
  outcome === 'denied'
    ? red
    : outcome.startsWith('asks')
      ? amber
      : outcome.startsWith('allowed')
        ? green
        : outcome === 'no such event'
          ? dim
          : (text: string) => text

export function remarksOf(row: ProfileRow, { dim, columns, cwd }: Screen): Cell[] {
  // The engine uses absolute paths; here they are relative to the current folder.
  return remarkWords(row).map(text => ({
    text: shorten(oneLine(text).replaceAll(cwd + sep, ''), columns * 3),
    style: dim,
  }))
}

/** The reason for the difference. */
export function remarkWords({ simulated, received, hooks }: ProfileRow): string[] {
  const { profile, plan } = simulated
  if (!received)
    return [`${versionName(profile.name)} has no ${plan.event.spec.name}, so hooks for it never run`]
  const common = received.missingCommon
  return [
    ...(common.length > 0 ? [`does not send ${common.join(', ')}`] : []),
    ...hooks.flatMap(hook => hookRemarks(hook, hooks.length > 1)),
  ]
}

/** With several hooks, each line names its hook. */
const hookRemarks = ({ hook, said, remarks }: HookRow, isOneOfMany: boolean): string[] =>
  remarks.map((remark, index) => {
    if (isOneOfMany && index === 0) return `${shorten(shortHook(hook), NAME_ROOM)}, ${said}: ${remark}`
    return said === 'skipped' ? `skipped: ${remark}` : remark
  })

/** A long shell command is not used as a name. */
const NAME_ROOM = 32

function closingLines(rows: readonly ProfileRow[], { profile }: Simulated, screen: Screen): string[] {
  const other = rows.filter(({ differs }) => differs.length > 0).length
  const total = count(rows.length, 'version')
  const than = versionName(profile.name)
  const untrusted = rows
    .flatMap(({ simulated }) => simulated.verdict.skipped)
    .find(({ reason }) => reason === 'untrusted')
  const hasHooks = rows.some(({ hooks }) => hooks.length > 0)
  return [
    hasHooks
      ? `  ${total}, ${other === 0 ? `all as in ${than}` : `${screen.amber(`${other} not as in ${than}`)}`} \u00b7 hooks ran once per version`
      : `  ${screen.bold('no hooks for this event')}`,
    ...(untrusted
      ? [
          `  ${place(untrusted.hook.file, untrusted.hook.line, screen)} is not trusted; review with: holdfast trust`,
        ]
      : []),
  ]
}
