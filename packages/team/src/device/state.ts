// The state of a team on a device: the mark, the active set, and the last error.

import {
  above0,
  type Bundle,
  type Fitted,
  fit,
  flag,
  jsonBytes,
  type KeptTrust,
  keysOf,
  list,
  object,
  orNull,
  type Part,
  type Place,
  readPlain,
  sha256,
  signersOf,
  text,
  time,
  whole,
} from '@holdfast/hooks/team'
import { type Mark, markUnder, NO_MARK } from '../signing/mark.js'
import type { Disk } from './disk.js'
import type { Problem, ProblemCode } from './problems.js'
import { DAY } from './waits.js'

/** A release, and those to which a device may return from it. */
export interface Revertible {
  readonly hash: string
  readonly may_revert_to: readonly string[]
}

export interface State {
  readonly mark: Mark
  /** The release that was accepted last: its files may be damaged or removed. */
  readonly accepted?: Revertible
  /** The set that should be active; '' while there is none. The link names the active one. */
  readonly current: string
  /** Engines that started before may still use it. */
  readonly previous: string
  /** The link is about to be replaced: until then it points to the previous set. */
  readonly switching?: true
  /** Of the response that led to the current set. */
  readonly etag: string
  /** The validity of the last lease, from and until. */
  readonly leased: { readonly from: string; readonly until: string; readonly ring: string } | null
  /** The last head of the audit log. */
  readonly head: { readonly seq: number; readonly hash: string } | null
  readonly synced_at: string | null
  /** Why the last sync did not succeed. */
  readonly problem: Problem | null
  /** Other problems of the last day. */
  readonly warnings: readonly Problem[]
  /** A hash of the last report to the server. */
  readonly told: string
}

export const NO_STATE: State = {
  mark: NO_MARK,
  current: '',
  previous: '',
  etag: '',
  leased: null,
  head: null,
  synced_at: null,
  problem: null,
  warnings: [],
  told: '',
}

const word = text('text', () => true)
const problem: Part<Problem> = object({ code: word as Part<ProblemCode>, message: word, at: time })
const isTrue = flag as Part<true>
const number: Part<number> = (value, path) => (value === 0 ? 0 : above0(value, path))
const state: Part<State> = object(
  {
    mark: object({
      epoch: whole(0),
      release: whole(0),
      hash: word,
      trust_version: whole(0),
      lease_seq: whole(0),
      lease_hash: word,
      time: number,
    }),
    current: word,
    previous: word,
    etag: word,
    leased: orNull(object({ from: time, until: time, ring: word })),
    head: orNull(object({ seq: whole(0), hash: word })),
    synced_at: orNull(time),
    problem: orNull(problem),
    warnings: list(problem, 100),
    told: word,
  },
  { accepted: object({ hash: word, may_revert_to: list(word, 100) }), switching: isTrue },
)

/** A lost or broken state is rebuilt from the store: an older release is still rejected. */
export function loadState(place: Place, bundles: readonly Bundle[], trust: KeptTrust): State {
  const file = readPlain(place.state, 1024 * 1024)
  const read: Fitted<State> = file ? fit(state, file, 'state') : { ok: false, message: '' }
  const kept = read.ok ? read.value : NO_STATE
  return { ...kept, mark: bundles.reduce((mark, bundle) => atLeast(mark, bundle, trust), kept.mark) }
}

export function saveState(place: Place, disk: Disk, value: State): void {
  disk.replace(place.state, jsonBytes(value), 0o600)
}

const MOST_WARNINGS = 20

/** A repeated problem only gets a new time. */
export function withWarnings(before: State, added: readonly Problem[], now: number): State {
  const isSame = (one: Problem) => (other: Problem) =>
    one.code === other.code && one.message === other.message
  const others = before.warnings.filter(one => !added.some(isSame(one)) && now - Date.parse(one.at) < DAY)
  return { ...before, warnings: [...others, ...added].slice(-MOST_WARNINGS) }
}

function atLeast(before: Mark, { release, lease }: Bundle, { trust }: KeptTrust): Mark {
  let mark = trust ? markUnder(trust, before) : before
  if (release) {
    const { epoch, release: number } = release.payload
    const step = epoch - mark.epoch || number - mark.release
    if (step > 0) mark = { ...mark, epoch, release: number, hash: release.hash }
  }
  // Numbers and times of leases count only under current keys: those of a stolen key may be at their maximum.
  const isOfToday = lease && trust && signersOf(lease.envelope, keysOf(trust.lease_keys)).size > 0
  if (isOfToday && mark.trust_version === trust.version && lease.payload.seq > mark.lease_seq) {
    const seen = Math.max(mark.time, Date.parse(lease.payload.issued_at))
    mark = { ...mark, lease_seq: lease.payload.seq, lease_hash: sha256(lease.envelope.payload), time: seen }
  }
  return mark
}
