import { type Device, DevicesService } from '@holdfast/team/messages'
import { useState } from 'react'
import { Confirm } from '../../../parts/confirm.js'
import { TextField } from '../../../parts/fields.js'
import { line } from '../../../words/plain.js'
import { useCall } from '../../act.js'

export function RevokeDevice({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const revoke = useCall(DevicesService.method.revokeDevice, ['GetDevice', 'ListDevices', 'GetOverview'])
  const [reason, setReason] = useState('')
  const name = line(device.facts?.name || device.id)
  const go = async () => {
    await revoke({ id: device.id, reason })
    onClose()
  }
  return (
    <Confirm title={`Revoke ${name}?`} action={`Revoke ${name}`} onClose={onClose} onConfirm={go}>
      <p>
        Its token ends immediately: it receives no hooks and cannot send records, including {device.queued}{' '}
        that wait on it. Its past records remain. To use it again, enrol it again.
      </p>
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        maxLength={500}
        hint="Stored with the action. Optional."
      />
    </Confirm>
  )
}
