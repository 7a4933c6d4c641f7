// Rejected calls, for administrators.

import { after, paged, sizeOf } from '../page.js'
import { contains } from '../store/like.js'
import type { Team } from '../team.js'

export interface RefusedCall {
  readonly id: number
  readonly at: number
  readonly what: string
  readonly who: string
  readonly detail: string
}

export async function listRefused(
  team: Team,
  request: { pageSize: number; pageToken: string; query: string },
): Promise<{ calls: readonly RefusedCall[]; nextPageToken: string }> {
  const size = sizeOf(request)
  const last = after(request, [0] as const)
  const wanted = request.query.slice(0, 200)
  const rows = await team.store.db
    .selectFrom('refused_calls')
    .selectAll()
    .$if(wanted !== '', query =>
      query.where(({ or }) => or(['who', 'what', 'detail'].map(name => contains(name, wanted)))),
    )
    .$if(last !== null, query => query.where('id', '<', last![0]))
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute()
  const page = paged(rows, size, ({ id }) => [id])
  return { calls: page.rows, nextPageToken: page.nextPageToken }
}
