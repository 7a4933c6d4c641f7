import { useMutation, useQuery } from '@connectrpc/connect-query'
import { type Device, RolloutService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Confirm } from '../../../parts/confirm.js'
import { Choice, TextField } from '../../../parts/fields.js'
import { askAgain } from '../../../shell/touched.js'
import { line } from '../../../words/plain.js'

const DAYS = 14

const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

export function PinDevice({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const releases = useQuery(RolloutService.method.listReleases, { pageSize: 50 })
  const pin = useMutation(RolloutService.method.pin)
  const [chosen, setRelease] = useState('')
  const [until, setUntil] = useState(dateIn(DAYS))
  const [reason, setReason] = useState('')
  const known = (releases.data?.releases ?? []).filter(({ state }) => state !== 'unsigned')
  const release = chosen || String(device.release || (known[0]?.number ?? ''))
  const name = line(device.facts?.name || device.id)
  const because =
    known.length === 0
      ? 'There is no release yet.'
      : until === ''
        ? 'Say until when.'
        : reason.trim() === ''
          ? 'Say why: somebody will wonder.'
          : undefined
  const go = async () => {
    await pin.mutateAsync({
      whom: { case: 'deviceId', value: device.id },
      release: Number(release),
      until: `${until}T23:59:59Z`,
      reason: reason.trim(),
    })
    askAgain(queries, ['ListPins', 'GetDevice', 'ListDevices'])
    onClose()
  }
  return (
    <Confirm
      title={`Pin ${name} to a release`}
      action={release ? `Pin it to release ${release} until ${until}` : 'Pin it'}
      kind="primary"
      because={because}
      onClose={onClose}
      onConfirm={go}
    >
      <p className="muted">It stays on this release, whatever is published, until the day is over.</p>
      <Choice
        label="Release"
        value={release}
        onChange={setRelease}
        options={known.map(({ number, note, state }) => ({
          value: String(number),
          label: `${number} · ${state}${note ? ` · ${line(note).slice(0, 60)}` : ''}`,
        }))}
      />
      <TextField label="Until" type="date" value={until} onChange={setUntil} min={dateIn(0)} />
      <TextField label="Reason" value={reason} onChange={setReason} maxLength={500} />
    </Confirm>
  )
}
