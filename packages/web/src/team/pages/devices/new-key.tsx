import { DevicesService } from '@holdfast/team/messages'
import { useState } from 'react'
import { Confirm, Info } from '../../../parts/confirm.js'
import { Copy } from '../../../parts/copy.js'
import { TextField } from '../../../parts/fields.js'
import { count } from '../../../words/number.js'
import { useCall } from '../../act.js'
import { useServer } from '../../server.js'

const whole = (text: string) => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : 0)

export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const create = useCall(DevicesService.method.createEnrolmentKey, ['ListEnrolmentKeys'])
  const [note, setNote] = useState('')
  const [group, setGroup] = useState('')
  const [hours, setHours] = useState('24')
  const [uses, setUses] = useState('10')
  const [secret, setSecret] = useState('')
  if (secret) return <Made secret={secret} onClose={onClose} />
  const wrong =
    whole(hours) < 1 || whole(hours) > 168
      ? 'Hours are 1 to 168.'
      : whole(uses) < 1 || whole(uses) > 100_000
        ? 'Devices are 1 to 100,000.'
        : undefined
  const go = async () => {
    const made = await create({ note, group, hours: whole(hours), maxUses: whole(uses) })
    setSecret(made.secret)
  }
  return (
    <Confirm
      title="New enrolment key"
      action={
        wrong
          ? 'Create the key'
          : `Create a key for ${count(whole(uses), 'device')} and ${count(whole(hours), 'hour')}`
      }
      kind="primary"
      because={wrong}
      onClose={onClose}
      onConfirm={go}
    >
      <TextField
        label="Note"
        value={note}
        onChange={setNote}
        maxLength={200}
        hint="The purpose, such as “laptops of November”."
      />
      <TextField
        label="Expires after"
        type="number"
        min={1}
        max={168}
        value={hours}
        onChange={setHours}
        unit="hours"
        hint="At most a week."
      />
      <TextField label="Limit" type="number" min={1} value={uses} onChange={setUses} unit="devices" />
      <TextField
        label="Group"
        value={group}
        onChange={setGroup}
        maxLength={60}
        hint="The group of these devices. Optional."
      />
    </Confirm>
  )
}

function Made({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const { url } = useServer()
  return (
    <Info title="The key is ready" onClose={onClose}>
      <p>It is shown once. It contains the identity of this team, so that devices join no other team.</p>
      <Copy label="the key" text={secret} />
      <h3>On each machine</h3>
      <Copy label="the command" text={`HOLDFAST_ENROLMENT_KEY=${secret} holdfast login ${url} --yes`} />
    </Info>
  )
}
