// The note over the list: how many runs are newer than those shown, and why they wait.

import type { RunSummary } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Strip } from '../../../parts/cells.js'
import type { List } from '../../../parts/feed/list.js'
import { waitingCount } from '../../../parts/feed/news.js'
import { count, figure } from '../../../words/number.js'

export interface WaitingProps {
  readonly list: List<RunSummary>
  readonly isPaused: boolean
  readonly isOpen: boolean
  readonly onShow: () => void
  readonly onReload: () => void
}

/** Null when nothing waits. */
export function waitingNote({ list, isPaused, isOpen, onShow, onReload }: WaitingProps) {
  if (list.tooMany > 0) {
    return (
      <Strip action="Reload" onAction={onReload}>
        {figure(list.tooMany)} newer.
      </Strip>
    )
  }
  if (list.waiting.length > 0) {
    const why = isPaused ? ' while paused' : isOpen ? ' while a run is selected' : ''
    return (
      <Strip action="Show them" onAction={onShow}>
        {count(waitingCount(list), 'new run')}
        {why}.
      </Strip>
    )
  }
  return isPaused ? <Strip>Paused: new runs wait.</Strip> : null
}
