// Devices and groups that stay on a release until a date.

import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { DevicesService, type Pinned, type Release, RolloutService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Check, Choices, Field } from '../../../parts/fields.js'
import { Empty, Region } from '../../../parts/states.js'
import { Table } from '../../../parts/table.js'
import { Dialog } from '../../../shell/dialog.js'
import { line } from '../../../words/plain.js'
import { brief, whole } from '../../../words/time.js'
import { useAct } from '../../act.js'
import { useMay } from '../../context.js'
import styles from './rollout.module.css'
import { TOUCHED } from './steps.js'

const ASKED = [...TOUCHED, 'ListPins']

export function Pins({ releases }: { readonly releases: readonly Release[] }) {
  const mayNot = useMay('RolloutService/Pin')
  const mayNotUnpin = useMay('RolloutService/Unpin')
  const [isAdding, setAdding] = useState(false)
  const [gone, setGone] = useState<Pinned>()
  const pins = useInfiniteQuery(
    RolloutService.method.listPins,
    { pageSize: 100, pageToken: '' },
    { pageParamKey: 'pageToken', getNextPageParam: page => page.nextPageToken || undefined },
  )
  const devices = useQuery(DevicesService.method.listDevices, { pageSize: 200 })
  const nameOf = (id: string) =>
    line(devices.data?.devices.find(device => device.id === id)?.facts?.name || id)
  const add = (
    <Button
      because={mayNot ?? (releases.length === 0 ? 'Nothing was released yet.' : undefined)}
      onClick={() => setAdding(true)}
    >
      Pin a device or a group
    </Button>
  )
  return (
    <section className={styles.form}>
      <Region of={pins}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.pins)
          if (all.length === 0)
            return (
              <Empty title="Nothing is pinned" action={add}>
                A pin keeps a device, or all devices of a group, on one release until a date, whatever is
                published meanwhile.
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
                    name: 'Who',
                    draw: pin =>
                      pin.group ? (
                        <>group {line(pin.group)}</>
                      ) : (
                        <Link to="/devices" search={{ device: pin.deviceId } as never}>
                          {nameOf(pin.deviceId)}
                        </Link>
                      ),
                  },
                  {
                    name: 'Release',
                    width: '90px',
                    draw: ({ release }) => <Link to={`/rollout/${release}`}>{release}</Link>,
                  },
                  {
                    name: 'Until',
                    width: '110px',
                    draw: ({ until }) => (
                      <time dateTime={until} title={whole(until)}>
                        {Date.parse(until) < Date.now() ? 'over' : brief(until)}
                      </time>
                    ),
                  },
                  { name: 'Why', draw: ({ reason }) => line(reason) || '–' },
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
            More
          </Button>
        </div>
      ) : null}
      {isAdding ? <AddPin releases={releases} onClose={() => setAdding(false)} /> : null}
      {gone ? (
        <Unpin pin={gone} name={gone.group || nameOf(gone.deviceId)} onClose={() => setGone(undefined)} />
      ) : null}
    </section>
  )
}

function Unpin({
  pin,
  name,
  onClose,
}: {
  readonly pin: Pinned
  readonly name: string
  readonly onClose: () => void
}) {
  const unpin = useAct(RolloutService.method.unpin, ASKED)
  return (
    <Dialog title={`Unpin ${pin.group ? 'the group ' : ''}${name}?`} onClose={onClose}>
      <div className={styles.form}>
        <p className="muted">It leaves release {pin.release} and takes what its ring has.</p>
        {unpin.error ? <p role="alert">{unpin.error.rawMessage}</p> : null}
        <div className={styles.buttons}>
          <Button
            kind="primary"
            busy={unpin.busy}
            onClick={async () => {
              if (await unpin.run({ deviceId: pin.deviceId, group: pin.group })) onClose()
            }}
          >
            Unpin
          </Button>
          <Button onClick={onClose}>Keep it</Button>
        </div>
      </div>
    </Dialog>
  )
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

function AddPin({
  releases,
  onClose,
}: {
  readonly releases: readonly Release[]
  readonly onClose: () => void
}) {
  const pin = useAct(RolloutService.method.pin, ASKED)
  const devices = useQuery(DevicesService.method.listDevices, { pageSize: 200 })
  const [kind, setKind] = useState<'device' | 'group'>('device')
  const [who, setWho] = useState('')
  const signed = releases.filter(({ state }) => state !== 'unsigned')
  const [release, setRelease] = useState(signed[0]?.number ?? 0)
  const [until, setUntil] = useState(() => inDays(7))
  const [reason, setReason] = useState('')
  const list = useId()
  const all = devices.data?.devices ?? []
  const device = all.find(({ id, facts }) => id === who || facts?.name === who)
  const groups = [...new Set(all.map(({ group }) => group).filter(Boolean))].sort()
  const because =
    who.trim() === ''
      ? `Name a ${kind}.`
      : kind === 'device' && !device
        ? 'No device has this name.'
        : until === ''
          ? 'Say until when.'
          : undefined
  return (
    <Dialog title="Pin a device or a group" onClose={onClose}>
      <div className={styles.form}>
        <Choices label="Who">
          <Check kind="radio" name="whom" checked={kind === 'device'} onChange={() => setKind('device')}>
            a device
          </Check>
          <Check kind="radio" name="whom" checked={kind === 'group'} onChange={() => setKind('group')}>
            all devices of a group
          </Check>
        </Choices>
        <Field label={kind === 'device' ? 'Device' : 'Group'}>
          {ids => (
            <>
              <input
                {...ids}
                value={who}
                list={list}
                autoComplete="off"
                onChange={event => setWho(event.target.value)}
              />
              <datalist id={list}>
                {kind === 'device'
                  ? all.map(({ id, facts }) => <option key={id} value={facts?.name || id} />)
                  : groups.map(group => <option key={group} value={group} />)}
              </datalist>
            </>
          )}
        </Field>
        <Field label="Release">
          {ids => (
            <select {...ids} value={release} onChange={event => setRelease(Number(event.target.value))}>
              {signed.map(({ number, note }) => (
                <option key={number} value={number}>
                  {number} {line(note).slice(0, 60)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Until" hint="The end of that day, at most a year from now.">
          {ids => (
            <input
              {...ids}
              type="date"
              value={until}
              min={inDays(0)}
              max={inDays(365)}
              onChange={event => setUntil(event.target.value)}
            />
          )}
        </Field>
        <Field label="Why">
          {ids => (
            <input
              {...ids}
              value={reason}
              maxLength={500}
              onChange={event => setReason(event.target.value)}
            />
          )}
        </Field>
        {pin.error ? (
          <p className={styles.strip} data-tone="deny" role="alert">
            {pin.error.rawMessage || 'The server did not answer.'}
          </p>
        ) : null}
        <div className={styles.buttons}>
          <Button
            kind="primary"
            because={because}
            busy={pin.busy}
            onClick={async () => {
              const whom =
                kind === 'device'
                  ? ({ case: 'deviceId', value: device!.id } as const)
                  : ({ case: 'group', value: who.trim() } as const)
              const end = new Date(`${until}T23:59:59`).toISOString()
              if (await pin.run({ whom, release, until: end, reason: reason.trim() })) onClose()
            }}
          >
            Pin to release {release}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  )
}
