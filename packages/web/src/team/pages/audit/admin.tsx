// What people did on the server, newest first, and whether the chain that proves it is whole.

import { useInfiniteQuery } from '@connectrpc/connect-query'
import { type AdminAction, AuditService } from '@holdfast/team/messages'
import { useMemo } from 'react'
import { Cell } from '../../../parts/cells.js'
import { Filters, SearchField } from '../../../parts/filters.js'
import { Page, Side } from '../../../parts/page.js'
import { Rows } from '../../../parts/rows.js'
import { Empty, Filtered, Region } from '../../../parts/states.js'
import { Tabs } from '../../../parts/tabs.js'
import { withTexts } from '../../../shell/search.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { stamp, whole } from '../../../words/time.js'
import { adminActions } from '../../routes.js'
import { ActionDetail } from './action.js'
import { actionWords } from './action-words.js'
import styles from './admin.module.css'
import { Chain } from './chain.js'
import { AUDIT_TABS } from './tabs.js'

export function AdminActions() {
  const search = adminActions.useSearch()
  const navigate = adminActions.useNavigate()
  const withMachines = search.machines === 'shown'
  const actions = useInfiniteQuery(
    AuditService.method.listAdminActions,
    { pageSize: 200, pageToken: '', query: search.q ?? '', peopleOnly: !withMachines },
    { pageParamKey: 'pageToken', getNextPageParam: page => page.nextPageToken || undefined },
  )
  const rows = useMemo(() => actions.data?.pages.flatMap(page => page.actions) ?? [], [actions.data])
  const hidden = actions.data?.pages[0]?.hidden ?? 0
  const open = (action: string | undefined) => void navigate({ search: withTexts(search, { action }) })
  const narrow = (change: { readonly q?: string; readonly machines?: string | undefined }) =>
    void navigate({ search: withTexts(search, { ...change, action: undefined }), replace: true })
  const chosen = rows.find(({ seq }) => String(seq) === search.action)
  return (
    <Page
      title="Audit"
      fixed
      tools={
        <>
          <Tabs label="Audit" tabs={AUDIT_TABS} />
          <Chain />
          <Filters
            search={
              <SearchField
                label="Search by who, what or whom"
                value={search.q ?? ''}
                onChange={q => narrow({ q })}
              />
            }
            onClear={search.q ? () => narrow({ q: '' }) : undefined}
          >
            <label className={styles.machines}>
              <input
                type="checkbox"
                checked={withMachines}
                onChange={event => narrow({ machines: event.target.checked ? 'shown' : undefined })}
              />{' '}
              {withMachines
                ? 'With what the server and devices did'
                : `Show what the server and devices did${hidden > 0 ? `: ${count(hidden, 'action')}` : ''}`}
            </label>
          </Filters>
        </>
      }
      side={
        search.action ? (
          <Side label="Action" onClose={() => open(undefined)} head={<h2>Action {line(search.action)}</h2>}>
            {chosen ? (
              <ActionDetail action={chosen} />
            ) : (
              <p className="muted">It is not among those that are listed.</p>
            )}
          </Side>
        ) : null
      }
    >
      <Region of={actions}>
        {() =>
          rows.length === 0 ? (
            search.q ? (
              <Filtered what="actions" onClear={() => narrow({ q: '' })} />
            ) : (
              <Empty title="Nobody did anything yet">
                {hidden > 0 ? `${count(hidden, 'action')} of the server and of devices are hidden.` : null}
              </Empty>
            )
          ) : (
            <Rows<AdminAction>
              label="Admin actions"
              rows={rows}
              keyOf={keyOf}
              chosen={search.action}
              onChoose={open}
              onEnd={actions.hasNextPage ? () => void actions.fetchNextPage() : undefined}
              total={actions.hasNextPage ? null : undefined}
              narrowHeight={52}
              rowClass={styles.columns!}
              head={HEAD}
              draw={draw}
            />
          )
        }
      </Region>
    </Page>
  )
}

const keyOf = ({ seq }: AdminAction) => String(seq)

const HEAD = (
  <>
    <Cell head className={styles.seq}>
      No.
    </Cell>
    <Cell head className={styles.time}>
      Time
    </Cell>
    <Cell head className={styles.actor}>
      Who
    </Cell>
    <Cell head className={styles.what}>
      What
    </Cell>
  </>
)

const draw = ({ seq, at, actor, action, subject }: AdminAction) => (
  <>
    <Cell className={styles.seq}>{seq}</Cell>
    <Cell className={styles.time} title={at ? whole(at) : undefined}>
      {stamp(at)}
    </Cell>
    <Cell className={styles.actor}>{line(actor)}</Cell>
    <Cell className={styles.what} title={line(`${actionWords(action)} ${subject}`)}>
      {actionWords(action)} <strong>{line(subject)}</strong>
    </Cell>
  </>
)
