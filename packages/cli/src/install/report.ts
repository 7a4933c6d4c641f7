// The output of install: the change, the limitations of the agent, and what to do next.

import type { Bridge } from '@holdfast/hooks/bridges'
import type { Change } from '../edit/change.js'
import type { DiffLine } from '../edit/diff.js'
import { changeRow, fileRows } from '../print/changes.js'
import { shortPath } from '../print/place.js'
import { indented, type Row, renderRows } from '../print/rows.js'
import type { Screen } from '../print/terminal.js'
import type { Place } from './place.js'
import type { Refused } from './refused.js'

export function planText(
  { bridge, level, file }: Place,
  change: Change | undefined,
  { diff, events }: { diff: readonly DiffLine[]; events: readonly string[] },
  screen: Screen,
): string {
  const row = change
    ? { ...changeRow(change, diff), note: `an entry for ${events.join(', ')}` }
    : { word: 'keep', path: file, note: 'calls holdfast already' }
  const head = `hooks in ${bridge.title}, for ${level === 'user' ? 'yourself' : 'this project'}`
  return `\n  ${screen.bold(head)}\n\n${fileRows([row], screen).join('\n')}\n\n${limitationsText(bridge, screen)}\n`
}

function limitationsText(bridge: Bridge, screen: Screen): string {
  const { title, version, evidence } = bridge
  const rows = limitationsOf(bridge).map(
    ({ feature, limitation, unenforced }): Row => ({
      cells: [{ text: feature, ...(unenforced ? { style: screen.amber } : {}) }],
      text: { text: limitation },
    }),
  )
  const seen = evidence === 'observed' ? `as seen in ${version}` : `as documented in ${version}, not seen`
  const lines = renderRows(rows, [{ share: 0.35 }], screen.columns)
  return `  Limitations of ${title}, ${seen}\n\n${lines.join('\n')}\n`
}

const limitationsOf = ({ limitations, unenforced = [] }: Bridge) =>
  Object.entries(limitations).map(([feature, limitation]) => ({
    feature,
    limitation,
    unenforced: unenforced.some(event => feature.split(', ').includes(event)),
  }))

export function writtenText({ bridge, level }: Place, screen: Screen): string {
  const flag = level === 'project' ? ' --project' : ''
  const next: [string, string][] = [
    [`holdfast uninstall ${bridge.name}${flag}`, 'take it out again, byte for byte'],
    ['holdfast log --follow', 'watch hooks run'],
  ]
  const rows = next.map(
    ([command, does]): Row => ({ cells: [{ text: command }], text: { text: does, style: screen.dim } }),
  )
  const also = bridge.config.nextStep ? ` ${bridge.config.nextStep}` : ''
  const said = indented({ text: `Written.${also}` }, 2, screen.columns)
  const head = said.join('\n').replace('Written.', screen.green('Written.'))
  return `${head}\n\n${renderRows(rows, [{}], screen.columns).join('\n')}\n\n`
}

export function refusedLines(
  { bridge, level }: Place,
  refused: readonly Refused[],
  screen: Screen,
): string[] {
  const lines = refused.flatMap(({ hook, why }) => {
    const line = hook.line === null ? '' : `:${hook.line}`
    const place = hook.file ? `${shortPath(hook.file, screen)}${line}` : hook.source
    return [`  ${place} ${hook.event} ${hook.name}`, `    ${why}`]
  })
  const [hooks, deny] = refused.length === 1 ? ['this hook', 'it denies'] : ['these hooks', 'they deny']
  const flags = `${level === 'project' ? '--project ' : ''}--accept-loss`
  return [
    `${bridge.title} would not obey ${hooks} when ${deny}:`,
    ...lines,
    `Nothing was written. To install all the same: holdfast install ${bridge.name} ${flags}`,
  ]
}

export const planJson = (
  { bridge, level, file }: Place,
  events: readonly string[],
  refused: readonly Refused[],
  written: boolean,
) => ({
  agent: bridge.name,
  version: bridge.version,
  evidence: bridge.evidence,
  level,
  file,
  written,
  events,
  limitations: limitationsOf(bridge),
  unenforced: refused.map(({ hook, why }) => ({ hook: hook.id, event: hook.event, why })),
})
