// Releases in the store, and their content.

import {
  type Envelope,
  type EnvelopeSignature,
  LIMITS,
  type ReleasePayload,
  readRelease,
  readSignatures,
  type SignedHook,
  writeSignatures,
} from '@holdfast/team'
import { type PageRequest, pageOf } from '../page.js'
import { RequestError } from '../request-error.js'
import { newestAction } from '../store/admin-actions.js'
import { current } from '../store/device-states.js'
import type { Db, Tx } from '../store/open.js'
import { findRelease, newestIn, pageOfReleases, releaseBefore, releasesOut } from '../store/releases.js'
import type { ReleaseRow } from '../store/schema.js'
import type { Team } from '../team.js'

export async function releaseOf(db: Db | Tx, number: number): Promise<ReleaseRow> {
  const row = await findRelease(db, number)
  if (!row) throw new RequestError('missing', `There is no release ${number}.`)
  return row
}

export function payloadIn(row: Pick<ReleaseRow, 'payload' | 'number'>): ReleasePayload {
  const read = readRelease(new Uint8Array(row.payload))
  if (!read.ok) throw new Error(`release ${row.number} cannot be read: ${read.message}`)
  return read.value
}

export const envelopeIn = ({
  payload,
  signatures,
}: Pick<ReleaseRow, 'payload' | 'signatures'>): Envelope => ({
  type: 'release',
  payload: new Uint8Array(payload),
  signatures: readSignatures(JSON.parse(signatures)),
})

/** As stored, with one more. Earlier signatures stay, because the key of one may be kept elsewhere. */
export const signaturesWith = ({ signatures }: Envelope, added: EnvelopeSignature): string =>
  JSON.stringify(writeSignatures([...signatures, added].slice(-LIMITS.signatures)))

/** A halted one may never have been signed. */
export const isSigned = ({ signatures }: Pick<ReleaseRow, 'signatures'>): boolean => signatures !== '[]'

/** One at a time: a new release is based on the existing ones. */
export async function mustNotWait(tx: Tx): Promise<void> {
  const waiting = await newestIn(tx, 'unsigned')
  if (waiting === 0) return
  throw new RequestError('not-now', `Release ${waiting} waits for its signature. Sign it, or halt it.`)
}

/** The base of the next release, which is never a halted one. */
export async function newestHooks(db: Db | Tx): Promise<readonly SignedHook[]> {
  const [row] = await releasesOut(db)
  return row ? payloadIn(row).hooks : []
}

/** The last admin or job that halted it, as in the audit log; empty while it is not halted. */
export async function haltedBy(db: Db, { number, state }: ReleaseRow): Promise<string> {
  if (state !== 'halted') return ''
  return (await newestAction(db, 'release.halt', { subject: `release ${number}` }))?.actor ?? ''
}

/** As every page shows it: a release that devices can get only by a pin was replaced. */
export const shownState = (
  { number, state }: Pick<ReleaseRow, 'number' | 'state'>,
  newestFirst: readonly { readonly number: number; readonly state: string }[],
): ReleaseRow['state'] | 'replaced' =>
  state === 'unsigned' || state === 'halted' || current(newestFirst).some(each => each.number === number)
    ? state
    : 'replaced'

export interface HookChange {
  readonly hookId: number
  readonly revision: number
  readonly name: string
  readonly hookStep: string
  readonly change: 'added' | 'changed' | 'removed' | 'same'
}

/** The hooks of a release, compared with those of the one before it. */
export async function changesIn(db: Db | Tx, row: ReleaseRow): Promise<HookChange[]> {
  const before = await releaseBefore(db, row.number)
  const old = new Map((before ? payloadIn(before).hooks : []).map(hook => [hook.id, hook]))
  const now = payloadIn(row).hooks
  const say = (hook: SignedHook, change: HookChange['change']): HookChange => ({
    hookId: hook.id,
    revision: hook.revision,
    name: hook.name,
    hookStep: hook.hook_step,
    change,
  })
  const kept = now.map(hook => {
    const other = old.get(hook.id)
    return say(hook, !other ? 'added' : other.revision === hook.revision ? 'same' : 'changed')
  })
  const ids = new Set(now.map(({ id }) => id))
  return [...kept, ...[...old.values()].filter(({ id }) => !ids.has(id)).map(hook => say(hook, 'removed'))]
}

export const listReleases = (team: Team, request: PageRequest) =>
  pageOf(
    request,
    [0] as readonly [number],
    (last, limit) => pageOfReleases(team.store.db, last?.[0] ?? null, limit),
    ({ number }) => [number],
  )
