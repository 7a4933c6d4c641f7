// The output of install: the change, what can turn it off, and what to do next. Details only with --verbose.

import { type Bridge, noteOnEvidence } from '@holdfast/hooks/bridges'
import type { Before } from '../edit/change.js'
import type { FilePlan } from '../edit/settings-editor.js'
import { changeRow, fileRows } from '../print/changes.js'
import { shortPath } from '../print/place.js'
import { indented, type Row, renderRows } from '../print/rows.js'
import type { Screen } from '../print/terminal.js'
import { count } from '../print/words.js'
import type { Workspace } from '../workspace.js'
import type { EntryOptions } from './entries.js'
import { activeSwitches, switchesFor } from './off-switches.js'
import { flagOf, type InstallPlace } from './place.js'
import type { Refused } from './refused.js'

export interface InstallPlan extends EntryOptions, FilePlan {
  /** The file before the first installation (null: there was none). Undefined if it was changed since. */
  readonly origin?: Before | null | undefined
  /** The entries call a program that is not on this PATH. */
  readonly isMissing: boolean
}

const FOR = { user: 'for yourself', project: 'for this project', managed: 'for everyone on this machine' }

export function planText(
  place: InstallPlace,
  { change, diff, events, required, isMissing }: InstallPlan,
  { isDry, isVerbose }: { readonly isDry: boolean; readonly isVerbose: boolean },
  workspace: Workspace,
): string {
  const { bridge, level, file } = place
  const { screen } = workspace
  const row = change
    ? { ...changeRow(change, isDry ? diff : []), note: events.join(', ') }
    : { word: 'keep', path: file, note: 'calls holdfast already' }
  const switches = switchesFor(place)
    .filter(one => level === 'managed' || !one.alsoManaged)
    .map(({ name }) => name)
  const safer = bridge.config.managed && level !== 'managed' ? '; --managed prevents that' : ''
  const active = activeSwitches(place, workspace)
  const lines = [
    noteOnEvidence(bridge),
    required.length > 0
      ? `Required: ${required.join(', ')}. Tool calls are denied if its hooks.json is broken or missing.`
      : null,
    switches.length > 0 && !isVerbose ? `Turned off by: ${switches.join(', ')}${safer}.` : null,
    ...active.map(
      one => `Turned off now: ${one.offSwitch.name} in ${shortPath(one.file, screen)}. Remove it.`,
    ),
    isMissing
      ? 'holdfast is not on this PATH. Until it is, prompts and tool calls in this project are blocked.'
      : null,
    isVerbose
      ? null
      : `${count(Object.keys(bridge.limitations).length, 'limitation')}: holdfast install ${bridge.name} --dry-run --verbose`,
  ].filter(line => line !== null)
  const head = `hooks in ${bridge.title}, ${FOR[level]}`
  const parts = [
    `\n  ${screen.bold(head)}\n`,
    ...fileRows([row], screen),
    ...lines.flatMap(text => indented({ text }, 2, screen.columns)),
    ...(isVerbose ? detailLines(place, screen) : []),
  ]
  return `${parts.join('\n')}\n\n`
}

function detailLines(place: InstallPlace, screen: Screen): string[] {
  const { bridge } = place
  const { title, version, evidence } = bridge
  const rows = limitationsOf(bridge).map(
    ({ feature, limitation, unenforced }): Row => ({
      cells: [{ text: feature, ...(unenforced ? { style: screen.amber } : {}) }],
      text: { text: limitation },
    }),
  )
  const switches = switchesFor(place).map(
    ({ name, effect }): Row => ({ cells: [{ text: name }], text: { text: effect } }),
  )
  const source = evidence === 'observed' ? `as observed in ${version}` : `as documented in ${version}`
  const table = (heading: string, all: readonly Row[]) =>
    all.length === 0 ? [] : ['', `  ${heading}`, '', ...renderRows(all, [{ share: 0.35 }], screen.columns)]
  return [...table('Turned off by', switches), ...table(`Limitations of ${title}, ${source}`, rows)]
}

const limitationsOf = ({ limitations, unenforced = [] }: Bridge) =>
  Object.entries(limitations).map(([feature, limitation]) => ({
    feature,
    limitation,
    unenforced: unenforced.some(event => feature.split(', ').includes(event)),
  }))

export function writtenText(place: InstallPlace, screen: Screen): string {
  const { bridge } = place
  const next: [string, string][] = [
    [`holdfast uninstall ${bridge.name}${flagOf(place)}`, 'restore the settings, byte for byte'],
    ['holdfast log --follow', 'watch hooks run'],
  ]
  const rows = next.map(
    ([command, does]): Row => ({ cells: [{ text: command }], text: { text: does, style: screen.dim } }),
  )
  const step = place.level === 'managed' ? undefined : bridge.config.nextStep
  const text = indented({ text: `Written.${step ? ` ${step}` : ''}` }, 2, screen.columns)
  const head = text.join('\n').replace('Written.', screen.green('Written.'))
  return `${head}\n\n${renderRows(rows, [{}], screen.columns).join('\n')}\n\n`
}

export function refusedLines(place: InstallPlace, refused: readonly Refused[], screen: Screen): string[] {
  const { bridge } = place
  const lines = refused.flatMap(({ hook, why }) => {
    const line = hook.line === null ? '' : `:${hook.line}`
    const where = hook.file ? `${shortPath(hook.file, screen)}${line}` : hook.source
    return [`  ${where} ${hook.event} ${hook.name}`, `    ${why}`]
  })
  const [hooks, deny] = refused.length === 1 ? ['this hook', 'it denies'] : ['these hooks', 'they deny']
  return [
    `${bridge.title} would ignore ${hooks} when ${deny}:`,
    ...lines,
    `Nothing was written. To install anyway: holdfast install ${bridge.name}${flagOf(place)} --accept-loss`,
  ]
}

export const planJson = (
  place: InstallPlace,
  { events, required }: InstallPlan,
  refused: readonly Refused[],
  written: boolean,
  workspace: Workspace,
) => ({
  agent: place.bridge.name,
  version: place.bridge.version,
  evidence: place.bridge.evidence,
  level: place.level,
  file: place.file,
  written,
  events,
  required,
  off_switches: switchesFor(place).map(({ name, effect }) => ({ name, effect })),
  active_off_switches: activeSwitches(place, workspace).map(({ offSwitch, file }) => ({
    name: offSwitch.name,
    file,
  })),
  limitations: limitationsOf(place.bridge),
  unenforced: refused.map(({ hook, why }) => ({ hook: hook.id, event: hook.event, why })),
})
