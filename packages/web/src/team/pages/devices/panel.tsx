import { ConnectError } from '@connectrpc/connect'
import { useMutation, useQuery } from '@connectrpc/connect-query'
import { type Device, DevicesService, type Pinned, RolloutService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Facts } from '../../../parts/facts.js'
import { Done, TextField, Wrong } from '../../../parts/fields.js'
import { Region } from '../../../parts/states.js'
import { When } from '../../../parts/when.js'
import { askAgain } from '../../../shell/touched.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import styles from './panel.module.css'
import { PinDevice } from './pin.js'
import { RevokeDevice } from './revoke.js'
import { DeviceState } from './state.js'
import { stateWords } from './state-words.js'

export function DevicePanel({ id }: { readonly id: string }) {
  const device = useQuery(DevicesService.method.getDevice, { id })
  return (
    <Region of={device}>{({ device }) => (device ? <Shown key={device.id} device={device} /> : null)}</Region>
  )
}

function Shown({ device }: { readonly device: Device }) {
  const pins = useQuery(RolloutService.method.listPins, { pageSize: 500 })
  const [open, setOpen] = useState<'pin' | 'revoke' | null>(null)
  const mayPin = useMay('RolloutService/Pin')
  const mayRevoke = useMay('DevicesService/RevokeDevice')
  const isGone = device.state === 'revoked' || device.state === 'left'
  const gone = isGone ? 'It is not in the team any more.' : undefined
  const pin = pins.data?.pins.find(
    pinned => pinned.deviceId === device.id || (device.group !== '' && pinned.group === device.group),
  )
  return (
    <div className={styles.panel}>
      <div className={styles.state}>
        <DeviceState device={device} />
        <p className="muted">{stateWords(device, Date.now()).meaning}</p>
        {device.looksCloned ? (
          <p className={styles.cloned}>
            Two machines ask in its name: a disk was copied, or its token was. Revoke it, and enrol the real
            one again.
          </p>
        ) : null}
      </div>
      {device.problems.length > 0 ? (
        <section className={styles.section}>
          <h3>{count(device.problems.length, 'problem')}</h3>
          <ul className={styles.problems}>
            {device.problems.map(problem => (
              <li key={`${problem.code} ${problem.at}`}>
                <strong>{line(problem.code)}</strong> {line(problem.message)}{' '}
                <span className="muted">
                  <When at={problem.at} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <Facts
        facts={[
          ['Release', <ReleaseOf key="release" device={device} />],
          ['Ring', line(device.ring) || '–'],
          pin ? ['Pinned', <PinOf key="pin" pin={pin} deviceId={device.id} />] : null,
          ['Last seen', <When key="seen" at={device.lastSeenAt} />],
          ['Waiting', `${count(device.queued, 'record')} on the device`],
          ['System', line(`${device.facts?.operatingSystem ?? ''} ${device.facts?.osVersion ?? ''}`)],
          ['Client', line(device.facts?.clientVersion ?? '')],
          ['Enrolled', `${whole(device.enrolledAt)} by ${line(device.enrolledBy)}`],
          device.tokenExpiresAt ? ['Token until', whole(device.tokenExpiresAt)] : null,
        ]}
      />
      <p>
        <Link to="/audit" search={{ device: device.id }}>
          Its records in Audit
        </Link>
      </p>
      <GroupOf device={device} gone={gone} />
      <section className={styles.actions} aria-label="What can be done with it">
        <Button because={mayPin ?? gone} onClick={() => setOpen('pin')}>
          Pin it to a release
        </Button>
        <Button kind="danger" because={mayRevoke ?? gone} onClick={() => setOpen('revoke')}>
          Revoke it
        </Button>
      </section>
      {open === 'pin' ? <PinDevice device={device} onClose={() => setOpen(null)} /> : null}
      {open === 'revoke' ? <RevokeDevice device={device} onClose={() => setOpen(null)} /> : null}
    </div>
  )
}

function ReleaseOf({ device: { release, wantedRelease } }: { readonly device: Device }) {
  const to = (number: number) => <Link to={`/rollout/${number}` as never}>{number}</Link>
  return (
    <>
      {release === 0 ? 'none' : to(release)}
      {wantedRelease !== 0 && wantedRelease !== release ? <>, should have {to(wantedRelease)}</> : null}
    </>
  )
}

function PinOf({ pin, deviceId }: { readonly pin: Pinned; readonly deviceId: string }) {
  const may = useMay('RolloutService/Unpin')
  const queries = useQueryClient()
  const unpin = useMutation(RolloutService.method.unpin, {
    onSuccess: () => askAgain(queries, ['ListPins', 'GetDevice', 'ListDevices']),
  })
  const whom = pin.deviceId === deviceId ? '' : ` with the group ${line(pin.group)}`
  return (
    <span className={styles.pin}>
      <span>
        to release {pin.release}
        {whom} until {whole(pin.until)} by {line(pin.by)}
        {pin.reason ? `: ${line(pin.reason)}` : ''}
      </span>
      <Button
        because={may}
        busy={unpin.isPending}
        onClick={() => unpin.mutate(pin.deviceId ? { deviceId: pin.deviceId } : { group: pin.group })}
      >
        Unpin
      </Button>
      <Wrong>{unpin.error ? ConnectError.from(unpin.error).rawMessage : ''}</Wrong>
    </span>
  )
}

function GroupOf({ device, gone }: { readonly device: Device; readonly gone: string | undefined }) {
  const may = useMay('DevicesService/SetDeviceGroup')
  const queries = useQueryClient()
  const [group, setGroup] = useState(device.group)
  const save = useMutation(DevicesService.method.setDeviceGroup, {
    onSuccess: () => askAgain(queries, ['GetDevice', 'ListDevices']),
  })
  const because = may ?? gone
  const isSame = group.trim() === device.group
  return (
    <form
      className={styles.group}
      onSubmit={event => {
        event.preventDefault()
        if (because === undefined && !isSame) save.mutate({ id: device.id, group })
      }}
    >
      <TextField
        label="Group"
        value={group}
        onChange={setGroup}
        because={because}
        maxLength={60}
        hint="Devices of one group can be pinned together."
      />
      <Button
        type="submit"
        busy={save.isPending}
        because={because ?? (isSame ? 'It is in this group already.' : undefined)}
      >
        {group.trim() === '' && device.group !== '' ? 'Take it out of its group' : 'Set the group'}
      </Button>
      <Wrong>{save.error ? ConnectError.from(save.error).rawMessage : ''}</Wrong>
      {save.isSuccess && isSame ? <Done>Saved.</Done> : null}
    </form>
  )
}
