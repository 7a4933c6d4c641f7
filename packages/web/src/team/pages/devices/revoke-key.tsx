import { useMutation } from '@connectrpc/connect-query'
import { DevicesService, type EnrolmentKey } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Confirm } from '../../../parts/confirm.js'
import { askAgain } from '../../../shell/touched.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'

export function RevokeKey({ of: key, onClose }: { readonly of: EnrolmentKey; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const revoke = useMutation(DevicesService.method.revokeEnrolmentKey)
  const [withDevices, setWithDevices] = useState(key.revoked)
  const name = line(key.note || key.id)
  const go = async () => {
    await revoke.mutateAsync({ id: key.id, withDevices })
    askAgain(queries, ['ListEnrolmentKeys', 'ListDevices', 'GetDevice'])
    onClose()
  }
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action={withDevices ? 'Revoke the key and its devices' : 'Revoke the key'}
      because={key.revoked && !withDevices ? 'The key itself is revoked already.' : undefined}
      onClose={onClose}
      onConfirm={go}
    >
      <p>Nobody comes in by it any more.</p>
      {key.uses > 0 ? (
        <label>
          <input
            type="checkbox"
            checked={withDevices}
            onChange={event => setWithDevices(event.target.checked)}
          />{' '}
          Revoke as well the devices that came in by it: it was used {count(key.uses, 'time')}
        </label>
      ) : null}
    </Confirm>
  )
}
