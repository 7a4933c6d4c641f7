// Counts of each kind: from the sums if they are detailed enough, otherwise from the newest rows.

import type { Filter } from '@holdfast/team'
import { inTime } from '../store/reader.js'
import { sumRecords } from '../store/record-sums.js'
import { countByDevice, countNewest, type RecordFilter } from '../store/records.js'
import type { Team } from '../team.js'
import { dividedByHours, haveSums, isOpen, sourceOf, wantedOf, without } from './filter.js'
import { hookNames } from './names.js'

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
  const columns = ['event', 'hook', 'verdict'] as const
  const ofRows = (wanted: RecordFilter) =>
    countNewest(sourceOf(team), wanted, columns, { newest: MOST_ROWS, limit: MOST_ROWS })
  if (!haveSums(open)) return ofRows(open)
  const { whole, edges } = dividedByHours(open)
  const kinds = await Promise.all([
    sumRecords(team.records.reader, whole, columns, { byDay: true, limit: MOST_ROWS }),
    ...edges.map(ofRows),
  ])
  return kinds.flat()
}

/** From the sums it is by whole days. */
function countDevices(team: Team, wanted: RecordFilter, by: 'deviceIds' | 'owners') {
  const open = without(wanted, by)
  const byDay = isOpen(open, 'events', 'hooks', 'verdicts') && wanted.release === 0 && haveSums(open)
  return countByDevice(sourceOf(team), open, by, { byDay, newest: MOST_ROWS, limit: MOST_FACETS })
}

const largest = (facets: readonly Facet[]): Facet[] =>
  [...facets].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)).slice(0, MOST_FACETS)
