// The note for rows that arrived and wait, so that the list does not move under the reader.

import type { ReactNode } from 'react'
import { count, figure } from '../words/number.js'
import { Strip } from './cells.js'
import type { Feed } from './feed/feed.js'
import type { Item, List } from './feed/list.js'
import { isMoreWaiting, waitingCount } from './feed/news.js'

/** Null while none wait. `what` names one of them: "new record". */
export function waitingStrip<Each extends Item>(
  list: List<Each> | null,
  what: string,
  onShow: () => void,
): ReactNode {
  const waiting = list ? waitingCount(list) : 0
  if (!list || waiting === 0) return null
  return (
    <Strip action="Show them" onAction={onShow}>
      {isMoreWaiting(list) ? `More than ${figure(waiting)} ${what}s.` : `${count(waiting, what)}.`}
    </Strip>
  )
}

/** Shows the waiting rows on top; where not all of them are known, the list is reloaded. */
export async function showWaiting<Each extends Item>({ list, show, reload }: Feed<Each>): Promise<void> {
  if (list && isMoreWaiting(list)) await reload()
  else show()
}
