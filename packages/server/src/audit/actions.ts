// What people did on the server: shown, and proven whole.

import { type ChainedAction, type ChainVerdict, verifyActions } from '@holdfast/team'
import { sql } from 'kysely'
import { after, paged, sizeOf } from '../page.js'
import { contains } from '../store/like.js'
import type { Store } from '../store/open.js'
import type { AdminActionRow } from '../store/schema.js'
import type { Team } from '../team.js'

const PAGE = 500

export async function listActions(
  team: Team,
  request: {
    pageSize: number
    pageToken: string
    query: string
    oldestFirst: boolean
    peopleOnly?: boolean
    seq?: number
  },
): Promise<{ actions: readonly AdminActionRow[]; nextPageToken: string; hidden: number }> {
  const size = sizeOf(request)
  const last = after(request, [0] as const)
  const wanted = request.query.slice(0, 200)
  const { peopleOnly = false, seq = 0 } = request
  const searched = team.store.db
    .selectFrom('admin_actions')
    .$if(wanted !== '', query => query.where(mentions(team, wanted)))
  const rows = await searched
    .selectAll()
    .$if(peopleOnly, query => query.where(({ not }) => not(BY_MACHINE)))
    .$if(seq !== 0, query => query.where('seq', '=', seq))
    .$if(last !== null, query => query.where('seq', request.oldestFirst ? '>' : '<', last![0]))
    .orderBy('seq', request.oldestFirst ? 'asc' : 'desc')
    .limit(size + 1)
    .execute()
  const page = paged(rows, size, ({ seq }) => [seq])
  const left =
    peopleOnly && last === null
      ? await searched
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where(BY_MACHINE)
          .executeTakeFirstOrThrow()
      : { count: 0 }
  return { actions: page.rows, nextPageToken: page.nextPageToken, hidden: Number(left.count) }
}

/** Whatever is shown of an action can be looked for: what it says itself, and what those that it names are called today. */
const mentions = ({ store }: Team, text: string) =>
  sql<boolean>`(${sql.join(
    [
      ...['actor', 'action', 'subject'].map(name => contains(name, text)),
      ...(PART_OF_A_HASH.test(text) ? [] : [contains(bodyIn(store), text)]),
      sql`subject in (select id from devices where ${contains('name', text)})`,
      sql`subject in (select 'device ' || id from devices where ${contains('name', text)})`,
      sql`actor in (select 'device ' || id from devices where ${contains('name', text)})`,
      sql`subject in (select 'hook ' || id from hooks where ${contains('name', text)})`,
      sql`actor in (select email from "user" where ${contains('name', text)})`,
      sql`subject in (select email from "user" where ${contains('name', text)})`,
    ],
    sql` or `,
  )})`

const bodyIn = ({ kind }: Store) =>
  kind === 'postgres' ? sql`convert_from(body, 'UTF8')` : sql`cast(body as text)`

/** Of these there are many in every action: "ada" would find whatever has a hash with these letters. */
const PART_OF_A_HASH = /^[0-9a-f]{1,7}$/i

/** People are named by their address, which is never one word and holds no space. */
const BY_MACHINE = sql<boolean>`(actor in ('server', 'nobody') or actor like 'device %')`

export interface SaidAction {
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: unknown
}

/** From what the hash covers, never from what stands beside it for searching. */
export function saidIn(body: Uint8Array): SaidAction {
  try {
    const { at, actor, action, subject, detail } = JSON.parse(Buffer.from(body).toString('utf8'))
    return { at: String(at), actor: String(actor), action: String(action), subject: String(subject), detail }
  } catch {
    return { at: '', actor: '', action: '', subject: '', detail: {} }
  }
}

export async function verifyChain(team: Pick<Team, 'store'>): Promise<ChainVerdict> {
  const { db } = team.store
  const head = await db.selectFrom('admin_head').selectAll().executeTakeFirstOrThrow()
  const verdict = await verifyActions(chained(team, head.seq), head.seq === 0 ? [] : [head])
  if (verdict.state !== 'whole') return verdict
  const beyond = await db
    .selectFrom('admin_actions')
    .select('seq')
    .where('seq', '>', head.seq)
    .orderBy('seq')
    .executeTakeFirst()
  const now = await db.selectFrom('admin_head').select('seq').executeTakeFirstOrThrow()
  // Somebody may have acted while we read.
  if (!beyond || now.seq >= beyond.seq) return verdict
  return { ...verdict, state: 'forked', message: `Entry ${beyond.seq} stands behind the end of the chain.` }
}

async function* chained({ store }: Pick<Team, 'store'>, to: number): AsyncGenerator<ChainedAction> {
  for (let last = 0; ; ) {
    const rows = await store.db
      .selectFrom('admin_actions')
      .selectAll()
      .where('seq', '>', last)
      .where('seq', '<=', to)
      .orderBy('seq')
      .limit(PAGE)
      .execute()
    for (const row of rows) {
      const body = new Uint8Array(row.body)
      const said = saidIn(body)
      const isShownAsSaid =
        said.actor === row.actor &&
        said.action === row.action &&
        said.subject === row.subject &&
        said.at === new Date(row.at).toISOString()
      // Who changes only what is searched has altered the entry, too.
      yield { seq: row.seq, prev: row.prev, hash: isShownAsSaid ? row.hash : '', body }
    }
    if (rows.length < PAGE) return
    last = rows.at(-1)!.seq
  }
}
