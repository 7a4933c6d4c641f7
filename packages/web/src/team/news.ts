// The stream of changes, and the queries that each change invalidates.

import type { Client } from '@connectrpc/connect'
import type { AuditService } from '@holdfast/team/messages'
import type { QueryClient } from '@tanstack/react-query'
import { type Live, openLive } from '../shell/live.js'
import { atMostEvery } from '../shell/soon.js'
import { askAgain } from '../shell/touched.js'

const TOUCHED: Readonly<Record<string, readonly string[]>> = {
  records: ['GetOverview', 'CountRecords', 'GetFacets', 'GetRelease', 'ListReleases'],
  releases: [
    'ListReleases',
    'GetRelease',
    'ListHooks',
    'GetHook',
    'GetRolloutSettings',
    'ListPins',
    'ListAdminActions',
    'ListDevices',
    'GetOverview',
    'ListRevisions',
  ],
  devices: [
    'ListDevices',
    'CountDevices',
    'GetDevice',
    'GetOverview',
    'ListReleases',
    'GetRelease',
    'ListEnrolmentKeys',
    'ListAdminActions',
  ],
  people: ['ListMembers', 'ListAdminActions'],
  hooks: ['ListHooks', 'GetHook', 'ListAdminActions', 'ListRevisions'],
}

/** At most this often, however much happens. */
const AGAIN_MS = 5000

export function openNews(client: Client<typeof AuditService>, queries: QueryClient): Live {
  const waiting = new Set<string>()
  const look = atMostEvery(AGAIN_MS, () => {
    askAgain(
      queries,
      [...waiting].flatMap(what => TOUCHED[what] ?? []),
    )
    waiting.clear()
  })
  return openLive(
    signal => client.watchTeam({}, { signal }),
    ({ what }) => {
      if (what === '') return
      waiting.add(what)
      look()
    },
    () => void queries.invalidateQueries(),
  )
}
