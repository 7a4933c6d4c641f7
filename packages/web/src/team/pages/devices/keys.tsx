// The enrolment keys of fleets.

import { useInfiniteQuery } from '@connectrpc/connect-query'
import { DevicesService, type EnrolmentKey } from '@holdfast/team/messages'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Page } from '../../../parts/page.js'
import { Empty, Region } from '../../../parts/states.js'
import { Table } from '../../../parts/table.js'
import { Tabs } from '../../../parts/tabs.js'
import { When } from '../../../parts/when.js'
import { BY_TOKEN } from '../../../shell/by-token.js'
import { figure } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { moment, whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { keyState } from './key-state.js'
import styles from './keys.module.css'
import { NewKey } from './new-key.js'
import { RevokeKey } from './revoke-key.js'
import { DEVICE_TABS } from './tabs.js'

export function EnrolmentKeys() {
  const keys = useInfiniteQuery(
    DevicesService.method.listEnrolmentKeys,
    { pageSize: 100, pageToken: '' },
    BY_TOKEN,
  )
  const [open, setOpen] = useState<'new' | EnrolmentKey | null>(null)
  const mayCreate = useMay('DevicesService/CreateEnrolmentKey')
  return (
    <Page
      title="Enrolment keys"
      tools={<Tabs label="Of devices" tabs={DEVICE_TABS} />}
      actions={
        <Button kind="primary" because={mayCreate} onClick={() => setOpen('new')}>
          New key
        </Button>
      }
    >
      <div className={styles.body}>
        <Region of={keys}>
          {({ pages }) => {
            const all = pages.flatMap(page => page.keys)
            return all.length === 0 ? (
              <Empty
                title="There is no key yet"
                action={
                  <Button because={mayCreate} onClick={() => setOpen('new')}>
                    Make one
                  </Button>
                }
              >
                A key enrols many machines without an approval, for a few hours. One machine does not need a
                key: <code>holdfast login</code> waits for a member's approval.
              </Empty>
            ) : (
              <List keys={all} onRevoke={setOpen} />
            )
          }}
        </Region>
        {keys.hasNextPage ? (
          <Button busy={keys.isFetchingNextPage} onClick={() => void keys.fetchNextPage()}>
            Show older keys
          </Button>
        ) : null}
      </div>
      {open === 'new' ? <NewKey onClose={() => setOpen(null)} /> : null}
      {open !== null && open !== 'new' ? <RevokeKey of={open} onClose={() => setOpen(null)} /> : null}
    </Page>
  )
}

function List({
  keys,
  onRevoke,
}: {
  readonly keys: readonly EnrolmentKey[]
  readonly onRevoke: (key: EnrolmentKey) => void
}) {
  const mayRevoke = useMay('DevicesService/RevokeEnrolmentKey')
  return (
    <Table<EnrolmentKey>
      label="Enrolment keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Key',
          draw: ({ id, note }) => (
            <span className={styles.key}>
              <span>{line(note) || 'without a note'}</span>
              <code className="muted">hfe_{line(id)}_…</code>
            </span>
          ),
        },
        {
          name: 'State',
          width: '150px',
          draw: key => (
            <>
              {keyState(key, Date.now()).words}
              <span className="muted">
                {' '}
                · {figure(key.uses)} of {figure(key.maxUses)}
              </span>
            </>
          ),
        },
        { name: 'Group', width: '100px', draw: ({ group }) => line(group) || '–' },
        {
          name: 'Created',
          width: '190px',
          draw: ({ createdAt, createdBy }) => (
            <>
              <When at={createdAt} /> by {line(createdBy)}
            </>
          ),
        },
        {
          name: 'Until',
          width: '160px',
          draw: ({ expiresAt }) => (
            <time dateTime={expiresAt} title={whole(expiresAt)}>
              {moment(expiresAt)}
            </time>
          ),
        },
        {
          name: 'Revoke',
          quiet: true,
          width: '90px',
          draw: key => (
            <Button
              aria-label={`Revoke ${line(key.note || key.id)}`}
              because={mayRevoke ?? (key.revoked && key.uses === 0 ? 'It is revoked already.' : undefined)}
              onClick={() => onRevoke(key)}
            >
              Revoke
            </Button>
          ),
        },
      ]}
    />
  )
}
