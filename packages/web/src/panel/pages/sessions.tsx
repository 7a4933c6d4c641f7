// Conversations with an agent, by the events that ran hooks.

import { useInfiniteQuery } from '@connectrpc/connect-query'
import { keepPreviousData } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { PanelService, type SessionSummary } from '../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../parts/button.js'
import { Strip } from '../../parts/cells.js'
import { Filters, SearchField } from '../../parts/filters.js'
import { Page } from '../../parts/page.js'
import { Rows, type RowsHandle } from '../../parts/rows.js'
import { Empty, Region } from '../../parts/states.js'
import { BY_TOKEN } from '../../shell/by-token.js'
import { withTexts } from '../../shell/search.js'
import { count } from '../../words/number.js'
import { sessions as sessionsRoute } from '../routes.js'
import { columns, drawSession, head } from './sessions/columns.js'
import { settle } from './sessions/settle.js'

/** The scroll position and the selection, for going back. */
let kept: { q: string; scrollTop: number; selected: string | undefined } = {
  q: '',
  scrollTop: 0,
  selected: undefined,
}

export function Sessions() {
  const search = sessionsRoute.useSearch()
  const navigate = sessionsRoute.useNavigate()
  const q = search.q ?? ''
  const sessions = useInfiniteQuery(
    PanelService.method.listSessions,
    { text: q, pageSize: 200, pageToken: '' },
    {
      ...BY_TOKEN,
      placeholderData: keepPreviousData,
    },
  )
  const find = (text: string) => void navigate({ search: withTexts(search, { q: text }), replace: true })
  return (
    <Page
      title="Sessions"
      fixed
      tools={
        <Filters search={<SearchField label="Search sessions" value={q} onChange={find} />}>{null}</Filters>
      }
    >
      <Region of={sessions}>
        {({ pages }) => (
          <List
            key={q}
            q={q}
            fresh={pages.flatMap(page => page.sessions)}
            onEnd={sessions.hasNextPage ? () => void sessions.fetchNextPage() : undefined}
            onClear={() => find('')}
            onOpen={id => void navigate({ to: '/sessions/$id', params: { id } })}
          />
        )}
      </Region>
    </Page>
  )
}

interface ListProps {
  readonly q: string
  readonly fresh: readonly SessionSummary[]
  readonly onEnd: (() => void) | undefined
  readonly onClear: () => void
  readonly onOpen: (id: string) => void
}

function List({ q, fresh, onEnd, onClear, onOpen }: ListProps) {
  const [restored] = useState(() => (kept.q === q ? kept : { q, scrollTop: 0, selected: undefined }))
  const list = useRef<RowsHandle>(null)
  const [isTop, setTop] = useState(restored.scrollTop === 0)
  const [selected, setSelected] = useState(restored.selected)
  const before = useRef<readonly SessionSummary[]>([])
  const isHeld = !isTop || selected !== undefined
  const { shown, waiting } = useMemo(() => settle(before.current, fresh, isHeld), [fresh, isHeld])
  before.current = shown
  const keep = (what: Partial<typeof kept>) => {
    kept = { ...kept, q, ...what }
  }
  if (shown.length === 0) {
    return q ? (
      <Empty title="No sessions match" action={<Button onClick={onClear}>Clear the search</Button>}>
        Searched for “{q}”.
      </Empty>
    ) : (
      <Empty title="No sessions yet">
        A session begins with the first event of a conversation that runs a hook.
      </Empty>
    )
  }
  return (
    <Rows
      ref={list}
      label="Sessions"
      rows={shown}
      keyOf={keyOf}
      chosen={undefined}
      onChoose={onOpen}
      hrefOf={({ id }) => `/sessions/${encodeURIComponent(id)}`}
      selected={selected}
      onSelect={key => {
        setSelected(key)
        keep({ selected: key })
      }}
      onEnd={onEnd}
      onTop={setTop}
      scrollTop={restored.scrollTop}
      onScrolled={scrollTop => keep({ scrollTop })}
      narrowHeight={52}
      rowClass={columns}
      head={head}
      draw={drawSession}
      strip={
        waiting > 0 ? (
          <Strip
            action="Show them"
            onAction={() => {
              setSelected(undefined)
              setTop(true)
              list.current?.toTop()
            }}
          >
            {count(waiting, 'newer session')}.
          </Strip>
        ) : null
      }
    />
  )
}

const keyOf = ({ id }: SessionSummary) => id
