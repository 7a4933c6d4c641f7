// Publishing: drafts become revisions, the team's set becomes a release, and the release sets out through the rings.

import { type SignedHook, sha256, writeSignatures } from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { draftIn } from '../hooks/content.js'
import { hashOfDraft, hookOf } from '../hooks/drafts.js'
import { addRevision, publishedIn } from '../hooks/revisions.js'
import { toNote } from '../note.js'
import { Refusal } from '../refusal.js'
import type { Tx } from '../store/open.js'
import type { ReleaseRow, RevisionRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { withSecondPerson } from './four-eyes.js'
import { signingKey, signWith } from './keys.js'
import { makeRelease } from './make.js'
import {
  changesIn,
  type HookChange,
  isSigned,
  mustNotWait,
  newestHooks,
  payloadIn,
  releaseOf,
} from './releases.js'
import { deal } from './rings.js'
import { settingsIn } from './settings.js'

export interface Publishing {
  readonly drafts: readonly { readonly hookId: number; readonly draftVersion: number }[]
  readonly remove: readonly number[]
  readonly note: string
  readonly skipRings: boolean
}

export async function publish(team: Team, actor: Person, wish: Publishing): Promise<ReleaseRow> {
  const note = toNote('note', wish.note)
  if (wish.drafts.length + wish.remove.length === 0) {
    throw new Refusal('invalid', 'Name the drafts to publish, or the hooks to take out.')
  }
  const authors = new Set<string | null>()
  const make = async (tx: Tx, by: object) => {
    await mustNotWait(tx)
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
      authors.add(hook.draft_by)
      const revision = await addRevision(tx, {
        hookId,
        draft,
        note,
        author: actor.name,
        at: team.now(),
      })
      const made = releaseHookOf(hook.name, revision)
      if (made) hooks.set(hookId, made)
      else hooks.delete(hookId)
    }
    return send(tx, team, actor, {
      hooks: [...hooks.values()],
      note,
      skipRings: wish.skipRings,
      rollsBackTo: null,
      action: 'release.publish',
      by,
    })
  }
  const { drafts, remove, skipRings } = wish
  const change = {
    method: 'RolloutService/Publish',
    subject: 'the hooks',
    wish: { drafts: drafts.map(({ hookId, draftVersion }) => [hookId, draftVersion]), remove, skipRings },
    // Nobody else has prepared the removal of a hook.
    ...(remove.length === 0 ? { authors } : {}),
  }
  const release = await withSecondPerson(team, actor, change, make)
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
  actor: Person,
  { to, ...said }: { to: number; note: string },
): Promise<ReleaseRow> {
  const note = toNote('note', said.note)
  const change = { method: 'RolloutService/RollBack', subject: `release ${to}`, wish: { to } }
  const release = await withSecondPerson(team, actor, change, async (tx, by) => {
    await mustNotWait(tx)
    const old = await releaseOf(tx, to)
    if (!isSigned(old)) throw new Refusal('not-now', `Release ${to} was never signed.`)
    return send(tx, team, actor, {
      hooks: payloadIn(old).hooks,
      note,
      skipRings: true,
      rollsBackTo: to,
      action: 'release.roll-back',
      by,
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
  readonly action: 'release.publish' | 'release.roll-back'
  readonly by: object
}

async function send(tx: Tx, team: Team, actor: Person, sending: Sending): Promise<ReleaseRow> {
  const now = team.now()
  const settings = await settingsIn(tx)
  const { release, payload } = await makeRelease(tx, team, sending.hooks)
  const key = await signingKey(tx, team.secrets, 'release')
  const signatures = key ? [signWith('release', payload, key)] : []
  const isAtOnce = sending.skipRings || settings.rings.length === 1
  const row: ReleaseRow = {
    number: release.release,
    epoch: release.epoch,
    hash: sha256(payload),
    payload,
    signatures: JSON.stringify(writeSignatures(signatures)),
    state: key ? (isAtOnce ? 'done' : 'rolling') : 'unsigned',
    ring: isAtOnce ? settings.rings.length - 1 : 0,
    ring_since: now,
    generation: 1,
    halted_because: '',
    halt_causes: '[]',
    rolls_back_to: sending.rollsBackTo,
    note: sending.note,
    author: actor.name,
    at: now,
    expires_at: Date.parse(release.expires_at),
  }
  await tx.insertInto('releases').values(row).execute()
  for (const { id, revision } of release.hooks) {
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
      ring: settings.rings[row.ring]!.name,
      ...(isAtOnce ? { at_once: true } : {}),
      ...named(await changesIn(tx, row)),
      hooks: release.hooks.map(({ id, revision }) => `${id}@${revision}`),
      ...(sending.rollsBackTo === null ? {} : { rolls_back_to: sending.rollsBackTo }),
      ...sending.by,
    },
  })
  return row
}

/** What is new with it, by the names of today. */
function named(changes: readonly HookChange[]) {
  const fresh = changes.filter(({ change }) => change === 'added' || change === 'changed')
  const gone = changes.filter(({ change }) => change === 'removed')
  return {
    ...(fresh.length > 0 ? { changed: fresh.map(({ name, revision }) => ({ name, revision })) } : {}),
    ...(gone.length > 0 ? { removed: gone.map(({ name }) => name) } : {}),
  }
}
