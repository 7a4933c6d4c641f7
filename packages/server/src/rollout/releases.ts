// Publishing: drafts become revisions, the team's set becomes a release, and the release sets out through the rings.

import {
  keysOf,
  LIMITS,
  type ReleasePayload,
  readRelease,
  type Sealed,
  type SealSignature,
  type SignedHook,
  scriptNamesProblem,
  sealRefusal,
  sha256,
  writeRelease,
} from '@holdfast/team'
import type { Actor, Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { draftIn, hashOfDraft, hookOf } from '../hooks/drafts.js'
import { addRevision, publishedIn } from '../hooks/revisions.js'
import { after, paged, sizeOf } from '../page.js'
import { Refusal } from '../refusal.js'
import type { Secrets } from '../secrets.js'
import type { Db, Tx } from '../store/open.js'
import type { ReleaseRow, RevisionRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { signingKey, signWith, trustIn } from './keys.js'
import { dealOut } from './rings.js'
import { settingsIn } from './settings.js'

const DAY_MS = 86_400_000
/** Devices that were not heard of for longer are not dealt out. */
const RECENT_MS = 7 * DAY_MS

export interface Publishing {
  readonly drafts: readonly { readonly hookId: number; readonly draftVersion: number }[]
  readonly remove: readonly number[]
  readonly note: string
  readonly skipRings: boolean
}

export async function publish(
  team: Team,
  secrets: Secrets,
  actor: Person,
  wish: Publishing,
): Promise<ReleaseRow> {
  if (wish.drafts.length + wish.remove.length === 0) {
    throw new Refusal('invalid', 'Name the drafts to publish, or the hooks to take out.')
  }
  const release = await team.store.write(async tx => {
    await mustNotWait(tx)
    const { fourEyes } = await settingsIn(tx)
    const hooks = new Map((await newestHooks(tx)).map(hook => [hook.id, hook]))
    for (const id of wish.remove) {
      if (!hooks.delete(id)) throw new Refusal('missing', `Hook ${id} is not in the newest release.`)
    }
    for (const { hookId, draftVersion } of wish.drafts) {
      const hook = await hookOf(tx, hookId)
      const draft = draftIn(hook)
      if (!draft) throw new Refusal('not-now', `The hook "${hook.name}" has no draft.`)
      if (hook.draft_version !== draftVersion) {
        throw new Refusal('stale', `The draft of "${hook.name}" was changed since you saw it. Look again.`)
      }
      if (hook.fit !== hashOfDraft(draft)) {
        throw new Refusal(
          'not-now',
          `The draft of "${hook.name}" was not checked as it is now. Check it first.`,
        )
      }
      if (fourEyes && hook.draft_by === actor.userId) {
        throw new Refusal(
          'forbidden',
          `You wrote the draft of "${hook.name}"; somebody else must publish it.`,
        )
      }
      const revision = await addRevision(tx, {
        hookId,
        draft,
        note: wish.note,
        author: actor.name,
        at: team.now(),
      })
      const made = releaseHookOf(hook.name, revision)
      if (made) hooks.set(hookId, made)
      else hooks.delete(hookId)
    }
    return send(tx, team, secrets, actor, {
      hooks: [...hooks.values()],
      note: wish.note,
      skipRings: wish.skipRings,
      rollsBackTo: null,
      action: 'release.publish',
    })
  })
  team.hub.changed('releases')
  return release
}

/** Inactive hooks are kept, and handed out to nobody. */
function releaseHookOf(name: string, revision: RevisionRow): SignedHook | null {
  const { is_active: isActive, ...content } = publishedIn(revision)
  return isActive ? { id: revision.hook_id, revision: revision.number, name, ...content } : null
}

/** A release with the hooks of an older one: newer than everything, so that every device takes it. */
export async function rollBack(
  team: Team,
  secrets: Secrets,
  actor: Person,
  { to, note }: { to: number; note: string },
): Promise<ReleaseRow> {
  const release = await team.store.write(async tx => {
    await mustNotWait(tx)
    const old = await releaseOf(tx, to)
    if (old.state === 'unsigned') throw new Refusal('not-now', `Release ${to} was never signed.`)
    return send(tx, team, secrets, actor, {
      hooks: payloadIn(old).hooks,
      note,
      skipRings: true,
      rollsBackTo: to,
      action: 'release.roll-back',
    })
  })
  team.hub.changed('releases')
  return release
}

interface Sending {
  readonly hooks: readonly SignedHook[]
  readonly note: string
  readonly skipRings: boolean
  readonly rollsBackTo: number | null
  readonly action: string
}

async function send(
  tx: Tx,
  team: Team,
  secrets: Secrets,
  actor: Person,
  sending: Sending,
): Promise<ReleaseRow> {
  const now = team.now()
  const settings = await settingsIn(tx)
  const trust = await trustIn(tx)
  const before = await tx
    .selectFrom('releases')
    .select(['number', 'hash', 'epoch', 'state'])
    .orderBy('number', 'desc')
    .execute()
  const hooks = [...sending.hooks].sort((a, b) => a.id - b.id)
  mustFit(hooks)
  const release: ReleasePayload = {
    team_id: team.id,
    epoch: trust.epoch,
    release: (before[0]?.number ?? 0) + 1,
    trust_version: trust.version,
    issued_at: new Date(now).toISOString(),
    expires_at: new Date(now + settings.releaseDays * DAY_MS).toISOString(),
    records: settings.records,
    hooks,
    may_revert_to: before
      .filter(({ state }) => state === 'rolling' || state === 'done')
      .slice(0, settings.revertDepth)
      .map(({ hash }) => hash)
      .sort(),
  }
  const payload = writeRelease(release)
  if (payload.length > LIMITS.payload.release) {
    throw new Refusal(
      'too-much',
      `The release would have ${payload.length} bytes; at most ${LIMITS.payload.release}.`,
    )
  }
  const key = await signingKey(tx, secrets, 'release')
  const signatures = key ? [signWith('release', payload, key)] : []
  const isAtOnce = sending.skipRings || settings.rings.length === 1
  const row: ReleaseRow = {
    number: release.release,
    epoch: release.epoch,
    hash: sha256(payload),
    payload,
    signatures: JSON.stringify(signatures.map(writtenSignature)),
    state: key ? (isAtOnce ? 'done' : 'rolling') : 'unsigned',
    ring: isAtOnce ? settings.rings.length - 1 : 0,
    ring_since: now,
    generation: 1,
    halted_because: '',
    rolls_back_to: sending.rollsBackTo,
    note: sending.note,
    author: actor.name,
    at: now,
    expires_at: now + settings.releaseDays * DAY_MS,
  }
  await tx.insertInto('releases').values(row).execute()
  for (const { id, revision } of hooks) {
    await tx.insertInto('release_hooks').values({ release: row.number, hook_id: id, revision }).execute()
  }
  if (row.state === 'rolling') await deal(tx, row.number, now)
  await append(tx, actor, now, {
    action: sending.action,
    subject: `release ${row.number}`,
    detail: {
      hash: row.hash,
      note: sending.note,
      state: row.state,
      hooks: hooks.map(({ id, revision }) => `${id}@${revision}`),
      ...(sending.rollsBackTo === null ? {} : { rolls_back_to: sending.rollsBackTo }),
    },
  })
  return row
}

function mustFit(hooks: readonly SignedHook[]): void {
  if (hooks.length > LIMITS.hooks)
    throw new Refusal('too-much', `A release holds at most ${LIMITS.hooks} hooks.`)
  const problem = scriptNamesProblem(hooks)
  if (problem) throw new Refusal('invalid', problem)
  const total = hooks.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (total > LIMITS.scripts) {
    throw new Refusal('too-much', `The scripts have ${total} bytes together; at most ${LIMITS.scripts}.`)
  }
}

/** The ring of every device that was heard of lately. */
export async function dealt(db: Db | Tx, now: number): Promise<Map<string, number>> {
  const { rings } = await settingsIn(db)
  const devices = await db
    .selectFrom('devices')
    .select(['id', 'place'])
    .where('revoked_at', 'is', null)
    .where('last_seen_at', '>', now - RECENT_MS)
    .execute()
  return dealOut(devices, rings)
}

async function deal(tx: Tx, release: number, now: number): Promise<void> {
  const rows = [...(await dealt(tx, now))].map(([device_id, ring]) => ({ release, ring, device_id }))
  for (let at = 0; at < rows.length; at += 500) {
    await tx
      .insertInto('ring_members')
      .values(rows.slice(at, at + 500))
      .execute()
  }
}

/** One at a time: what is to come builds on what is there. */
async function mustNotWait(tx: Tx): Promise<void> {
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

/** The signature of an admin's machine under a release that waits for it. */
export async function signRelease(
  team: Team,
  actor: Person,
  number: number,
  signature: SealSignature,
): Promise<ReleaseRow> {
  const release = await team.store.write(async tx => {
    const row = await releaseOf(tx, number)
    if (row.state !== 'unsigned')
      throw new Refusal('not-now', `Release ${number} is ${row.state}, and signed.`)
    const trust = await trustIn(tx)
    const sealed: Sealed = { type: 'release', payload: new Uint8Array(row.payload), signatures: [signature] }
    const refusal = sealRefusal(sealed, { type: 'release', keys: keysOf(trust.release_keys) })
    if (refusal) throw new Refusal('invalid', refusal.message)
    const { rings } = await settingsIn(tx)
    const isAtOnce = row.ring === rings.length - 1
    const now = team.now()
    await change(tx, row, {
      state: isAtOnce ? 'done' : 'rolling',
      ring_since: now,
      signatures: JSON.stringify([writtenSignature(signature)]),
    })
    if (!isAtOnce) await deal(tx, number, now)
    await append(tx, actor, now, {
      action: 'release.sign',
      subject: `release ${number}`,
      detail: { key: signature.keyId },
    })
    return releaseOf(tx, number)
  })
  team.hub.changed('releases')
  return release
}

export type Step = 'advance' | 'halt' | 'resume'

/** Moves a release along. By people, and by the server itself when the evidence is clear. */
export async function stepRelease(
  team: Team,
  actor: Actor | 'server',
  number: number,
  step: Step,
  reason = '',
  generation?: number,
  fromRing?: number,
): Promise<ReleaseRow> {
  const release = await team.store.write(async tx => {
    const row = await releaseOf(tx, number)
    // Two processes that saw the same evidence act once.
    if (generation !== undefined && row.generation !== generation) return row
    const { rings } = await settingsIn(tx)
    const now = team.now()
    const last = rings.length - 1
    if (step === 'advance') {
      if (row.state !== 'rolling')
        throw new Refusal('not-now', `Release ${number} is ${row.state}; only a rolling one advances.`)
      if (fromRing !== undefined && row.ring !== fromRing)
        throw new Refusal('stale', `Release ${number} has left that ring already. Look again.`)
      const ring = Math.min(row.ring + 1, last)
      await change(tx, row, { ring, ring_since: now, state: ring === last ? 'done' : 'rolling' })
    } else if (step === 'halt') {
      if (row.state === 'halted') throw new Refusal('not-now', `Release ${number} is halted already.`)
      await change(tx, row, { state: 'halted', halted_because: reason })
    } else {
      if (row.state !== 'halted')
        throw new Refusal('not-now', `Release ${number} is ${row.state}, and not halted.`)
      const isSigned = row.signatures !== '[]'
      await change(tx, row, {
        state: isSigned ? (row.ring === last ? 'done' : 'rolling') : 'unsigned',
        halted_because: '',
        ring_since: now,
      })
      // What was seen before it was halted must not halt it again.
      await tx.deleteFrom('evidence').where('release', '=', number).execute()
    }
    const after = await releaseOf(tx, number)
    await append(tx, actor, now, {
      action: `release.${step}`,
      subject: `release ${number}`,
      detail: {
        ring: rings[after.ring]?.name ?? '',
        state: after.state,
        ...(reason === '' ? {} : { reason }),
      },
    })
    return after
  })
  team.hub.changed('releases')
  return release
}

const change = (tx: Tx, row: ReleaseRow, fields: Partial<ReleaseRow>) =>
  tx
    .updateTable('releases')
    .set({ ...fields, generation: row.generation + 1 })
    .where('number', '=', row.number)
    .execute()

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

export const sealIn = (row: Pick<ReleaseRow, 'payload' | 'signatures'>): Sealed => ({
  type: 'release',
  payload: new Uint8Array(row.payload),
  signatures: (JSON.parse(row.signatures) as { key_id: string; value: string }[]).map(
    ({ key_id, value }) => ({
      keyId: key_id,
      value: new Uint8Array(Buffer.from(value, 'base64')),
    }),
  ),
})

const writtenSignature = ({ keyId, value }: SealSignature) => ({
  key_id: keyId,
  value: Buffer.from(value).toString('base64'),
})

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
