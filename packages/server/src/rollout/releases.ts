// Releases as they are stored, and what they say.

import {
  type ActionKind,
  LIMITS,
  type ReleasePayload,
  readRelease,
  readSignatures,
  type Sealed,
  type SealSignature,
  type SignedHook,
  writeSignatures,
} from '@holdfast/team'
import { after, paged, sizeOf } from '../page.js'
import { Refusal } from '../refusal.js'
import type { Db, Tx } from '../store/open.js'
import type { ReleaseRow } from '../store/schema.js'
import type { Team } from '../team.js'

export async function releaseOf(db: Db | Tx, number: number): Promise<ReleaseRow> {
  const row = await db.selectFrom('releases').selectAll().where('number', '=', number).executeTakeFirst()
  if (!row) throw new Refusal('missing', `There is no release ${number}.`)
  return row
}

export function payloadIn(row: Pick<ReleaseRow, 'payload' | 'number'>): ReleasePayload {
  const read = readRelease(new Uint8Array(row.payload))
  if (!read.ok) throw new Error(`release ${row.number} cannot be read: ${read.message}`)
  return read.value
}

export const sealIn = ({ payload, signatures }: Pick<ReleaseRow, 'payload' | 'signatures'>): Sealed => ({
  type: 'release',
  payload: new Uint8Array(payload),
  signatures: readSignatures(JSON.parse(signatures)),
})

/** As they are stored, with one more. Earlier signatures stay: the key of one may be kept elsewhere. */
export const signaturesWith = ({ signatures }: Sealed, added: SealSignature): string =>
  JSON.stringify(writeSignatures([...signatures, added].slice(-LIMITS.signatures)))

/** A halted one may never have been signed. */
export const isSigned = ({ signatures }: Pick<ReleaseRow, 'signatures'>): boolean => signatures !== '[]'

/** One at a time: what is to come builds on what is there. */
export async function mustNotWait(tx: Tx): Promise<void> {
  const waiting = await tx
    .selectFrom('releases')
    .select('number')
    .where('state', '=', 'unsigned')
    .executeTakeFirst()
  if (!waiting) return
  throw new Refusal('not-now', `Release ${waiting.number} waits for its signature. Sign it, or halt it.`)
}

/** What the next release starts from: a halted one is not built upon. */
export async function newestHooks(db: Db | Tx): Promise<readonly SignedHook[]> {
  const row = await db
    .selectFrom('releases')
    .selectAll()
    .where('state', 'in', ['rolling', 'done'])
    .orderBy('number', 'desc')
    .executeTakeFirst()
  return row ? payloadIn(row).hooks : []
}

/** Who halted it the last time, as the chain has it; empty while it is not halted. */
export async function haltedBy(db: Db, { number, state }: ReleaseRow): Promise<string> {
  if (state !== 'halted') return ''
  const action: ActionKind = 'release.halt'
  const row = await db
    .selectFrom('admin_actions')
    .select('actor')
    .where('action', '=', action)
    .where('subject', '=', `release ${number}`)
    .orderBy('seq', 'desc')
    .executeTakeFirst()
  return row?.actor ?? ''
}

export interface HookChange {
  readonly hookId: number
  readonly revision: number
  readonly name: string
  readonly hookStep: string
  readonly change: 'added' | 'changed' | 'removed' | 'same'
}

/** The hooks of a release, held against those of the one before it. */
export async function changesIn(db: Db | Tx, row: ReleaseRow): Promise<HookChange[]> {
  const before = await db
    .selectFrom('releases')
    .selectAll()
    .where('number', '<', row.number)
    .where('state', '<>', 'halted')
    .orderBy('number', 'desc')
    .executeTakeFirst()
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

/** The releases that hold a revision. */
export async function releasesWith(db: Db | Tx, hookId: number, revision: number): Promise<number[]> {
  const rows = await db
    .selectFrom('release_hooks')
    .select('release')
    .where('hook_id', '=', hookId)
    .where('revision', '=', revision)
    .orderBy('release')
    .execute()
  return rows.map(({ release }) => release)
}

export async function listReleases(
  team: Team,
  request: { pageSize: number; pageToken: string },
): Promise<{ releases: readonly ReleaseRow[]; nextPageToken: string }> {
  const size = sizeOf(request)
  const last = after(request, [0] as const)
  const rows = await team.store.db
    .selectFrom('releases')
    .selectAll()
    .$if(last !== null, query => query.where('number', '<', last![0]))
    .orderBy('number', 'desc')
    .limit(size + 1)
    .execute()
  const page = paged(rows, size, ({ number }) => [number])
  return { releases: page.rows, nextPageToken: page.nextPageToken }
}
