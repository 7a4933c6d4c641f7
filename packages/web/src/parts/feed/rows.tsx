// A feed as a list: its rows with the waiting note above them, or its empty, failed or loading state.

import type { ReactNode } from 'react'
import { Announce } from '../announce.js'
import { Rows, type RowsProps } from '../rows.js'
import { Failed, Loading } from '../states.js'
import type { Feed } from './feed.js'
import type { Item, Row } from './list.js'
import { waitingCount } from './news.js'

type Own = 'rows' | 'keyOf' | 'selected' | 'onEnd' | 'onSight' | 'scrollTop' | 'onScrolled' | 'narrowHeight'

export interface FeedRowsProps<Each extends Item> extends Omit<RowsProps<Row<Each>>, Own> {
  readonly feed: Feed<Each>
  /** The name of a waiting row: "new record". */
  readonly what: string
  /** Replaces the rows if there are none. */
  readonly empty: ReactNode
}

export function FeedRows<Each extends Item>({ feed, what, empty, ...rest }: FeedRowsProps<Each>) {
  return (
    <>
      <Announce what={what} waiting={feed.list ? waitingCount(feed.list) : 0} />
      {feed.rows.length > 0 ? (
        <Rows
          onSelect={feed.select}
          {...rest}
          rows={feed.rows}
          keyOf={keyOf}
          selected={feed.selected}
          onEnd={feed.onEnd}
          onSight={feed.onSight}
          narrowHeight={52}
          scrollTop={feed.scrollTop}
          onScrolled={feed.scrolled}
        />
      ) : feed.list ? (
        empty
      ) : feed.error ? (
        <Failed error={feed.error} onRetry={() => void feed.reload()} />
      ) : (
        <Loading rows={12} label={`Loading ${rest.label.toLowerCase()}`} />
      )}
    </>
  )
}

const keyOf = ({ id }: Item) => id
