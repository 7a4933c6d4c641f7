import { useMutation } from '@connectrpc/connect-query'
import { type Device, DevicesService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Confirm } from '../../../parts/confirm.js'
import { TextField } from '../../../parts/fields.js'
import { askAgain } from '../../../shell/touched.js'
import { line } from '../../../words/plain.js'

export function RevokeDevice({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const revoke = useMutation(DevicesService.method.revokeDevice)
  const [reason, setReason] = useState('')
  const name = line(device.facts?.name || device.id)
  const go = async () => {
    await revoke.mutateAsync({ id: device.id, reason })
    askAgain(queries, ['GetDevice', 'ListDevices', 'GetOverview'])
    onClose()
  }
  return (
    <Confirm title={`Revoke ${name}?`} action={`Revoke ${name}`} onClose={onClose} onConfirm={go}>
      <p>
        Its token ends at once: it gets no hooks and can send no records, also not those {device.queued} that
        wait on it. Its past records stay. To bring it back it must be enrolled again.
      </p>
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        maxLength={500}
        hint="Kept with the action. It may be empty."
      />
    </Confirm>
  )
}
