// The list of hooks: what is looked for, and in which order.

import type { Hook, TeamHook } from '@holdfast/team/messages'

export const COLUMNS = ['name', 'event', 'mode', 'state', 'revision', 'changed'] as const
export type Column = (typeof COLUMNS)[number]

export const contentIn = (hook: Hook): TeamHook | undefined => hook.draft ?? hook.published

export type HookState = 'in force' | 'in force, draft' | 'draft' | 'taken out' | 'empty'

/** What stands in the newest release, and whether something waits to change it. */
export function stateOf(hook: Hook): HookState {
  if (hook.isPublished) return hook.draft ? 'in force, draft' : 'in force'
  if (hook.draft) return 'draft'
  return hook.revision > 0 ? 'taken out' : 'empty'
}

export interface Sorting {
  readonly column: Column
  readonly isDown: boolean
}

/** "-changed" is the newest first. */
export function sortingOf(text: string | undefined): Sorting {
  const isDown = text?.startsWith('-') ?? false
  const column = COLUMNS.find(name => name === text?.replace(/^-/, '')) ?? 'name'
  return { column, isDown }
}

/** What a press on a column's head makes of it; undefined is the usual order. */
export function pressed({ column, isDown }: Sorting, on: Column): string | undefined {
  const next = column === on ? !isDown : on === 'changed' || on === 'revision'
  return on === 'name' && !next ? undefined : `${next ? '-' : ''}${on}`
}

const KEYS: Readonly<Record<Column, (hook: Hook) => string | number>> = {
  name: ({ name }) => name.toLowerCase(),
  event: hook => contentIn(hook)?.hookStep ?? '',
  mode: hook => contentIn(hook)?.mode ?? '',
  state: hook => stateOf(hook),
  revision: ({ revision }) => revision,
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
