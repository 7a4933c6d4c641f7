// The filter of the list of hooks, and the words for their states.

import type { Hook, Source } from '../../../gen/holdfast/panel/v1/panel_pb.js'

export interface HooksFilter {
  readonly sources: readonly string[]
  readonly states: readonly string[]
  readonly text: string
}

export interface Group {
  readonly source: Source
  readonly hooks: readonly Hook[]
}

export const isFiltered = ({ sources, states, text }: HooksFilter): boolean =>
  sources.length > 0 || states.length > 0 || text.trim() !== ''

export function groupsOf(sources: readonly Source[], filter: HooksFilter): Group[] {
  const groups = sources
    .filter(({ kind }) => filter.sources.length === 0 || filter.sources.includes(kind))
    .map(source => ({ source, hooks: source.hooks.filter(hook => isShown(hook, filter)) }))
  if (!isFiltered(filter))
    return groups.filter(({ source }) => source.state !== 'absent' || source.hooks.length > 0)
  return groups.filter(({ hooks }) => hooks.length > 0)
}

function isShown(hook: Hook, { states, text }: HooksFilter): boolean {
  if (states.length > 0 && !statesOf(hook).some(state => states.includes(state))) return false
  const content = `${hook.event} ${hook.command} ${hook.name} ${hook.matcher} ${hook.file}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every(word => content.includes(word))
}

/** The states that the filter offers; a hook can have several. */
export function statesOf(hook: Hook): string[] {
  const states = [hook.state]
  if (hook.history === undefined && hook.state === 'loaded') states.push('never')
  if (hook.problems.length > 0) states.push('problems')
  if ((hook.history?.failedOpen ?? 0) > 0) states.push('open')
  if (hook.mode === 'observe') states.push('observe')
  return states
}

export const STATE_WORDS: Readonly<Record<string, string>> = {
  loaded: 'ready',
  untrusted: 'untrusted',
  changed: 'changed',
  invalid: 'invalid',
  never: 'never matched',
  problems: 'with problems',
  open: 'failed open',
  observe: 'audit mode',
}

export const needsTrust = ({ state }: Hook): boolean => state === 'untrusted' || state === 'changed'

/** With how many hooks there are of each. */
export function countsOf(values: readonly string[]): { name: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([name, count]) => ({ name, count }))
}

/** Without a matcher, every event of its kind would have run it. */
export const neverWords = ({ matcher }: Hook): string => (matcher ? 'never matched' : 'never ran')

export const sourceWords = (kind: string): string =>
  kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('-', ' ')
