// The dialog that keeps a device or a group on one release.

import { useQuery } from '@connectrpc/connect-query'
import { type Device, DevicesService, RolloutService } from '@holdfast/team/messages'
import { useId, useState } from 'react'
import { Confirm } from '../../../parts/confirm.js'
import { Check, Choice, Choices, TextField } from '../../../parts/fields.js'
import { line } from '../../../words/plain.js'
import { useCall } from '../../act.js'
import { TOUCHED } from './steps.js'

export const ASKED = [...TOUCHED, 'ListPins']

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

interface AddPinProps {
  /** Chosen at first. */
  readonly device?: Device
  readonly onClose: () => void
}

export function AddPin({ device: given, onClose }: AddPinProps) {
  const pin = useCall(RolloutService.method.pin, ASKED)
  const devices = useQuery(DevicesService.method.listDevices, { pageSize: 200 })
  const [kind, setKind] = useState<'device' | 'group'>('device')
  const [who, setWho] = useState(given?.facts?.name || given?.id || '')
  const releases = useQuery(RolloutService.method.listReleases, { pageSize: 50 })
  const signed = (releases.data?.releases ?? []).filter(({ state }) => state !== 'unsigned')
  const [chosen, setChosen] = useState(given?.release ?? 0)
  const release = chosen || (signed[0]?.number ?? 0)
  const [until, setUntil] = useState(() => inDays(7))
  const [reason, setReason] = useState('')
  const list = useId()
  const others = devices.data?.devices.filter(({ id }) => id !== given?.id) ?? []
  // First, as two devices can have one name.
  const all = given ? [given, ...others] : others
  const device = all.find(({ id, facts }) => id === who || facts?.name === who)
  const groups = [...new Set(all.map(({ group }) => group).filter(Boolean))].sort()
  const because =
    signed.length === 0
      ? 'There is no release yet.'
      : who.trim() === ''
        ? `Name a ${kind}.`
        : kind === 'device' && !device
          ? 'No device has this name.'
          : until === ''
            ? 'Enter a date.'
            : undefined
  return (
    <Confirm
      title="Pin a device or a group"
      action={`Pin to release ${release}`}
      kind="primary"
      because={because}
      onClose={onClose}
      onConfirm={() =>
        pin({
          whom:
            kind === 'device'
              ? { case: 'deviceId', value: device!.id }
              : { case: 'group', value: who.trim() },
          release,
          until: new Date(`${until}T23:59:59`).toISOString(),
          reason: reason.trim(),
        }).then(onClose)
      }
    >
      <Choices label="Target">
        <Check kind="radio" name="whom" checked={kind === 'device'} onChange={() => setKind('device')}>
          A device
        </Check>
        <Check kind="radio" name="whom" checked={kind === 'group'} onChange={() => setKind('group')}>
          All devices of a group
        </Check>
      </Choices>
      <TextField
        label={kind === 'device' ? 'Device' : 'Group'}
        value={who}
        list={list}
        autoComplete="off"
        onChange={setWho}
      />
      <datalist id={list}>
        {kind === 'device'
          ? all.map(({ id, facts }) => <option key={id} value={facts?.name || id} />)
          : groups.map(group => <option key={group} value={group} />)}
      </datalist>
      <Choice
        label="Release"
        value={String(release)}
        options={signed.map(({ number, note }) => ({
          value: String(number),
          label: `${number} ${line(note).slice(0, 60)}`,
        }))}
        onChange={value => setChosen(Number(value))}
      />
      <TextField
        label="Until"
        hint="The end of that day, at most a year from now."
        type="date"
        value={until}
        min={inDays(0)}
        max={inDays(365)}
        onChange={setUntil}
      />
      <TextField label="Reason" value={reason} maxLength={500} onChange={setReason} />
    </Confirm>
  )
}
