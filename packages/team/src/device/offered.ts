// Asks the server for the hooks of this device, and applies its offer.

import { isDeepStrictEqual } from 'node:util'
import {
  type Enrolment,
  envelopeRejection,
  keysOf,
  type LeasePayload,
  LIMITS,
  scriptsOf,
  type TrustPayload,
  verifyTrustChain,
} from '@holdfast/hooks/team'
import { DeviceService, type GetTeamHooksResponse } from '../gen/holdfast/team/v1/device_pb.js'
import { accept } from '../signing/accept.js'
import { headOf, readHead } from '../signing/payload.js'
import type { Refusal } from '../signing/refusals.js'
import type { Around } from './around.js'
import type { Holding } from './holding.js'
import { saveTrust } from './kept-trust.js'
import { problemAt } from './problems.js'
import { type Answered, call } from './rpc.js'
import type { Revertible, State } from './state.js'
import { findScript } from './store.js'
import type { Outcome, Syncing } from './syncing.js'
import { takeOffer } from './take.js'

/** This many hashes fit into a URL that every proxy accepts; further scripts are downloaded again. */
const MOST_SUMS = 60

export interface HooksRequest {
  readonly trustVersion: number
  readonly haveSha256: readonly string[]
  readonly leaseSeq: number
}

/** A response to a held poll, with the request that it answers. */
export interface Fetched {
  readonly request: HooksRequest
  readonly answer: Answered<GetTeamHooksResponse>
}

export const requestOf = (holding: Holding): HooksRequest => ({
  trustVersion: holding.trust.trust?.version ?? 0,
  haveSha256: sumsOf(holding),
  leaseSeq: holding.state.mark.lease_seq,
})

export const fetchHooks = (
  around: Around,
  enrolment: Enrolment,
  request: HooksRequest,
  { etag, holdSeconds = 0, signal }: { etag: string; holdSeconds?: number; signal?: AbortSignal | undefined },
): Promise<Answered<GetTeamHooksResponse>> =>
  call(
    around,
    enrolment,
    DeviceService.method.getTeamHooks,
    {
      ...request,
      haveSha256: [...request.haveSha256],
      leaseSeq: BigInt(request.leaseSeq),
      waitSeconds: holdSeconds,
    },
    {
      get: { etag, holdMs: holdSeconds * 1000 },
      mostBytes: LIMITS.answer,
      bodyMs: 10 * around.patienceMs,
      signal,
    },
  )

export async function offered(syncing: Syncing, holding: Holding, fetched?: Fetched): Promise<Outcome> {
  const { around, enrolment, signal } = syncing
  const request = requestOf(holding)
  const etag = etagOf(holding, around.now())
  // Another process may have synchronised since the poll began.
  const isFresh = fetched && isDeepStrictEqual(fetched.request, request)
  const answer = isFresh ? fetched.answer : await fetchHooks(around, enrolment, request, { etag, signal })
  const synced = { ...holding.state, synced_at: new Date(around.now()).toISOString() }
  if (answer.kind === 'unchanged') return { kind: 'unchanged', state: synced, etag }
  const offer = answer.etag || answer.value.etag
  return { ...judge(syncing, holding, answer.value, { ...synced, etag: offer }), etag: offer }
}

/** Empty, for a complete response, unless everything that it refers to exists; and when the lease is half over. */
function etagOf({ state, inForce, trust }: Holding, now: number): string {
  const { leased, current, etag, mark } = state
  if (!leased || !trust.trust || (inForce?.name ?? '') !== current) return ''
  if (trust.trust.version < mark.trust_version) return ''
  // An older release than the highest may be a revert that the server ordered, or another program's: ask in full.
  if (inForce?.release && inForce.release.hash !== mark.hash) return ''
  const half = (Date.parse(leased.from) + Date.parse(leased.until)) / 2
  return Math.max(now, mark.time) < half ? etag : ''
}

/**
 * Only scripts whose bytes are on the disk: the server does not send them. A release also names scripts for other
 * systems, and a killed set keeps its release without any script.
 */
const sumsOf = ({ bundles, viewer }: Holding): string[] => {
  const kept = bundles.filter(({ whole }) => whole).flatMap(bundle => scriptsOf(bundle, viewer))
  return [...new Set(kept.map(({ sha256 }) => sha256))].slice(0, MOST_SUMS)
}

/**
 * The active release or, if its files were damaged or removed, the one that this device accepted last: it decides to
 * which releases the device may return.
 */
function lastAccepted({ inForce, bundles, state }: Holding): Revertible | undefined {
  if (!inForce?.release && state.accepted) return state.accepted
  const release =
    inForce?.release ?? bundles.find(({ release }) => release?.hash === state.mark.hash)?.release
  return release && { hash: release.hash, may_revert_to: release.payload.may_revert_to }
}

function judge(syncing: Syncing, holding: Holding, answer: GetTeamHooksResponse, state: State): Outcome {
  const { around, place, disk, enrolment } = syncing
  const refused = ({ code, message }: Refusal): Outcome => ({
    kind: 'refused',
    state: { ...holding.state, synced_at: state.synced_at },
    problem: problemAt(around, code, message),
  })
  const known = holding.trust.trust
  const { trust, taken, refusal } = verifyTrustChain(known, enrolment.fingerprint, answer.trust)
  // Revoked keys must not count again, whatever happens to the rest.
  saveTrust(place, disk, known?.version ?? 0, taken)
  if (refusal) return refused(refusal)
  if (!trust) return refused({ code: 'trust', message: "The server did not send the team's keys." })
  const { release, lease, scripts } = answer
  const inForce = lastAccepted(holding)
  const acceptance = accept(
    {
      deviceId: enrolment.device_id,
      system: holding.viewer.system,
      now: around.now(),
      trust,
      mark: holding.state.mark,
      inForce: inForce && { hash: inForce.hash, release: inForce },
      scriptOf: wanted => findScript(holding.bundles, holding.viewer, wanted),
    },
    { release, lease, scripts },
  )
  if (!acceptance.ok) return refused(acceptance.refusal)
  const { accepted } = acceptance
  const witnessed = witness(accepted.lease, trust, state.head)
  const { issued_at: from, not_after: until, ring } = accepted.lease
  const result = takeOffer({
    ...syncing,
    holding,
    accepted,
    seals: { release, lease },
    state: { ...state, problem: null, leased: { from, until, ring }, head: witnessed.head },
  })
  const warnings = witnessed.problem ? [problemAt(around, 'audit', witnessed.problem)] : []
  return { kind: result.changed ? 'updated' : 'unchanged', state: result.state, warnings }
}

/** Every device stores the last head of the audit log; a truncated or rewritten log contradicts it. */
function witness(
  lease: LeasePayload,
  trust: TrustPayload,
  seen: State['head'],
): { head: State['head']; problem?: string } {
  const envelope = headOf(lease)
  if (!envelope) return { head: seen }
  const refusal = envelopeRejection(envelope, { type: 'head', keys: keysOf(trust.lease_keys) })
  const read = readHead(envelope.payload)
  if (refusal) return { head: seen, problem: refusal.message }
  if (!read.ok) return { head: seen, problem: read.message }
  const { seq, hash, team_id } = read.value
  if (team_id !== trust.team_id) return { head: seen, problem: `The head is that of the team ${team_id}.` }
  if (seen && seq < seen.seq)
    return { head: seen, problem: `The log ends at ${seq}; this device has seen ${seen.seq}.` }
  if (seen && seq === seen.seq && hash !== seen.hash)
    return { head: seen, problem: `The entry ${seq} of the log is not the one that this device has seen.` }
  return { head: { seq, hash } }
}
