// HooksService: translates messages and calls domain functions.

import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { HooksService } from '@holdfast/team'
import { personIn } from '../access/person.js'
import { differences, scriptDiff } from '../hooks/compare.js'
import { draftIn, draftOf, messageOf } from '../hooks/content.js'
import { discardDraft, hashOfDraft, hookOf, listHooks, problemsBefore, saveDraft } from '../hooks/drafts.js'
import { listRevisions, publishedIn, revisionOf, scriptOf, sideOf } from '../hooks/revisions.js'
import { approveUnrun, checkDraft } from '../replay/check.js'
import { RequestError } from '../request-error.js'
import { type LiveInput, liveState } from '../rollout/live.js'
import type { Rules } from '../store/device-states.js'
import type { StoredHook } from '../store/hooks.js'
import { countLive, revisionsIn } from '../store/live.js'
import { findUser } from '../store/members.js'
import { newestOut, releasesWith } from '../store/releases.js'
import type { RevisionRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { eventFacts } from './events.js'

/** Each is a process with child processes. */
const MOST_CHECKS = 4

export const hooksRpc = (team: Team, rules: Rules): Partial<ServiceImpl<typeof HooksService>> => {
  const { db } = team.store
  let checks = 0

  /** With scripts for one hook; without them for a list. */
  const hookMessage = async (hook: StoredHook, withScripts: boolean, live: LiveInput) => {
    const draft = draftIn(hook)
    const state = liveState(hook, live)
    const number = state.released || hook.revision
    const row = number === 0 ? null : await revisionOf(db, hook.id, number)
    const author = hook.draft_by === null ? undefined : await findUser(db, 'id', hook.draft_by)
    return {
      id: hook.id,
      name: hook.name,
      revision: hook.revision,
      live: { ...state, rings: state.rings.map(ring => ({ ...ring })) },
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
      changedBy: author?.name ?? row?.author ?? '',
      fit: draft !== null && hook.fit === hashOfDraft(draft),
      draftBy: hook.draft_by ?? '',
    }
  }
  const liveOf = async (hooks: readonly StoredHook[]): Promise<LiveInput> => {
    const reader = team.records.reader
    const now = await rules()
    const counts = await countLive(reader, now)
    const newest = (await newestOut(db))?.number ?? 0
    const releases = new Set([newest, ...counts.flatMap(({ has, wanted }) => [has, wanted])])
    const held = await revisionsIn(
      reader,
      [...releases],
      hooks.map(({ id }) => id),
    )
    return { counts, held, rings: now.rings, isKilled: now.isKilled, newest }
  }
  const oneHook = async (hook: StoredHook) => hookMessage(hook, true, await liveOf([hook]))
  const publishedMessage = async (row: RevisionRow, withScript: boolean) =>
    messageOf(publishedIn(row), {
      id: BigInt(row.hook_id),
      revision: row.number,
      script: withScript ? await scriptOf(db, row.sha256) : null,
    })
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
      const live = await liveOf(hooks)
      const messages = await Promise.all(hooks.map(hook => hookMessage(hook, false, live)))
      return { hooks: messages, nextPageToken, total }
    },
    async getHook({ id }) {
      return { hook: await oneHook(await hookOf(db, id)) }
    },
    async saveDraft({ id, name, draft, baseVersion, checkOnly }, context: HandlerContext) {
      if (!draft) throw new RequestError('invalid', 'draft is missing.')
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
        throw new RequestError('too-much', 'Other drafts are being checked. Try again in a moment.')
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
      const { rows, nextPageToken } = await listRevisions(team, request)
      return {
        revisions: await Promise.all(rows.map(row => revisionMessage(row, false))),
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
