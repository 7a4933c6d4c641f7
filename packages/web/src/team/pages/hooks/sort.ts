// The list of hooks: filter and order.

import type { Hook, TeamHook } from '@holdfast/team/messages'

export const COLUMNS = ['name', 'event', 'mode', 'state', 'revision', 'changed'] as const
export type SortColumn = (typeof COLUMNS)[number]

/** What devices have or get; the draft only where nothing was published. */
export const contentIn = (hook: Hook): TeamHook | undefined => hook.published ?? hook.draft

/** What needs attention first. */
const STATES = ['killed', 'removing', 'partial', 'released', 'active', 'removed', 'draft']

export interface Sorting {
  readonly column: SortColumn
  readonly isDown: boolean
}

/** "-changed" is the newest first. */
export function sortingOf(text: string | undefined): Sorting {
  const isDown = text?.startsWith('-') ?? false
  const column = COLUMNS.find(name => name === text?.replace(/^-/, '')) ?? 'name'
  return { column, isDown }
}

/** The order after a press on a column head; undefined is the default. */
export function pressed({ column, isDown }: Sorting, on: SortColumn): string | undefined {
  const next = column === on ? !isDown : on === 'changed' || on === 'revision'
  return on === 'name' && !next ? undefined : `${next ? '-' : ''}${on}`
}

const KEYS: Readonly<Record<SortColumn, (hook: Hook) => string | number>> = {
  name: ({ name }) => name.toLowerCase(),
  event: hook => contentIn(hook)?.hookStep ?? '',
  mode: hook => contentIn(hook)?.mode ?? '',
  state: ({ live }) => STATES.indexOf(live?.state ?? ''),
  revision: ({ live, revision }) => live?.released || revision,
  changed: ({ changedAt }) => changedAt,
}

export function arranged(hooks: readonly Hook[], text: string, { column, isDown }: Sorting): Hook[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const key = KEYS[column]
  const order = (a: Hook, b: Hook) => {
    const [x, y] = [key(a), key(b)]
    return (x < y ? -1 : x > y ? 1 : 0) * (isDown ? -1 : 1) || (a.name < b.name ? -1 : 1)
  }
  return hooks
    .filter(hook => {
      const content = contentIn(hook)
      const all = `${hook.name} ${content?.hookStep} ${content?.matcher} ${content?.scriptName} ${hook.changedBy}`
      return words.every(word => all.toLowerCase().includes(word))
    })
    .sort(order)
}
