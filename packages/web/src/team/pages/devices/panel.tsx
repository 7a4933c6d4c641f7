import { useQuery } from '@connectrpc/connect-query'
import { type Device, DevicesService, type Pinned, RolloutService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Facts } from '../../../parts/facts.js'
import { Done, TextField, Wrong } from '../../../parts/fields.js'
import { Region } from '../../../parts/states.js'
import { When } from '../../../parts/when.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { whole } from '../../../words/time.js'
import { useAct } from '../../act.js'
import { useMay } from '../../context.js'
import { toRelease } from '../../links.js'
import { AddPin } from '../rollout/add-pin.js'
import styles from './panel.module.css'
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
  const gone = isGone ? 'This device has left the team.' : undefined
  const pin = pins.data?.pins.find(
    pinned => pinned.deviceId === device.id || (device.group !== '' && pinned.group === device.group),
  )
  return (
    <div className="stack-wide">
      <div className={styles.state}>
        <DeviceState device={device} />
        <p className="muted">{stateWords(device, Date.now()).meaning}</p>
        {device.looksCloned ? (
          <p className={styles.cloned}>
            Two machines use the identity of this device: its disk or its token was copied. Revoke it, then
            enrol the real machine again.
          </p>
        ) : null}
      </div>
      {device.problems.length > 0 ? (
        <section className="stack">
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
          [
            'Person',
            device.owner ? (
              <Link key="owner" to="/devices" search={{ owner: device.owner }}>
                {line(device.owner)}
              </Link>
            ) : (
              '–'
            ),
          ],
          ['Release', <ReleaseOf key="release" device={device} />],
          ['Ring', line(device.ring) || '–'],
          pin ? ['Pinned', <PinOf key="pin" pin={pin} deviceId={device.id} />] : null,
          ['Last seen', <When key="seen" at={device.lastSeenAt} />],
          ['Unsent', `${count(device.queued, 'record')} on the device`],
          ['System', line(`${device.facts?.operatingSystem ?? ''} ${device.facts?.osVersion ?? ''}`)],
          ['Client', line(device.facts?.clientVersion ?? '')],
          ['Enrolled', `${whole(device.enrolledAt)} by ${line(device.enrolledBy)}`],
          device.tokenExpiresAt ? ['Token expires', whole(device.tokenExpiresAt)] : null,
        ]}
      />
      <p>
        <Link to="/audit" search={{ device: device.id }}>
          Records of this device
        </Link>
      </p>
      <FieldOf
        field="owner"
        label="Person"
        hint="The email address of the owner, for filters. It gives no rights."
        method={DevicesService.method.setDeviceOwner}
        device={device}
        gone={gone}
      />
      <FieldOf
        field="group"
        label="Group"
        hint="Devices of one group can be pinned together."
        method={DevicesService.method.setDeviceGroup}
        device={device}
        gone={gone}
      />
      <section className={styles.actions} aria-label="Actions">
        <Button because={mayPin ?? gone} onClick={() => setOpen('pin')}>
          Pin to a release
        </Button>
        <Button kind="danger" because={mayRevoke ?? gone} onClick={() => setOpen('revoke')}>
          Revoke
        </Button>
      </section>
      {open === 'pin' ? <AddPin device={device} onClose={() => setOpen(null)} /> : null}
      {open === 'revoke' ? <RevokeDevice device={device} onClose={() => setOpen(null)} /> : null}
    </div>
  )
}

function ReleaseOf({ device: { release, wantedRelease } }: { readonly device: Device }) {
  const to = (number: number) => <Link {...toRelease(number)}>{number}</Link>
  return (
    <>
      {release === 0 ? 'none' : to(release)}
      {wantedRelease !== 0 && wantedRelease !== release ? <>, should have {to(wantedRelease)}</> : null}
    </>
  )
}

function PinOf({ pin, deviceId }: { readonly pin: Pinned; readonly deviceId: string }) {
  const may = useMay('RolloutService/Unpin')
  const unpin = useAct(RolloutService.method.unpin, ['ListPins', 'GetDevice', 'ListDevices'])
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
        busy={unpin.busy}
        onClick={() => void unpin.run(pin.deviceId ? { deviceId: pin.deviceId } : { group: pin.group })}
      >
        Unpin
      </Button>
      <Wrong>{unpin.error?.rawMessage}</Wrong>
    </span>
  )
}

interface FieldOfProps {
  readonly field: 'owner' | 'group'
  readonly label: string
  readonly hint: string
  readonly method: typeof DevicesService.method.setDeviceOwner | typeof DevicesService.method.setDeviceGroup
  readonly device: Device
  readonly gone: string | undefined
}

function FieldOf({ field, label, hint, method, device, gone }: FieldOfProps) {
  const may = useMay(`DevicesService/${method.name}`)
  const before = device[field]
  const [text, setText] = useState(before)
  const [isSaved, setSaved] = useState(false)
  const save = useAct(method as typeof DevicesService.method.setDeviceOwner, [
    'GetDevice',
    'ListDevices',
    'CountDevices',
  ])
  const because = may ?? gone
  const isSame = text.trim() === before
  return (
    <form
      className={styles.group}
      onSubmit={event => {
        event.preventDefault()
        if (because === undefined && !isSame)
          void save.run({ id: device.id, [field]: text }).then(answer => setSaved(answer !== undefined))
      }}
    >
      <TextField
        label={label}
        value={text}
        onChange={setText}
        because={because}
        maxLength={field === 'owner' ? 200 : 60}
        hint={hint}
      />
      <Button
        type="submit"
        busy={save.busy}
        because={because ?? (isSame ? 'Change the text first.' : undefined)}
      >
        {text.trim() === '' && before !== ''
          ? `Remove the ${label.toLowerCase()}`
          : `Set the ${label.toLowerCase()}`}
      </Button>
      <Wrong>{save.error?.rawMessage}</Wrong>
      {isSaved && isSame ? <Done>Saved.</Done> : null}
    </form>
  )
}
