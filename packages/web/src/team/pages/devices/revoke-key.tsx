import { DevicesService, type EnrolmentKey } from '@holdfast/team/messages'
import { useState } from 'react'
import { Confirm } from '../../../parts/confirm.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { useCall } from '../../act.js'

export function RevokeKey({ of: key, onClose }: { readonly of: EnrolmentKey; readonly onClose: () => void }) {
  const revoke = useCall(DevicesService.method.revokeEnrolmentKey, [
    'ListEnrolmentKeys',
    'ListDevices',
    'GetDevice',
  ])
  const [withDevices, setWithDevices] = useState(key.revoked)
  const name = line(key.note || key.id)
  const go = async () => {
    await revoke({ id: key.id, withDevices })
    onClose()
  }
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action={withDevices ? 'Revoke the key and its devices' : 'Revoke the key'}
      because={key.revoked && !withDevices ? 'The key is already revoked.' : undefined}
      onClose={onClose}
      onConfirm={go}
    >
      <p>It cannot enrol devices any more.</p>
      {key.uses > 0 ? (
        <label>
          <input
            type="checkbox"
            checked={withDevices}
            onChange={event => setWithDevices(event.target.checked)}
          />{' '}
          Also revoke its devices: it was used {count(key.uses, 'time')}
        </label>
      ) : null}
    </Confirm>
  )
}
