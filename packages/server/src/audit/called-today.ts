// Actions refer to devices, hooks, keys and users by permanent ids. Their current names are read with one query per
// kind, however many actions there are.

import type { Team } from '../team.js'
import type { ActionFields } from './actions.js'

export interface CalledToday {
  readonly kind: 'device' | 'member' | 'hook' | 'enrolment-key' | 'team'
  readonly id: string
  readonly name: string
}

/** Ids per query; SQLite and PostgreSQL both accept more. */
const AT_ONCE = 5_000

export async function calledToday(team: Team, actions: readonly ActionFields[]): Promise<CalledToday[]> {
  const { db } = team.store
  const ids = idsIn(actions)
  const devices = await inParts(ids.device, some =>
    db.selectFrom('devices').select(['id', 'name']).where('id', 'in', some).execute(),
  )
  const members = await inParts(ids.member, some =>
    db.selectFrom('user').select(['email as id', 'name']).where('email', 'in', some).execute(),
  )
  const hooks = await inParts([...ids.hook].map(Number), some =>
    db.selectFrom('hooks').select(['id', 'name']).where('id', 'in', some).execute(),
  )
  const keys = await inParts(ids['enrolment-key'], some =>
    db.selectFrom('enrolment_keys').select(['id', 'note as name']).where('id', 'in', some).execute(),
  )
  const say = (kind: CalledToday['kind'], rows: readonly { id: string | number; name: string }[]) =>
    rows.filter(({ name }) => name !== '').map(({ id, name }) => ({ kind, id: String(id), name }))
  return [
    ...say('device', devices),
    ...say('member', members),
    ...say('hook', hooks),
    ...say('enrolment-key', keys),
    ...say('team', [...ids.team].includes(team.id) ? [team] : []),
  ]
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

async function inParts<Id, Row>(
  ids: Iterable<Id>,
  ask: (some: readonly Id[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const all = [...ids]
  const rows: Row[] = []
  for (let from = 0; from < all.length; from += AT_ONCE)
    rows.push(...(await ask(all.slice(from, from + AT_ONCE))))
  return rows
}
