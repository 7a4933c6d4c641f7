// Actions refer to devices, hooks, keys and users by permanent ids. Their current names are read with one query per
// kind, however many actions there are.

import { presentNames } from '../store/admin-actions.js'
import type { Team } from '../team.js'
import type { ActionFields } from './actions.js'

export interface CalledToday {
  readonly kind: 'device' | 'member' | 'hook' | 'enrolment-key' | 'team'
  readonly id: string
  readonly name: string
}

export async function calledToday(team: Team, actions: readonly ActionFields[]): Promise<CalledToday[]> {
  const ids = idsIn(actions)
  const kinds = ['device', 'member', 'hook', 'enrolment-key'] as const
  const named = await Promise.all(
    kinds.map(async kind => {
      const rows = await presentNames(team.store.db, kind, [...ids[kind]])
      return rows.map(row => ({ kind, ...row }))
    }),
  )
  const { id, name } = team
  return [...named.flat(), ...(ids.team.has(id) ? [{ kind: 'team', id, name } as const] : [])]
}

type Ids = Readonly<Record<CalledToday['kind'], ReadonlySet<string>>>

/** All ids in them. A text that only resembles an id finds nothing. */
function idsIn(actions: readonly ActionFields[]): Ids {
  const ids = {
    device: new Set<string>(),
    member: new Set<string>(),
    hook: new Set<string>(),
    'enrolment-key': new Set<string>(),
    team: new Set<string>(),
  }
  for (const { actor, action, subject, detail } of actions) {
    const kind = action.slice(0, action.indexOf('.'))
    const [sort, rest = ''] = subject.split(' ', 2)
    if (actor.startsWith('device ')) ids.device.add(actor.slice('device '.length))
    else ids.member.add(actor)
    if (kind === 'member') ids.member.add(subject)
    if (kind === 'device') ids.device.add(subject)
    if (sort === 'device') ids.device.add(rest)
    if (sort === 'team') ids.team.add(rest)
    if (sort === 'hook' && isNumber(rest)) ids.hook.add(rest)
    for (const id of textsIn(detail, 'ended')) ids['enrolment-key'].add(id)
    for (const text of textsIn(detail, 'hooks')) {
      const id = text.slice(0, text.indexOf('@'))
      if (isNumber(id)) ids.hook.add(id)
    }
  }
  return ids
}

const isNumber = (text: string): boolean => /^[0-9]{1,9}$/.test(text)

function textsIn(detail: unknown, field: string): readonly string[] {
  const value = (detail as Record<string, unknown> | null)?.[field]
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : []
}
