// Counts of each kind: from the sums if they are detailed enough, otherwise from the newest rows.

import type { Filter } from '@holdfast/team'
import { sql } from 'kysely'
import { DAY_MS } from '../durations.js'
import type { Team } from '../team.js'
import { isOpen, matching, type RecordFilter, wantedOf, without } from './filter.js'
import { hookNames } from './names.js'
import { inTime } from './reader/reader.js'
import { dividedByHours, haveSums, hoursOf, sumsFilter, sumsIn } from './sums.js'
import { SHOWN_SQL } from './verdict.js'

export interface Facet {
  readonly name: string
  readonly count: number
  /** The name that users see. */
  readonly label: string
}

export interface Facets {
  readonly events: readonly Facet[]
  readonly hooks: readonly Facet[]
  readonly devices: readonly Facet[]
  readonly verdicts: readonly Facet[]
  readonly owners: readonly Facet[]
}

/** If rows must be counted, this many of the newest. */
const MOST_ROWS = 20_000
const MOST_FACETS = 200

/** Each kind without its own filter, so that users see the alternatives. */
export async function facetsOf(team: Team, filter: Filter | undefined): Promise<Facets> {
  const wanted = wantedOf(filter, team.now())
  const [kinds, devices, owners] = await inTime(
    Promise.all([
      countKinds(team, wanted),
      countDevices(team, wanted, 'deviceIds'),
      countDevices(team, wanted, 'owners'),
    ]),
  )
  const isIn = (kind: 'events' | 'hooks' | 'verdicts', value: string) =>
    (wanted[kind].length === 0 || wanted[kind].includes(value)) && !wanted.excluded[kind].includes(value)
  const facet = (own: 'event' | 'hook' | 'verdict') => {
    const counts = new Map<string, number>()
    for (const { count, ...kind } of kinds) {
      const isCounted =
        (own === 'event' || isIn('events', kind.event)) &&
        (own === 'hook' || isIn('hooks', kind.hook)) &&
        (own === 'verdict' || isIn('verdicts', kind.verdict))
      if (isCounted) counts.set(kind[own], (counts.get(kind[own]) ?? 0) + count)
    }
    return largest([...counts].map(([name, count]) => ({ name, count, label: '' })))
  }
  const hooks = facet('hook').filter(({ name }) => name !== '')
  const names = await hookNames(
    team.records.reader,
    hooks.map(({ name }) => name),
  )
  return {
    events: facet('event'),
    hooks: hooks.map(one => ({ ...one, label: names.get(one.name) ?? '' })),
    verdicts: facet('verdict'),
    devices,
    owners,
  }
}

interface FacetKind {
  readonly event: string
  readonly hook: string
  readonly verdict: string
  readonly count: number
}

async function countKinds(team: Team, wanted: RecordFilter): Promise<readonly FacetKind[]> {
  const open = without(wanted, 'events', 'hooks', 'verdicts')
  if (!haveSums(open)) return kindsOfRows(team, open)
  const { whole, edges } = dividedByHours(open)
  const [{ rows }, ...rest] = await Promise.all([
    sql<FacetKind>`
      select event, hook, verdict, sum(count) as count from ${sumsIn(hoursOf(whole), 'day')}
      where ${sumsFilter(whole)} group by event, hook, verdict
      order by sum(count) desc limit ${MOST_ROWS}`.execute(team.records.reader),
    ...edges.map(edge => kindsOfRows(team, edge)),
  ])
  return [...rows, ...rest.flat()]
}

async function kindsOfRows({ records, store }: Team, wanted: RecordFilter): Promise<readonly FacetKind[]> {
  const newest = matching(records.reader, store.kind, wanted)
    .select(['event', 'hook', sql.raw<string>(SHOWN_SQL).as('verdict')])
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_ROWS)
  const { rows } = await sql<FacetKind>`
    select event, hook, verdict, count(*) as count from (${newest}) as newest group by event, hook, verdict`.execute(
    records.reader,
  )
  return rows
}

/** From the sums it is by whole days. */
async function countDevices(
  team: Team,
  wanted: RecordFilter,
  by: 'deviceIds' | 'owners',
): Promise<readonly Facet[]> {
  const { reader } = team.records
  const open = without(wanted, by)
  const isPlain = isOpen(open, 'events', 'hooks', 'verdicts') && wanted.release === 0
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
  const columns =
    by === 'owners'
      ? sql`coalesce(devices.owner, '') as name, '' as label`
      : sql`device_id as name, coalesce(max(devices.name), '') as label`
  const { rows } = await sql<Facet>`
    select ${columns}, sum(count) as count from (${counted}) as counted
    left join devices on devices.id = counted.device_id
    group by ${by === 'owners' ? sql`coalesce(devices.owner, '')` : sql`device_id`}
    order by sum(count) desc, 1 limit ${MOST_FACETS}`.execute(reader)
  return rows
}

const largest = (facets: readonly Facet[]): Facet[] =>
  [...facets].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)).slice(0, MOST_FACETS)
