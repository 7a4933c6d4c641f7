// Rows that came while somebody reads: they wait above the list until they are asked for.

import type { ReactNode } from 'react'
import { count, figure } from '../words/number.js'
import { Strip } from './cells.js'
import type { Feed } from './feed/feed.js'
import type { Item, List } from './feed/list.js'
import { isMoreWaiting, waitingCount } from './feed/news.js'

/** Nothing while none wait. `what` is one of them: "new record". */
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

/** Those that wait stand on top; where there are more than are known, the newest are read anew. */
export async function showWaiting<Each extends Item>({ list, show, reload }: Feed<Each>): Promise<void> {
  if (list && isMoreWaiting(list)) await reload()
  else show()
}
