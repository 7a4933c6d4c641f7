// A tab of Audit: a list with a search, new rows that wait above it, and the chosen row beside it.

import { type ReactNode, useRef } from 'react'
import type { Feed } from '../../../parts/feed/feed.js'
import { type Item, isItem, type Row } from '../../../parts/feed/list.js'
import { FeedRows } from '../../../parts/feed/rows.js'
import { Filters, SearchField } from '../../../parts/filters.js'
import { Page } from '../../../parts/page.js'
import type { RowsHandle } from '../../../parts/rows.js'
import { Empty, Filtered } from '../../../parts/states.js'
import { Tabs } from '../../../parts/tabs.js'
import two from '../../../parts/two-lines.module.css'
import { showWaiting, waitingStrip } from '../../../parts/waiting.js'
import { AUDIT_TABS } from './tabs.js'

/** How the detail of a row is closed, and how it moves to the next row. */
export interface Detail {
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}

export interface LogPageProps<Each extends Item> {
  readonly name: string
  /** The name of one row: "action". */
  readonly what: string
  readonly feed: Feed<Each>
  readonly query: string
  readonly searchLabel: string
  /** Also closes the detail. */
  readonly onSearch: (query: string) => void
  readonly chosen: string | undefined
  readonly onChoose: (id: string | undefined, how?: { replace?: boolean }) => void
  readonly about: ReactNode
  readonly filters?: ReactNode
  readonly side: (row: Each | undefined, detail: Detail) => ReactNode
  readonly rowClass: string
  readonly head: ReactNode
  readonly draw: (row: Row<Each>) => ReactNode
  readonly empty: ReactNode
}

export function LogPage<Each extends Item>(props: LogPageProps<Each>) {
  const { name, what, feed, query, chosen, onChoose } = props
  const list = useRef<RowsHandle>(null)
  const search = (text: string) => {
    list.current?.toTop()
    props.onSearch(text)
  }
  const step = async (by: 1 | -1) => {
    const next = await feed.beside(chosen!, by)
    if (!next) return
    feed.select(next.id)
    onChoose(next.id, { replace: true })
  }
  const show = async () => {
    await showWaiting(feed)
    list.current?.toTop()
  }
  const row = feed.rows.find(({ id }) => id === chosen)
  return (
    <Page
      title="Audit"
      name={name}
      fixed
      tools={
        <>
          <Tabs label="Audit" tabs={AUDIT_TABS} />
          {props.about}
          <Filters
            search={<SearchField label={props.searchLabel} value={query} onChange={search} />}
            onClear={query ? () => search('') : undefined}
          >
            {props.filters}
          </Filters>
        </>
      }
      side={
        chosen
          ? props.side(row && isItem(row) ? row : undefined, {
              onStep: by => void step(by),
              onClose: () => {
                onChoose(undefined)
                list.current?.focus()
              },
            })
          : null
      }
    >
      <FeedRows
        ref={list}
        feed={feed}
        what={`new ${what}`}
        label={name}
        chosen={chosen}
        onChoose={onChoose}
        total={feed.list?.next ? null : undefined}
        rowClass={`${props.rowClass} ${two.row}`}
        head={props.head}
        draw={props.draw}
        strip={waitingStrip(feed.list, `new ${what}`, () => void show())}
        empty={
          query ? (
            <Filtered what={`${what}s`} onClear={() => search('')} />
          ) : (
            <Empty title={`No ${what}s yet`}>{props.empty}</Empty>
          )
        }
      />
    </Page>
  )
}
