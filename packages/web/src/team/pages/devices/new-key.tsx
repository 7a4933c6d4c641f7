import { useMutation } from '@connectrpc/connect-query'
import { DevicesService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Confirm } from '../../../parts/confirm.js'
import { Copy } from '../../../parts/copy.js'
import { TextField } from '../../../parts/fields.js'
import { Dialog } from '../../../shell/dialog.js'
import { askAgain } from '../../../shell/touched.js'
import { count } from '../../../words/number.js'
import { useServer } from '../../server.js'
import styles from './enrol.module.css'

const whole = (text: string) => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : 0)

export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const create = useMutation(DevicesService.method.createEnrolmentKey)
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
    const made = await create.mutateAsync({ note, group, hours: whole(hours), maxUses: whole(uses) })
    setSecret(made.secret)
    askAgain(queries, ['ListEnrolmentKeys'])
  }
  return (
    <Confirm
      title="New enrolment key"
      action={
        wrong
          ? 'Make the key'
          : `Make a key for ${count(whole(uses), 'device')} and ${count(whole(hours), 'hour')}`
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
        hint="What it is for, such as “laptops of November”."
      />
      <TextField
        label="Holds for"
        type="number"
        min={1}
        max={168}
        value={hours}
        onChange={setHours}
        unit="hours"
        hint="A week at most."
      />
      <TextField label="Lets in" type="number" min={1} value={uses} onChange={setUses} unit="devices" />
      <TextField
        label="Group"
        value={group}
        onChange={setGroup}
        maxLength={60}
        hint="Where they come in. It may be empty."
      />
    </Confirm>
  )
}

function Made({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const { url } = useServer()
  return (
    <Dialog title="The key is ready" onClose={onClose}>
      <div className={styles.ways}>
        <section>
          <p>It is not shown again. It names this team, so that a device joins no other.</p>
          <Copy label="The key" text={secret} />
        </section>
        <section>
          <h3>On each machine</h3>
          <Copy label="The command" text={`HOLDFAST_ENROLMENT_KEY=${secret} holdfast login ${url} --yes`} />
        </section>
        <Button onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  )
}
