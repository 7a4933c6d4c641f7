// Devices and groups that stay on a release until a date.

import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { DevicesService, type Pinned, type Release, RolloutService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Confirm } from '../../../parts/confirm.js'
import { Empty, Region } from '../../../parts/states.js'
import { Table } from '../../../parts/table.js'
import { BY_TOKEN } from '../../../shell/by-token.js'
import { line } from '../../../words/plain.js'
import { brief, whole } from '../../../words/time.js'
import { useCall } from '../../act.js'
import { useMay } from '../../context.js'
import { toDevice, toRelease } from '../../links.js'
import { AddPin, ASKED } from './add-pin.js'
import styles from './rollout.module.css'

export function Pins({ releases }: { readonly releases: readonly Release[] }) {
  const mayNot = useMay('RolloutService/Pin')
  const mayNotUnpin = useMay('RolloutService/Unpin')
  const [isAdding, setAdding] = useState(false)
  const [gone, setGone] = useState<Pinned>()
  const pins = useInfiniteQuery(RolloutService.method.listPins, { pageSize: 100, pageToken: '' }, BY_TOKEN)
  const devices = useQuery(DevicesService.method.listDevices, { pageSize: 200 })
  const nameOf = (id: string) =>
    line(devices.data?.devices.find(device => device.id === id)?.facts?.name || id)
  const add = (
    <Button
      because={mayNot ?? (releases.length === 0 ? 'There is no release yet.' : undefined)}
      onClick={() => setAdding(true)}
    >
      Pin a device or a group
    </Button>
  )
  return (
    <section className="stack-loose">
      <Region of={pins}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.pins)
          if (all.length === 0)
            return (
              <Empty title="No pins" action={add}>
                A pin keeps a device, or all devices of a group, on one release until a date. New releases do
                not change them.
              </Empty>
            )
          return (
            <>
              <div className={styles.buttons}>{add}</div>
              <Table<Pinned>
                label="Pins"
                rows={all}
                keyOf={pin => `${pin.deviceId} ${pin.group}`}
                columns={[
                  {
                    name: 'Target',
                    draw: pin =>
                      pin.group ? (
                        <>group {line(pin.group)}</>
                      ) : (
                        <Link {...toDevice(pin.deviceId)}>{nameOf(pin.deviceId)}</Link>
                      ),
                  },
                  {
                    name: 'Release',
                    width: '90px',
                    draw: ({ release }) => <Link {...toRelease(release)}>{release}</Link>,
                  },
                  {
                    name: 'Until',
                    width: '110px',
                    draw: ({ until }) => (
                      <time dateTime={until} title={whole(until)}>
                        {Date.parse(until) < Date.now() ? 'expired' : brief(until)}
                      </time>
                    ),
                  },
                  { name: 'Reason', draw: ({ reason }) => line(reason) || '–' },
                  { name: 'By', draw: ({ by }) => line(by) },
                  {
                    name: 'Unpin',
                    quiet: true,
                    width: '90px',
                    draw: pin => (
                      <Button because={mayNotUnpin} onClick={() => setGone(pin)}>
                        Unpin
                      </Button>
                    ),
                  },
                ]}
              />
            </>
          )
        }}
      </Region>
      {pins.hasNextPage ? (
        <div className={styles.buttons}>
          <Button busy={pins.isFetchingNextPage} onClick={() => void pins.fetchNextPage()}>
            Show more pins
          </Button>
        </div>
      ) : null}
      {isAdding ? <AddPin onClose={() => setAdding(false)} /> : null}
      {gone ? (
        <Unpin pin={gone} name={gone.group || nameOf(gone.deviceId)} onClose={() => setGone(undefined)} />
      ) : null}
    </section>
  )
}

function Unpin({
  pin: { deviceId, group, release },
  name,
  onClose,
}: {
  readonly pin: Pinned
  readonly name: string
  readonly onClose: () => void
}) {
  const unpin = useCall(RolloutService.method.unpin, ASKED)
  return (
    <Confirm
      title={`Unpin ${group ? 'the group ' : ''}${name}?`}
      action="Unpin"
      kind="primary"
      onClose={onClose}
      onConfirm={() => unpin({ deviceId, group }).then(onClose)}
    >
      <p className="muted">It leaves release {release} and receives the release of its ring.</p>
    </Confirm>
  )
}
