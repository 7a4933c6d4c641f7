// Looks at every release that is on its way, once a minute, in one process at a time: halts it on evidence, lets it
// advance on evidence. No evidence is no reason for either.

import type { Store } from '../store/open.js'
import type { ReleaseRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { denialLimit, denyingIn, judge, quorumOf, ratesOf, type Shown } from './evidence.js'
import { settingsIn } from './settings.js'
import { stepRelease } from './steps.js'

const EVERY_MS = 60_000
/** Runs that must be seen before a release goes on by itself. */
const ENOUGH_RUNS = 20

export interface Watchman {
  /** One round, now. */
  look(): Promise<void>
  stop(): void
}

export function startWatchman(team: Team, everyMs = EVERY_MS): Watchman {
  /** What looked bad the last time: only twice in a row is a reason. */
  const suspected = new Map<number, string>()
  const look = async () => {
    await team.store.alone('watchman', () => round(team, suspected))
  }
  const timer = setInterval(() => {
    look().catch(error => team.log.error('the watchman failed', { error: (error as Error).message }))
  }, everyMs).unref()
  return { look, stop: () => clearInterval(timer) }
}

async function round(team: Team, suspected: Map<number, string>): Promise<void> {
  const { store } = team
  const settings = await settingsIn(store.db)
  const rolling = await store.db
    .selectFrom('releases')
    .selectAll()
    .where('state', 'in', ['rolling', 'done'])
    .orderBy('number', 'desc')
    .limit(2)
    .execute()
  for (const [index, release] of rolling.entries()) {
    const shown = await shownOf(store, release.number)
    const before = rolling[index + 1] ? await shownOf(store, rolling[index + 1]!.number) : []
    const limits = { failure: settings.failureLimit, denial: settings.denialLimit }
    const judged = judge(shown, before, await ringSize(store, release), limits)
    if (judged.halt === null) {
      suspected.delete(release.number)
      if (release.state === 'rolling') await maybeAdvance(team, release, shown, settings.soakMinutes)
      continue
    }
    // A release that everybody has had for a day is what the team runs: people decide about it.
    if (release.state === 'done' && team.now() - release.ring_since > 86_400_000) continue
    const was = suspected.get(release.number)
    suspected.set(release.number, judged.halt)
    if (!judged.atOnce && was === undefined) continue
    suspected.delete(release.number)
    await stepRelease(team, 'server', release.number, 'halt', judged.halt, release.generation)
    team.log.warn('a release was halted', { release: release.number, reason: judged.halt })
  }
}

async function maybeAdvance(
  team: Team,
  release: ReleaseRow,
  shown: readonly Shown[],
  soakMinutes: number,
): Promise<void> {
  if (soakMinutes === 0 || team.now() - release.ring_since < soakMinutes * 60_000) return
  if (ratesOf(shown).runs < ENOUGH_RUNS) return
  await stepRelease(team, 'server', release.number, 'advance', '', release.generation)
  team.log.info('a release advanced', { release: release.number, ring: release.ring + 1 })
}

export interface Evidence {
  readonly runs: number
  readonly runsNeeded: number
  readonly failureRate: number
  readonly failingDevices: number
  readonly denialRate: number
  readonly denyingDevices: number
  readonly denialLimit: number
  readonly devicesNeeded: number
}

/** What the next round will go by, for the people who watch it. */
export async function evidenceOf({ store }: Team, release: ReleaseRow): Promise<Evidence> {
  const { failureLimit, denialLimit: limit } = await settingsIn(store.db)
  const older = await store.db
    .selectFrom('releases')
    .select('number')
    .where('state', 'in', ['rolling', 'done'])
    .where('number', '<', release.number)
    .orderBy('number', 'desc')
    .executeTakeFirst()
  const shown = await shownOf(store, release.number)
  const before = older ? await shownOf(store, older.number) : []
  const { runs, failureRate, failingDevices, denialRate } = ratesOf(shown)
  return {
    runs,
    runsNeeded: ENOUGH_RUNS,
    failureRate,
    failingDevices,
    denialRate,
    denyingDevices: denyingIn(shown),
    denialLimit: denialLimit(before, { failure: failureLimit, denial: limit }),
    devicesNeeded: quorumOf(await ringSize(store, release)),
  }
}

export async function shownOf({ db }: Store, release: number): Promise<Shown[]> {
  const rows = await db.selectFrom('evidence').selectAll().where('release', '=', release).execute()
  return rows.map(({ runs, failures, denials, first_failures }) => ({
    runs,
    failures,
    denials,
    firstFailures: first_failures,
  }))
}

/** Devices that the release has reached. */
async function ringSize({ db }: Store, { number, ring, state }: ReleaseRow): Promise<number> {
  const members = db
    .selectFrom('ring_members')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('release', '=', number)
    .where('ring', '<=', ring)
  const holders = db
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .where('release', '=', number)
  const { count } = await (state === 'done' ? holders : members).executeTakeFirstOrThrow()
  return count
}
