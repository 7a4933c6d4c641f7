// HooksService: messages in, domain functions, messages out.

import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { HooksService } from '@holdfast/team'
import { personIn } from '../access/person.js'
import { differences, scriptDiff } from '../hooks/compare.js'
import { draftIn, draftOf, messageOf } from '../hooks/content.js'
import {
  discardDraft,
  hashOfDraft,
  hookOf,
  listHooks,
  problemsBefore,
  type StoredHook,
  saveDraft,
} from '../hooks/drafts.js'
import { listRevisions, publishedIn, revisionOf, scriptOf, sideOf } from '../hooks/revisions.js'
import { Refusal } from '../refusal.js'
import { approveUnrun, checkDraft } from '../replay/check.js'
import { newestHooks, releasesWith } from '../rollout/releases.js'
import type { RevisionRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { eventFacts } from './events.js'

/** Each is a process of its own, with more inside. */
const MOST_CHECKS = 4

export const hooksRpc = (team: Team): Partial<ServiceImpl<typeof HooksService>> => {
  const { db } = team.store
  let checks = 0

  /** With scripts for one hook; without them for a list. */
  const hookMessage = async (
    hook: StoredHook,
    withScripts: boolean,
    newest: Awaited<ReturnType<typeof newestHooks>>,
  ) => {
    const draft = draftIn(hook)
    const row = hook.revision === 0 ? null : await revisionOf(db, hook.id, hook.revision)
    return {
      id: hook.id,
      name: hook.name,
      revision: hook.revision,
      isPublished: newest.some(({ id }) => id === hook.id),
      ...(row ? { published: await publishedMessage(row, withScripts) } : {}),
      ...(draft
        ? {
            draft: messageOf(draft.content, {
              id: BigInt(hook.id),
              script: withScripts ? draft.script : null,
            }),
          }
        : {}),
      draftVersion: hook.draft_version,
      changedAt: new Date(hook.draft_at ?? row?.at ?? hook.created_at).toISOString(),
      changedBy: (await nameOfUser(hook.draft_by)) ?? row?.author ?? '',
      fit: draft !== null && hook.fit === hashOfDraft(draft),
      draftBy: hook.draft_by ?? '',
    }
  }
  const oneHook = async (hook: StoredHook) => hookMessage(hook, true, await newestHooks(db))
  const publishedMessage = async (row: RevisionRow, withScript: boolean) =>
    messageOf(publishedIn(row), {
      id: BigInt(row.hook_id),
      revision: row.number,
      script: withScript ? await scriptOf(db, row.sha256) : null,
    })
  const nameOfUser = async (id: string | null): Promise<string | null> => {
    if (id === null) return null
    const user = await db
      .selectFrom('user' as never)
      .select('name' as never)
      .where('id' as never, '=', id as never)
      .executeTakeFirst()
    return (user as { name?: string } | undefined)?.name ?? null
  }
  const revisionMessage = async (row: RevisionRow, withScript: boolean) => ({
    hookId: row.hook_id,
    number: row.number,
    hash: row.hash,
    content: await publishedMessage(row, withScript),
    note: row.note,
    author: row.author,
    at: new Date(row.at).toISOString(),
    releases: await releasesWith(db, row.hook_id, row.number),
  })

  return {
    async listHooks(request) {
      const { hooks, nextPageToken, total } = await listHooks(team, request)
      const newest = await newestHooks(db)
      const messages = await Promise.all(hooks.map(hook => hookMessage(hook, false, newest)))
      return { hooks: messages, nextPageToken, total }
    },
    async getHook({ id }) {
      return { hook: await oneHook(await hookOf(db, id)) }
    },
    async saveDraft({ id, name, draft, baseVersion, checkOnly }, context: HandlerContext) {
      if (!draft) throw new Refusal('invalid', 'draft is missing.')
      const saving = { id, name, draft: draftOf(draft), base: baseVersion }
      if (checkOnly) return { problems: await problemsBefore(team, saving) }
      const { hook, problems } = await saveDraft(team, personIn(context), saving)
      return { hook: await oneHook(hook), problems }
    },
    async discardDraft({ id }, context) {
      return { hook: await oneHook(await discardDraft(team, personIn(context), id)) }
    },
    async checkDraft({ id, samples }) {
      if (checks >= MOST_CHECKS) {
        throw new Refusal('too-much', 'Other drafts are being checked. Try again in a moment.')
      }
      checks++
      try {
        const checked = await checkDraft(team, { id, samples })
        const runs = checked.runs.map(({ id: _id, ...run }) => run)
        return { problems: [...checked.problems], runs, fit: checked.fit }
      } finally {
        checks--
      }
    },
    async approveUnrun(request, context) {
      return { hook: await oneHook(await approveUnrun(team, personIn(context), request)) }
    },
    listEvents: () => ({ events: eventFacts() }),
    async listRevisions(request) {
      const { revisions, nextPageToken } = await listRevisions(team, request)
      return {
        revisions: await Promise.all(revisions.map(row => revisionMessage(row, false))),
        nextPageToken,
      }
    },
    async getRevision({ hookId, number }) {
      return { revision: await revisionMessage(await revisionOf(db, hookId, number), true) }
    },
    async compareRevisions({ hookId, from, to }) {
      const [before, after] = [await sideOf(team, hookId, from), await sideOf(team, hookId, to)]
      return { fields: differences(before.content, after.content), scriptDiff: scriptDiff(before, after) }
    },
  }
}
