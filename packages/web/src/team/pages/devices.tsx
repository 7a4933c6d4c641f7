import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { type Device, DevicesService, HooksService } from '@holdfast/team/messages'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../parts/button.js'
import { Cell } from '../../parts/cells.js'
import { Filters, SearchField } from '../../parts/filters.js'
import { Page, Side } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { Empty, Filtered, Loading, Region } from '../../parts/states.js'
import { Tabs } from '../../parts/tabs.js'
import two from '../../parts/two-lines.module.css'
import { When } from '../../parts/when.js'
import { BY_TOKEN } from '../../shell/by-token.js'
import { useCommands } from '../../shell/commands.js'
import { withTexts } from '../../shell/search.js'
import { figure, rough } from '../../words/number.js'
import { line } from '../../words/plain.js'
import { devices as devicesRoute } from '../routes.js'
import { DeviceState } from './devices/state.js'
import { StateChips } from './devices/state-chips.js'
import { DEVICE_TABS } from './devices/tabs.js'
import styles from './devices.module.css'

const PAGE = 200

// Loaded with the first device, and with the first enrolment.
const DevicePanel = lazy(() =>
  import('./devices/panel.js').then(({ DevicePanel }) => ({ default: DevicePanel })),
)
const Enrol = lazy(() => import('./devices/enrol.js').then(({ Enrol }) => ({ default: Enrol })))

export function Devices() {
  const search = devicesRoute.useSearch()
  const navigate = devicesRoute.useNavigate()
  const [isEnrolling, setEnrolling] = useState(false)
  const {
    state = '',
    group = '',
    q = '',
    release = '',
    ring = '',
    owner = '',
    hook = '',
    revision = '',
  } = search
  const lacks = search.has === 'no'
  const devices = useInfiniteQuery(
    DevicesService.method.listDevices,
    {
      pageSize: PAGE,
      pageToken: '',
      query: q,
      state,
      group,
      release: Number(release) || 0,
      ring,
      owner,
      ...(Number(hook) > 0 ? { hook: { hookId: Number(hook), revision: Number(revision) || 0, lacks } } : {}),
    },
    BY_TOKEN,
  )
  const narrow = (changes: Readonly<Partial<Record<keyof typeof search, string>>>) =>
    void navigate({ search: withTexts(search, { ...changes, device: undefined }), replace: true })
  const open = (device: string | undefined) => void navigate({ search: withTexts(search, { device }) })
  const clear = () => void navigate({ search: {}, replace: true })
  useCommands([{ label: 'Enrol a device', kind: 'command', run: () => setEnrolling(true) }])
  const counts = useQuery(DevicesService.method.countDevices, {})
  const first = devices.data?.pages[0]
  const groups = counts.data?.groups.map(({ name }) => name).filter(Boolean) ?? []
  const isNarrowed = [state, group, q, release, ring, owner, hook].some(text => text !== '')
  return (
    <Page
      title="Devices"
      fixed
      actions={
        <Button kind="primary" onClick={() => setEnrolling(true)}>
          Enrol a device
        </Button>
      }
      tools={
        <>
          <Tabs label="Devices" tabs={DEVICE_TABS} />
          <Filters
            search={<SearchField label="Search devices" value={q} onChange={q => narrow({ q })} />}
            onClear={isNarrowed ? clear : undefined}
          >
            <StateChips
              counts={counts.data?.states}
              chosen={state}
              onChoose={chosen => narrow({ state: chosen })}
            />
            {groups.length > 0 || group !== '' ? (
              <select
                aria-label="Group"
                value={group}
                onChange={event => narrow({ group: event.target.value })}
              >
                <option value="">Any group</option>
                {[...new Set([...groups, ...(group ? [group] : [])])].map(name => (
                  <option key={name} value={name}>
                    {line(name)}
                  </option>
                ))}
              </select>
            ) : null}
            {release === '' ? null : (
              <Chip label={`Release ${line(release)}`} onRemove={() => narrow({ release: '' })} />
            )}
            {owner === '' ? null : <Chip label={line(owner)} onRemove={() => narrow({ owner: '' })} />}
            {ring === '' ? null : <Chip label={`Ring ${line(ring)}`} onRemove={() => narrow({ ring: '' })} />}
            {hook === '' ? null : (
              <HookChip
                id={Number(hook)}
                words={`${lacks ? 'Without' : 'With'}${revision === '' ? '' : ` revision ${revision} of`}`}
                onRemove={() => narrow({ hook: '', revision: '', has: '' })}
              />
            )}
          </Filters>
        </>
      }
      side={
        search.device ? (
          <Side
            label="Device"
            onClose={() => open(undefined)}
            head={
              <DeviceHead id={search.device} devices={devices.data?.pages.flatMap(page => page.devices)} />
            }
          >
            <Suspense fallback={<Loading />}>
              <DevicePanel id={search.device} />
            </Suspense>
          </Side>
        ) : null
      }
    >
      <Region of={devices}>
        {({ pages }) => {
          const rows = pages.flatMap(page => page.devices)
          if (rows.length === 0)
            return isNarrowed ? (
              <Filtered what="devices" onClear={clear} />
            ) : (
              <Empty
                title="No devices yet"
                action={<Button onClick={() => setEnrolling(true)}>Enrol a device</Button>}
              >
                Devices download the hooks of the team and send records. A user enrols one machine; an
                enrolment key enrols many.
              </Empty>
            )
          return (
            <Rows<Device>
              label="Devices"
              rows={rows}
              total={first?.total ?? rows.length}
              keyOf={({ id }) => id}
              chosen={search.device}
              onChoose={open}
              onEnd={devices.hasNextPage ? () => void devices.fetchNextPage() : undefined}
              narrowHeight={52}
              rowClass={`${styles.columns} ${two.row}`}
              head={COLUMNS.map(({ name, className }) => (
                <Cell key={name} head className={className}>
                  {name}
                </Cell>
              ))}
              draw={device =>
                COLUMNS.map(({ name, className, draw }) => (
                  <Cell key={name} className={className}>
                    {draw(device)}
                  </Cell>
                ))
              }
            />
          )
        }}
      </Region>
      <Suspense>{isEnrolling ? <Enrol onClose={() => setEnrolling(false)} /> : null}</Suspense>
    </Page>
  )
}

const Chip = ({ label, onRemove }: { readonly label: string; readonly onRemove: () => void }) => (
  <Button onClick={onRemove} aria-label={`Remove the filter: ${label}`}>
    {label} ×
  </Button>
)

function HookChip({
  id,
  words,
  onRemove,
}: {
  readonly id: number
  readonly words: string
  readonly onRemove: () => void
}) {
  const hook = useQuery(HooksService.method.getHook, { id })
  return <Chip label={`${words} ${line(hook.data?.hook?.name ?? `hook ${id}`)}`} onRemove={onRemove} />
}

const COLUMNS: readonly {
  readonly name: string
  readonly className?: string | undefined
  readonly draw: (device: Device) => React.ReactNode
}[] = [
  { name: 'Name', className: `${styles.name} ${two.main}`, draw: ({ facts, id }) => line(facts?.name || id) },
  { name: 'Person', className: styles.owner, draw: ({ owner }) => line(owner) || '–' },
  { name: 'State', className: two.below, draw: device => <DeviceState device={device} /> },
  {
    name: 'Release',
    className: styles.release,
    draw: ({ release }) => (release === 0 ? '–' : figure(release)),
  },
  { name: 'Ring', className: styles.ring, draw: ({ ring }) => line(ring) || '–' },
  { name: 'Group', className: styles.groupCell, draw: ({ group }) => line(group) || '–' },
  {
    name: 'System',
    className: styles.system,
    draw: ({ facts }) => line(`${facts?.operatingSystem ?? ''} ${facts?.osVersion ?? ''}`),
  },
  {
    name: 'Unsent',
    className: styles.queue,
    draw: ({ queued }) => rough(queued),
  },
  {
    name: 'Last seen',
    className: `${styles.seen} ${two.end}`,
    draw: ({ lastSeenAt }) => <When at={lastSeenAt} />,
  },
]

const DeviceHead = ({
  id,
  devices,
}: {
  readonly id: string
  readonly devices: readonly Device[] | undefined
}) => (
  <>
    <h2>{line(devices?.find(device => device.id === id)?.facts?.name || 'Device')}</h2>
    <code className="muted">{line(id)}</code>
  </>
)
