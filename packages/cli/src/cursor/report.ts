// The output of install and uninstall for Cursor's own files.

import { compatJson } from '../compat/json.js'
import type { Verdicts } from '../compat/judge.js'
import { compatReport } from '../compat/report.js'
import type { Before } from '../edit/change.js'
import { type DiffLine, diffBetween } from '../edit/diff.js'
import { changeRow, type FileRow, fileRows } from '../print/changes.js'
import { shortPath } from '../print/place.js'
import { type Row, renderRows } from '../print/rows.js'
import type { Screen } from '../print/terminal.js'
import { wrap } from '../print/text.js'
import type { Unheard } from './losses.js'
import { type CursorPlan, isUnchanged } from './plan.js'
import type { HooksToInstall } from './source.js'

const whom = ({ target }: CursorPlan) => (target.level === 'user' ? 'yourself' : 'everyone on this machine')

export function planText(
  plan: CursorPlan,
  source: HooksToInstall,
  verdicts: Verdicts,
  withDiff: boolean,
  screen: Screen,
): string {
  const { target, scripts, kept, removed } = plan
  const rows: FileRow[] = [
    ...scripts.map(change => changeRow(change)),
    ...kept.map(path => ({ word: 'keep', path, note: 'exists already' })),
    ...removed.map(path => ({ word: 'remove', path, note: 'is no longer needed' })),
    hooksRow(plan, source, withDiff),
  ]
  const folder = shortPath(target.folder, screen)
  const twice =
    source.spelled === 'hooks/'
      ? ''
      : ` In their own project they run twice, because ${shortPath(source.file, screen)} has them, too.`
  const note = `They start in ${folder}, for every project.${twice}`
  return [
    `\n  ${screen.bold(`hooks in Cursor, for ${whom(plan)}`)}\n\n${fileRows(rows, screen).join('\n')}\n\n`,
    `${wrap(note, screen.columns - 2)
      .map(line => `  ${line}`)
      .join('\n')}\n`,
    '\n  Support in versions of Cursor\n',
    compatReport(verdicts, screen),
  ].join('')
}

function hooksRow(
  { path, now, after, packs }: CursorPlan,
  source: HooksToInstall,
  withDiff: boolean,
): FileRow {
  if (isUnchanged(now, after)) return { word: 'keep', path, note: 'has these hooks already' }
  const entries = packs.find(({ name }) => name === source.name)?.entries ?? []
  const events = [...new Set(entries.map(({ event }) => event))]
  return {
    word: now ? 'change' : 'create',
    path,
    note: `${entries.length === 1 ? 'an entry' : `${entries.length} entries`} for ${events.join(', ')}`,
    diff: withDiff ? diffOf(now, after) : [],
  }
}

const diffOf = (now: Before | undefined, after: Before | null): DiffLine[] => {
  const text = (file: Before | null | undefined) => file?.bytes.toString('utf8').replace(/^\uFEFF/, '') ?? ''
  if (!now) return textLines(text(after), '+')
  return after ? diffBetween(text(now), text(after)) : textLines(text(now), '-')
}

const textLines = (text: string, mark: DiffLine['mark']): DiffLine[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => ({ mark, text: line.replace(/\r$/, '') }))

const flagOf = ({ target }: CursorPlan) => (target.level === 'enterprise' ? ' --enterprise' : '')

export function writtenText(plan: CursorPlan, screen: Screen): string {
  const sudo = plan.target.level === 'enterprise' && process.platform !== 'win32' ? 'sudo ' : ''
  const next: [string, string][] = [
    ['holdfast doctor', 'verify that each of them responds'],
    [`${sudo}holdfast uninstall cursor${flagOf(plan)}`, 'restore the files, byte for byte'],
  ]
  const rows = next.map(
    ([command, does]): Row => ({ cells: [{ text: command }], text: { text: does, style: screen.dim } }),
  )
  return `  ${screen.green('Written.')} Cursor before version 3 reads hooks only at its start: restart it.\n\n${renderRows(rows, [{}], screen.columns).join('\n')}\n\n`
}

export function unheardLines(unheard: readonly Unheard[], screen: Screen): string[] {
  const lines = unheard.flatMap(({ hook, why }) => [
    `  ${shortPath(hook.file ?? '', screen)}:${hook.line} ${hook.event} ${hook.name}`,
    `    ${why}`,
  ])
  const [hooks, deny] = unheard.length === 1 ? ['this hook', 'it denies'] : ['these hooks', 'they deny']
  return [
    `Even the newest Cursor would ignore ${hooks} when ${deny}:`,
    ...lines,
    'Nothing was written. To install anyway, add --accept-loss.',
  ]
}

export const installJson = (
  plan: CursorPlan,
  source: HooksToInstall,
  verdicts: Verdicts,
  unheard: readonly Unheard[],
  written: boolean,
) => ({
  agent: 'cursor',
  level: plan.target.level,
  file: plan.path,
  from: source.file,
  name: source.name,
  written,
  files: [
    ...plan.scripts.map(({ path, before, mode }) => ({
      path,
      action: before ? 'change' : 'create',
      executable: (mode & 0o111) !== 0,
    })),
    ...plan.kept.map(path => ({ path, action: 'keep' })),
    ...plan.removed.map(path => ({ path, action: 'remove' })),
  ],
  entries: plan.packs.find(({ name }) => name === source.name)?.entries ?? [],
  versions: compatJson(verdicts).hooks,
  unenforced: unheard.map(({ hook, why }) => ({ hook: hook.id, event: hook.event, why })),
})

/** The final state of hooks.json: as before the installation, or without the entries of holdfast. */
const fateOf = ({ now, after, packs }: CursorPlan, isExact: boolean) =>
  isUnchanged(now, after)
    ? ({ word: 'keep', note: 'has no hooks of holdfast', fate: 'as_before' } as const)
    : !after
      ? ({ word: 'remove', note: 'as it was before: there was none', fate: 'removed' } as const)
      : isExact && packs.length === 0
        ? ({ word: 'restore', note: 'as it was before', fate: 'restored' } as const)
        : ({
            word: 'change',
            note: isExact
              ? 'other hooks stay'
              : 'it was changed since, so only the entries of holdfast are removed',
            fate: 'edited',
          } as const)

export function takenText(plan: CursorPlan, isExact: boolean, screen: Screen): string {
  const { word, note } = fateOf(plan, isExact)
  const rows: FileRow[] = [
    ...plan.removed.map(path => ({ word: 'remove', path })),
    ...plan.left.map(path => ({ word: 'left', path, note: 'was changed since' })),
    { word, path: plan.path, note },
  ]
  return `\n  ${screen.bold('hooks out of Cursor')}\n\n${fileRows(rows, screen).join('\n')}\n\n`
}

export const takenJson = (plan: CursorPlan, isExact: boolean, written: boolean) => ({
  agent: 'cursor',
  level: plan.target.level,
  file: plan.path,
  written,
  fate: fateOf(plan, isExact).fate,
  removed: plan.removed,
  left: plan.left,
})
