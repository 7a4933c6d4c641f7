// One sync: request, verify everything, store, report. On any error the active hooks stay.

import { realpathSync } from 'node:fs'
import { type Bundle, folderProblem, lock, type Place, placeOf, verifyTeam } from '@holdfast/hooks/team'
import type { Around } from './around.js'
import { openDisk } from './disk.js'
import { findEnrolment, saveEnrolment } from './enrolment.js'
import { heal } from './heal.js'
import { type Holding, lookAt } from './holding.js'
import { type Fetched, type HooksRequest, offered, requestOf } from './offered.js'
import { type Problem, type ProblemCode, problemAt, reasonOf } from './problems.js'
import { renewToken } from './renew.js'
import { report } from './report.js'
import { CallError } from './rpc.js'
import { type State, saveState, withWarnings } from './state.js'
import { linkedName, tidy } from './store.js'
import type { Outcome, Syncing } from './syncing.js'

export interface InForce {
  /** 0 if the server ordered to remove all hooks before there were any. */
  readonly release: number
  readonly hash: string
  readonly hooks: number
  /** The server ordered to remove all hooks. */
  readonly killed: boolean
}

export interface SyncResult {
  readonly kind: 'updated' | 'unchanged' | 'refused' | 'failed'
  readonly teamId: string
  readonly inForce: InForce | undefined
  /** Why it was rejected or failed. */
  readonly problem?: Problem
  /** Other problems, which did not stop the sync. */
  readonly warnings: readonly Problem[]
  /** The team's first hooks on this machine. */
  readonly first: boolean
  /** From Retry-After. */
  readonly waitMs?: number | undefined
}

/** The parameters of a held poll until the next sync. */
export type PolledSync = SyncResult & {
  readonly poll?: { readonly request: HooksRequest; readonly etag: string } | undefined
}

export interface SyncOptions {
  readonly signal?: AbortSignal
  /** How long to wait for another process that synchronises. */
  readonly lockPatienceMs?: number
}

export async function sync(around: Around, teamId: string, options: SyncOptions = {}): Promise<SyncResult> {
  const { poll: _, ...result } = await syncPolled(around, teamId, options)
  return result
}

/** Applies `fetched`, a response of the server to a poll, instead of asking again. */
export async function syncPolled(
  around: Around,
  teamId: string,
  options: SyncOptions & { readonly fetched?: Fetched | undefined } = {},
): Promise<PolledSync> {
  const place = placeOf(around.home, teamId)
  const failed = (code: ProblemCode, message: string): SyncResult => {
    const problem = problemAt(around, code, message)
    return {
      kind: 'failed',
      teamId,
      inForce: inForceAt(place, around, teamId),
      problem,
      warnings: [],
      first: false,
    }
  }
  const misplaced = folderProblem(place, [place.managed])
  if (misplaced) return failed('tampered', misplaced)
  const notEnrolled = () => failed('enrolment', `This machine does not belong to the team ${teamId}.`)
  if (!findEnrolment(around.home, teamId)) return notEnrolled()
  const disk = openDisk({ ...around, random: around.unique })
  try {
    // The lock needs this folder. Other folders are checked under the lock.
    const inTheWay = folderProblem(place, [place.folder])
    disk.folder(place.folder)
    const held = await lock(place.lock, around, options.lockPatienceMs ?? 60_000)
    if (!held) return failed('busy', 'Another process has been synchronising for a long time.')
    try {
      const enrolment = findEnrolment(around.home, teamId)
      if (!enrolment) return notEnrolled()
      const syncing = { around, place, disk, enrolment, signal: options.signal }
      return await syncHeld(syncing, inTheWay, options.fetched)
    } finally {
      held.release()
    }
  } catch (error) {
    return failed('disk', reasonOf(error))
  }
}

async function syncHeld(
  given: Syncing,
  inTheWay: string | undefined,
  fetched: Fetched | undefined,
): Promise<PolledSync> {
  const { around, place, disk, signal } = given
  const { holding, warnings } = await restore(given, inTheWay)
  const enrolment = await renewToken(around, place, disk, given.enrolment, signal)
  const syncing = { ...given, enrolment }
  const outcome = await attempt(syncing, holding, fetched)
  if (signal?.aborted && outcome.kind === 'failed') return resultOf(syncing, outcome, holding, warnings)
  warnings.push(...(outcome.warnings ?? []))
  let state: State = {
    ...withWarnings(outcome.state, warnings, around.now()),
    problem: outcome.problem ?? null,
  }
  // The disk may be newer than the state in memory after an interruption.
  const now = lookAt(place, around, enrolment)
  const { mark, current, previous } = now.state
  const { switching: _, ...rest } = state
  // The next sync finishes an interrupted switch.
  state = { ...rest, mark, current, previous, ...(now.inForce?.name !== current && pending(now.state)) }
  const isHeard = outcome.kind !== 'failed'
  if (isHeard) state = await report(syncing, now, state)
  try {
    saveState(place, disk, state)
    tidy(place, disk, neededSets(place, now, state))
  } catch (error) {
    warnings.push(problemAt(around, 'disk', reasonOf(error)))
  }
  const first = outcome.kind === 'updated' && holding.state.mark.release === 0
  const poll = outcome.etag ? { request: requestOf({ ...now, state }), etag: outcome.etag } : undefined
  return { ...resultOf(syncing, outcome, now, warnings), first, poll }
}

function resultOf(
  { enrolment }: Syncing,
  { kind, problem, waitMs }: Outcome,
  holding: Holding,
  warnings: readonly Problem[],
): SyncResult {
  const inForce = holding.inForce && inForceOf(holding.inForce)
  const why = problem ? { problem } : {}
  return { kind, teamId: enrolment.team_id, inForce, ...why, warnings, first: false, waitMs }
}

/** Also if nothing could be done, the hooks are there. */
function inForceAt(place: Place, around: Around, teamId: string): InForce | undefined {
  const enrolment = findEnrolment(around.home, teamId)
  const bundle = enrolment && !folderProblem(place) ? lookAt(place, around, enrolment).inForce : undefined
  return bundle && inForceOf(bundle)
}

/**
 * Verifies the folder as the engine does, and restores it. What cannot be restored does not stop the sync, which may bring
 * what is missing; the server receives the finding in any case.
 */
async function restore({ around, place, disk, enrolment }: Syncing, inTheWay: string | undefined) {
  const warnings: Problem[] = []
  const found = await verifyTeam(place, realFolder(place.hooks), around.platform)
  const changed =
    inTheWay ??
    folderProblem(place) ??
    (found.kind === 'unverified' ? `Changed: ${found.reason}.` : undefined)
  if (changed) warnings.push(problemAt(around, 'tampered', changed))
  try {
    saveEnrolment(place, disk, enrolment)
    for (const folder of [place.store, place.trust]) if (folderProblem(place, [folder])) disk.folder(folder)
    disk.folder(place.queue)
    return { holding: heal(place, around, disk, enrolment), warnings }
  } catch (error) {
    warnings.push(problemAt(around, 'disk', reasonOf(error)))
    return { holding: lookAt(place, around, enrolment), warnings }
  }
}

const realFolder = (path: string): string | undefined => {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

async function attempt(syncing: Syncing, holding: Holding, fetched?: Fetched): Promise<Outcome> {
  try {
    return await offered(syncing, holding, fetched)
  } catch (error) {
    const code = error instanceof CallError ? error.code : 'disk'
    const problem = problemAt(syncing.around, code, reasonOf(error))
    const waitMs = error instanceof CallError ? error.waitMs : undefined
    return { kind: 'failed', state: holding.state, problem, waitMs }
  }
}

const pending = ({ switching }: State) => (switching ? { switching } : {})

/** The active set, the one before it, and the one of the mark. Without the keys, all are kept. */
function neededSets(
  place: Place,
  { bundles, trust }: Holding,
  state: State,
): ReadonlySet<string> | undefined {
  if (!trust.trust) return undefined
  const marked = bundles.filter(({ release }) => release?.hash === state.mark.hash)
  const best = marked.find(({ whole }) => whole) ?? marked[0]
  return new Set([state.current, state.previous, linkedName(place) ?? '', best?.name ?? ''])
}

export const inForceOf = ({ release, killed }: Bundle): InForce => ({
  release: release?.payload.release ?? 0,
  hash: release?.hash ?? '',
  hooks: killed ? 0 : (release?.payload.hooks.length ?? 0),
  killed,
})
