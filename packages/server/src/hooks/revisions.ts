// The published revisions of a hook, which are permanent.

import { createHash } from 'node:crypto'
import { after, paged, sizeOf } from '../page.js'
import { RequestError } from '../request-error.js'
import type { Db, Tx } from '../store/open.js'
import type { RevisionRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { type Content, type Draft, draftIn } from './content.js'
import { hookOf } from './drafts.js'

/** Content with the fields that publishing added. */
export type Published = Content & { readonly sha256?: string; readonly size?: number }

export async function addRevision(
  tx: Tx,
  {
    hookId,
    draft,
    note,
    author,
    at,
  }: { hookId: number; draft: Draft; note: string; author: string; at: number },
): Promise<RevisionRow> {
  const { revision } = await hookOf(tx, hookId)
  const content = await withScript(tx, draft)
  const text = JSON.stringify(content)
  const row = {
    hook_id: hookId,
    number: revision + 1,
    hash: createHash('sha256').update(text).digest('hex'),
    content: text,
    sha256: content.sha256 ?? null,
    note,
    author,
    at,
  }
  await tx.insertInto('revisions').values(row).execute()
  await tx
    .updateTable('hooks')
    .set({
      revision: row.number,
      draft: null,
      draft_script: null,
      draft_by: null,
      draft_authors: '[]',
      draft_at: null,
      fit: null,
    })
    .where('id', '=', hookId)
    .execute()
  return row
}

async function withScript(tx: Tx, { content, script }: Draft): Promise<Published> {
  if (script === null) return content
  const bytes = Buffer.from(script)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await tx
    .insertInto('scripts')
    .values({ sha256, content: bytes })
    .onConflict(conflict => conflict.column('sha256').doNothing())
    .execute()
  return { ...content, sha256, size: bytes.length }
}

export const publishedIn = ({ content }: Pick<RevisionRow, 'content'>): Published => JSON.parse(content)

export async function revisionOf(db: Db | Tx, hookId: number, number: number): Promise<RevisionRow> {
  const row = await db
    .selectFrom('revisions')
    .selectAll()
    .where('hook_id', '=', hookId)
    .where('number', '=', number)
    .executeTakeFirst()
  if (!row) throw new RequestError('missing', `Hook ${hookId} has no revision ${number}.`)
  return row
}

export async function scriptOf(db: Db | Tx, sha256: string | null): Promise<string | null> {
  if (sha256 === null) return null
  const row = await db.selectFrom('scripts').select('content').where('sha256', '=', sha256).executeTakeFirst()
  return row ? Buffer.from(row.content).toString('utf8') : null
}

export async function listRevisions(
  team: Team,
  request: { hookId: number; pageSize: number; pageToken: string },
): Promise<{ revisions: readonly RevisionRow[]; nextPageToken: string }> {
  const size = sizeOf(request)
  const last = after(request, [0] as const)
  await hookOf(team.store.db, request.hookId)
  const rows = await team.store.db
    .selectFrom('revisions')
    .selectAll()
    .where('hook_id', '=', request.hookId)
    .$if(last !== null, query => query.where('number', '<', last![0]))
    .orderBy('number', 'desc')
    .limit(size + 1)
    .execute()
  const page = paged(rows, size, ({ number }) => [number])
  return { revisions: page.rows, nextPageToken: page.nextPageToken }
}

/** One side of a comparison: a revision, or the draft for 0. */
export async function sideOf(team: Team, hookId: number, number: number): Promise<Draft> {
  const { db } = team.store
  if (number === 0) {
    const draft = draftIn(await hookOf(db, hookId))
    if (!draft) throw new RequestError('missing', `Hook ${hookId} has no draft.`)
    return draft
  }
  const row = await revisionOf(db, hookId, number)
  const { sha256: _sum, size: _size, ...content } = publishedIn(row)
  return { content, script: await scriptOf(db, row.sha256) }
}
