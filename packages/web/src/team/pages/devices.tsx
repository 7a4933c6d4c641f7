import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { type Device, DevicesService } from '@holdfast/team/messages'
import { useState } from 'react'
import { Button } from '../../parts/button.js'
import { Cell } from '../../parts/cells.js'
import { Filters, SearchField } from '../../parts/filters.js'
import { Page, Side } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { Empty, Filtered, Region } from '../../parts/states.js'
import { Tabs } from '../../parts/tabs.js'
import two from '../../parts/two-lines.module.css'
import { When } from '../../parts/when.js'
import { useCommands } from '../../shell/commands.js'
import { withTexts } from '../../shell/search.js'
import { figure, rough } from '../../words/number.js'
import { line } from '../../words/plain.js'
import { devices as devicesRoute } from '../routes.js'
import { Enrol } from './devices/enrol.js'
import { DevicePanel } from './devices/panel.js'
import { DeviceState } from './devices/state.js'
import { StateChips } from './devices/state-chips.js'
import { DEVICE_TABS } from './devices/tabs.js'
import styles from './devices.module.css'

const PAGE = 200

export function Devices() {
  const search = devicesRoute.useSearch()
  const navigate = devicesRoute.useNavigate()
  const [isEnrolling, setEnrolling] = useState(false)
  const { state = '', group = '', q = '', release = '' } = search
  const devices = useInfiniteQuery(
    DevicesService.method.listDevices,
    { pageSize: PAGE, pageToken: '', query: q, state, group, release: Number(release) || 0 },
    { pageParamKey: 'pageToken', getNextPageParam: page => page.nextPageToken || undefined },
  )
  const narrow = (changes: Readonly<Partial<Record<keyof typeof search, string>>>) =>
    void navigate({ search: withTexts(search, { ...changes, device: undefined }), replace: true })
  const open = (device: string | undefined) => void navigate({ search: withTexts(search, { device }) })
  const clear = () => void navigate({ search: {}, replace: true })
  useCommands([{ label: 'Enrol a device', kind: 'command', run: () => setEnrolling(true) }])
  const counts = useQuery(DevicesService.method.countDevices, {})
  const first = devices.data?.pages[0]
  const groups = counts.data?.groups.map(({ name }) => name).filter(Boolean) ?? []
  const isNarrowed = [state, group, q, release].some(text => text !== '')
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
          <Tabs label="Of devices" tabs={DEVICE_TABS} />
          <Filters
            search={
              <SearchField
                label="Search by name, id or who enrolled it"
                value={q}
                onChange={q => narrow({ q })}
              />
            }
            onClear={isNarrowed ? clear : undefined}
          >
            <StateChips
              counts={counts.data?.states}
              chosen={state}
              onChoose={chosen => narrow({ state: chosen })}
            />
            {groups.length > 0 || group !== '' ? (
              <select
                className={styles.group}
                aria-label="Group"
                value={group}
                onChange={event => narrow({ group: event.target.value })}
              >
                <option value="">Group any</option>
                {[...new Set([...groups, ...(group ? [group] : [])])].map(name => (
                  <option key={name} value={name}>
                    {line(name)}
                  </option>
                ))}
              </select>
            ) : null}
            {release !== '' ? (
              <Button
                onClick={() => narrow({ release: '' })}
                aria-label={`No longer only release ${release}`}
              >
                Release {line(release)} ×
              </Button>
            ) : null}
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
            <DevicePanel id={search.device} />
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
                title="No device is enrolled yet"
                action={<Button onClick={() => setEnrolling(true)}>Show how</Button>}
              >
                A device takes the team’s hooks and sends what they did. One person lets one machine in, or a
                key lets in a fleet.
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
      {isEnrolling ? <Enrol onClose={() => setEnrolling(false)} /> : null}
    </Page>
  )
}

const COLUMNS: readonly {
  readonly name: string
  readonly className?: string | undefined
  readonly draw: (device: Device) => React.ReactNode
}[] = [
  { name: 'Name', className: `${styles.name} ${two.main}`, draw: ({ facts, id }) => line(facts?.name || id) },
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
    name: 'Waiting',
    className: styles.queue,
    draw: ({ queued, problems }) => (
      <>
        {rough(queued)}
        {problems.length > 0 ? (
          <span className={styles.problems}>
            {' '}
            · {problems.length} {problems.length === 1 ? 'problem' : 'problems'}
          </span>
        ) : null}
      </>
    ),
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
