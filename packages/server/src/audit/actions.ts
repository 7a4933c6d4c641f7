// Lists the audit log, and verifies its hash chain. Both read through the reader, which for SQLite is another thread.

import { type ChainedAction, type ChainVerdict, verifyActions } from '@holdfast/team'
import { type PageRequest, pageOf } from '../page.js'
import {
  actionsBetween,
  countByMachine,
  nextAction,
  pageOfActions,
  readHead,
} from '../store/admin-actions.js'
import type { Db } from '../store/open.js'
import { pageOfRefused } from '../store/refused-calls.js'
import type { AdminActionRow } from '../store/schema.js'
import type { Team } from '../team.js'

const PAGE = 500

export async function listActions(
  team: Team,
  request: PageRequest & { query: string; oldestFirst: boolean; peopleOnly?: boolean; seq?: number },
): Promise<{ actions: readonly AdminActionRow[]; nextPageToken: string; hidden: number }> {
  const text = request.query.slice(0, 200)
  const { peopleOnly = false, seq = 0, oldestFirst } = request
  const { kind } = team.store
  const { reader } = team.records
  const filter = { text, peopleOnly, seq }
  const { rows, nextPageToken } = await pageOf(
    request,
    [0] as readonly [number],
    (last, limit) => pageOfActions(reader, kind, filter, { from: last?.[0] ?? null, oldestFirst, limit }),
    row => [row.seq],
  )
  const isFirst = request.pageToken === ''
  const hidden = peopleOnly && isFirst ? await countByMachine(reader, kind, text) : 0
  return { actions: rows, nextPageToken, hidden }
}

/** Rejected calls, for administrators. */
export const listRefused = (team: Team, request: PageRequest & { query: string }) =>
  pageOf(
    request,
    [0] as readonly [number],
    (last, limit) => pageOfRefused(team.store.db, request.query.slice(0, 200), last?.[0] ?? null, limit),
    ({ id }) => [id],
  )

export interface ActionFields {
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: unknown
}

/** From the bytes that the hash covers, never from the columns for searching. */
export function fieldsIn(body: Uint8Array): ActionFields {
  try {
    const { at, actor, action, subject, detail } = JSON.parse(Buffer.from(body).toString('utf8'))
    return { at: String(at), actor: String(actor), action: String(action), subject: String(subject), detail }
  } catch {
    return { at: '', actor: '', action: '', subject: '', detail: {} }
  }
}

export async function verifyChain(db: Db): Promise<ChainVerdict> {
  const head = await readHead(db)
  const verdict = await verifyActions(chained(db, head.seq), head.seq === 0 ? [] : [head])
  if (verdict.state !== 'whole') return verdict
  const beyond = await nextAction(db, head.seq)
  // An action may have been appended meanwhile.
  if (beyond === undefined || (await readHead(db)).seq >= beyond) return verdict
  return { ...verdict, state: 'forked', message: `Entry ${beyond} is after the end of the chain.` }
}

async function* chained(db: Db, to: number): AsyncGenerator<ChainedAction> {
  for (let last = 0; ; ) {
    const rows = await actionsBetween(db, last, to, PAGE)
    for (const row of rows) {
      const body = new Uint8Array(row.body)
      const signed = fieldsIn(body)
      const isShownAsSigned =
        signed.actor === row.actor &&
        signed.action === row.action &&
        signed.subject === row.subject &&
        signed.at === new Date(row.at).toISOString()
      // A change of the search columns alone also invalidates the entry.
      yield { seq: row.seq, prev: row.prev, hash: isShownAsSigned ? row.hash : '', body }
    }
    if (rows.length < PAGE) return
    last = rows.at(-1)!.seq
  }
}
