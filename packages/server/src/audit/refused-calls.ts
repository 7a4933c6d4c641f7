// Rejected calls, for administrators.

import { after, paged, sizeOf } from '../page.js'
import { pageOfRefused, type RefusedCall } from '../store/refused-calls.js'
import type { Team } from '../team.js'

export async function listRefused(
  team: Team,
  request: { pageSize: number; pageToken: string; query: string },
): Promise<{ calls: readonly RefusedCall[]; nextPageToken: string }> {
  const size = sizeOf(request)
  const last = after(request, [0] as const)
  const text = request.query.slice(0, 200)
  const rows = await pageOfRefused(team.store.db, text, last?.[0] ?? null, size + 1)
  const page = paged(rows, size, ({ id }) => [id])
  return { calls: page.rows, nextPageToken: page.nextPageToken }
}
