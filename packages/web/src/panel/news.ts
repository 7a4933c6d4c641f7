// The stream of the panel, for all pages.

import type { Client } from '@connectrpc/connect'
import type { QueryClient } from '@tanstack/react-query'
import type { PanelService, RunSummary, WatchResponse } from '../gen/holdfast/panel/v1/panel_pb.js'
import { type Live, openLive } from '../shell/live.js'
import { atMostEvery } from '../shell/soon.js'
import { askAgain } from '../shell/touched.js'
import { isNotifier } from './notifications.js'

export interface News extends Live {
  /** New runs, oldest first; null when too many arrived to list them. */
  onRuns(listener: (runs: readonly RunSummary[] | null) => void): () => void
}

/** The queries that new runs change. */
const SUMS = ['CountRuns', 'ListSessions', 'GetSession', 'ListSources']

/** Counts are reloaded at most this often. */
const AGAIN_MS = 5000

export function openNews(client: Client<typeof PanelService>, queries: QueryClient): News {
  const listeners = new Set<(runs: readonly RunSummary[] | null) => void>()
  let cursor = ''
  const soon = atMostEvery(AGAIN_MS, () => askAgain(queries, SUMS))
  const hear = ({ runs, hooksChanged, gap, questionsChanged }: WatchResponse) => {
    const last = runs.at(-1)
    if (last) cursor = last.id
    if (runs.length > 0 || gap) {
      for (const listener of listeners) listener(gap ? null : runs)
      soon()
    }
    if (hooksChanged) void queries.invalidateQueries()
    else if (questionsChanged) askAgain(queries, ['ListQuestions'])
  }
  const live = openLive(
    signal => client.watch({ cursor }, { signal }),
    hear,
    // Files may have changed during an interruption, and before the first run there is no cursor.
    () => void queries.invalidateQueries(),
    isNotifier,
  )
  return {
    ...live,
    onRuns(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
