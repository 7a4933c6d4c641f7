// The published revisions of a hook, which are permanent.

import { createHash } from 'node:crypto'
import { type PageRequest, pageOf } from '../page.js'
import { RequestError } from '../request-error.js'
import { findRevision, insertRevision, pageOfRevisions, putScript } from '../store/hooks.js'
import type { Db, Tx } from '../store/open.js'
import { scriptsBySum } from '../store/releases.js'
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
  await insertRevision(tx, row)
  return row
}

async function withScript(tx: Tx, { content, script }: Draft): Promise<Published> {
  if (script === null) return content
  const bytes = Buffer.from(script)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await putScript(tx, sha256, bytes)
  return { ...content, sha256, size: bytes.length }
}

export const publishedIn = ({ content }: Pick<RevisionRow, 'content'>): Published => JSON.parse(content)

export async function revisionOf(db: Db | Tx, hookId: number, number: number): Promise<RevisionRow> {
  const row = await findRevision(db, hookId, number)
  if (!row) throw new RequestError('missing', `Hook ${hookId} has no revision ${number}.`)
  return row
}

export async function scriptOf(db: Db | Tx, sha256: string | null): Promise<string | null> {
  if (sha256 === null) return null
  const content = (await scriptsBySum(db, [sha256])).get(sha256)
  return content ? Buffer.from(content).toString('utf8') : null
}

export async function listRevisions(team: Team, request: PageRequest & { hookId: number }) {
  await hookOf(team.store.db, request.hookId)
  return pageOf(
    request,
    [0] as readonly [number],
    (last, limit) => pageOfRevisions(team.store.db, request.hookId, last?.[0] ?? null, limit),
    ({ number }) => [number],
  )
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
