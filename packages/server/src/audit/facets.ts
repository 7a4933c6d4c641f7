// How many there are of each kind: from the sums where they know enough, otherwise from the newest rows.

import type { Filter } from '@holdfast/team'
import { sql } from 'kysely'
import { DAY_MS } from '../durations.js'
import type { Team } from '../team.js'
import { matching, type Wanted, wantedOf } from './filter.js'
import { inTime } from './reader/reader.js'
import { deviceNames } from './search.js'
import { dividedByHours, haveSums, hoursOf, sumsFilter, sumsIn } from './sums.js'
import { SHOWN_SQL } from './verdict.js'

export interface Facet {
  readonly name: string
  readonly count: number
  /** What people call it. */
  readonly label: string
}

export interface Facets {
  readonly events: readonly Facet[]
  readonly hooks: readonly Facet[]
  readonly devices: readonly Facet[]
  readonly verdicts: readonly Facet[]
}

/** Where rows must be counted, the newest so many. */
const MOST_ROWS = 20_000
const MOST_FACETS = 50

/** Each kind without its own filter, so that people see what else they could choose. */
export async function facetsOf(team: Team, filter: Filter | undefined): Promise<Facets> {
  const wanted = wantedOf(filter, team.now())
  const [kinds, devices] = await inTime(Promise.all([countKinds(team, wanted), countDevices(team, wanted)]))
  const fits = (list: readonly string[], value: string) => list.length === 0 || list.includes(value)
  const facet = (own: 'event' | 'hook' | 'verdict') => {
    const counts = new Map<string, number>()
    for (const { count, ...kind } of kinds) {
      const isIn =
        (own === 'event' || fits(wanted.events, kind.event)) &&
        (own === 'hook' || fits(wanted.hooks, kind.hook)) &&
        (own === 'verdict' || fits(wanted.verdicts, kind.verdict))
      if (isIn) counts.set(kind[own], (counts.get(kind[own]) ?? 0) + count)
    }
    return largest([...counts].map(([name, count]) => ({ name, count, label: '' })))
  }
  const names = await deviceNames(
    team.records.reader,
    devices.map(({ name }) => name),
  )
  return {
    events: facet('event'),
    hooks: facet('hook').filter(({ name }) => name !== ''),
    verdicts: facet('verdict'),
    devices: devices.map(one => ({ ...one, label: names.get(one.name) ?? '' })),
  }
}

interface Kind {
  readonly event: string
  readonly hook: string
  readonly verdict: string
  readonly count: number
}

async function countKinds(team: Team, wanted: Wanted): Promise<readonly Kind[]> {
  const open = { ...wanted, events: [], hooks: [], verdicts: [] }
  if (!haveSums(open)) return kindsOfRows(team, open)
  const { whole, edges } = dividedByHours(open)
  const [{ rows }, ...rest] = await Promise.all([
    sql<Kind>`
      select event, hook, verdict, sum(count) as count from ${sumsIn(hoursOf(whole), 'day')}
      where ${sumsFilter(whole)} group by event, hook, verdict
      order by sum(count) desc limit ${MOST_ROWS}`.execute(team.records.reader),
    ...edges.map(edge => kindsOfRows(team, edge)),
  ])
  return [...rows, ...rest.flat()]
}

async function kindsOfRows({ records, store }: Team, wanted: Wanted): Promise<readonly Kind[]> {
  const newest = matching(records.reader, store.kind, wanted)
    .select(['event', 'hook', sql.raw<string>(SHOWN_SQL).as('verdict')])
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_ROWS)
  const { rows } = await sql<Kind>`
    select event, hook, verdict, count(*) as count from (${newest}) as newest group by event, hook, verdict`.execute(
    records.reader,
  )
  return rows
}

/** From the sums it is by whole days. */
async function countDevices(team: Team, wanted: Wanted): Promise<readonly { name: string; count: number }[]> {
  const { reader } = team.records
  const { events, hooks, verdicts, release } = wanted
  const isPlain = events.length + hooks.length + verdicts.length === 0 && release === 0
  const open = { ...wanted, deviceIds: [] }
  const counted =
    isPlain && haveSums(open)
      ? reader
          .selectFrom('device_days')
          .select(['device_id', 'count'])
          .where('day', '>=', Math.floor(wanted.from / DAY_MS))
          .where('day', '<', Math.ceil(wanted.to / DAY_MS))
      : matching(reader, team.store.kind, open)
          .select(['device_id', sql<number>`1`.as('count')])
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(MOST_ROWS)
  const { rows } = await sql<{ name: string; count: number }>`
    select device_id as name, sum(count) as count from (${counted}) as counted
    group by device_id order by sum(count) desc, device_id limit ${MOST_FACETS}`.execute(reader)
  return rows
}

const largest = (facets: readonly Facet[]): Facet[] =>
  [...facets].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)).slice(0, MOST_FACETS)
