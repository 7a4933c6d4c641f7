// Publishing: drafts become revisions, and the hooks of the team become a release.

import type { SignedHook } from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { withSecondPerson } from '../approval/four-eyes.js'
import { toNote } from '../note.js'
import { RequestError } from '../request-error.js'
import { mustNotWait, newestHooks } from '../rollout/releases.js'
import { send } from '../rollout/send.js'
import type { Tx } from '../store/open.js'
import type { ReleaseRow, RevisionRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { draftIn } from './content.js'
import { authorsOf, hashOfDraft, hookOf } from './drafts.js'
import { addRevision, publishedIn } from './revisions.js'

export interface Publishing {
  readonly drafts: readonly { readonly hookId: number; readonly draftVersion: number }[]
  readonly remove: readonly number[]
  readonly note: string
  readonly skipRings: boolean
}

export async function publish(team: Team, actor: Person, wish: Publishing): Promise<ReleaseRow> {
  const note = toNote('note', wish.note)
  if (wish.drafts.length + wish.remove.length === 0) {
    throw new RequestError('invalid', 'Name the drafts to publish, or the hooks to remove.')
  }
  const authors = new Set<string | null>()
  const make = async (tx: Tx, by: object) => {
    await mustNotWait(tx)
    const hooks = new Map((await newestHooks(tx)).map(hook => [hook.id, hook]))
    for (const id of wish.remove) {
      if (!hooks.delete(id)) throw new RequestError('missing', `Hook ${id} is not in the newest release.`)
    }
    for (const { hookId, draftVersion } of wish.drafts) {
      const hook = await hookOf(tx, hookId)
      const draft = draftIn(hook)
      if (!draft) throw new RequestError('not-now', `The hook "${hook.name}" has no draft.`)
      if (hook.draft_version !== draftVersion) {
        throw new RequestError(
          'stale',
          `The draft of "${hook.name}" was changed since you loaded it. Reload the page.`,
        )
      }
      if (hook.fit !== hashOfDraft(draft)) {
        throw new RequestError(
          'not-now',
          `The draft of "${hook.name}" is not checked in this version. Check it first.`,
        )
      }
      for (const author of authorsOf(hook)) authors.add(author)
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
    call: {
      drafts: drafts.map(({ hookId, draftVersion }) => ({ hookId, draftVersion })),
      remove,
      skipRings,
      note,
    },
    // Nobody else has prepared the removal of a hook.
    ...(remove.length === 0 ? { authors } : {}),
  }
  const release = await withSecondPerson(team, actor, change, make)
  team.hub.changed('releases')
  return release
}

/** Inactive hooks are kept, and no device receives them. */
function releaseHookOf(name: string, revision: RevisionRow): SignedHook | null {
  const { is_active: isActive, ...content } = publishedIn(revision)
  return isActive ? { id: revision.hook_id, revision: revision.number, name, ...content } : null
}
