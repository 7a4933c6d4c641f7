// The kill switch: its state, and the dialogs that switch it.

import { type GetRolloutSettingsResponse, RolloutService } from '@holdfast/team/messages'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Confirm } from '../../../parts/confirm.js'
import { Check, TextField } from '../../../parts/fields.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { useCall } from '../../act.js'
import { useMay, useTeam } from '../../context.js'
import styles from './rollout.module.css'
import { TOUCHED } from './steps.js'

const OBEY =
  'Connected devices follow within a minute, devices that poll within six minutes, and devices that are off when they start.'

const NOT_ALLOWED = 'The root metadata of this team does not allow the server to switch off its hooks.'

export function KillSwitch({ plan }: { readonly plan: GetRolloutSettingsResponse }) {
  const mayNot = useMay('RolloutService/SetKillSwitch')
  const [isOpen, setOpen] = useState(false)
  return (
    <section className={styles.kill} aria-label="Kill switch">
      <div>
        <h2>Kill switch{plan.killed ? ': on' : ''}</h2>
        <p className="muted">
          {plan.killed
            ? `No device has a hook of this team. Reason: ${line(plan.killedBecause)}`
            : 'Switches off all hooks of this team on all devices at once. Hooks of projects, users and the enterprise stay active.'}
        </p>
      </div>
      <Button
        kind={plan.killed ? 'plain' : 'danger'}
        because={mayNot ?? (plan.killed || plan.mayKill ? undefined : NOT_ALLOWED)}
        onClick={() => setOpen(true)}
      >
        {plan.killed ? 'Switch it off…' : 'Switch it on…'}
      </Button>
      {isOpen ? (
        plan.killed ? (
          <Revive plan={plan} onClose={() => setOpen(false)} />
        ) : (
          <Kill plan={plan} onClose={() => setOpen(false)} />
        )
      ) : null}
    </section>
  )
}

interface KillProps {
  readonly plan: GetRolloutSettingsResponse
  readonly onClose: () => void
}

function Kill({ plan, onClose }: KillProps) {
  const { me } = useTeam()
  const set = useCall(RolloutService.method.setKillSwitch, TOUCHED)
  const [reason, setReason] = useState('')
  const [isEmergency, setEmergency] = useState(false)
  return (
    <Confirm
      title="Switch off all hooks of the team?"
      action={`Switch off all hooks on ${count(plan.devices, 'device')}`}
      typed={line(me.teamName.trim())}
      because={reason.trim() === '' ? 'Enter a reason first.' : undefined}
      onClose={onClose}
      onConfirm={() => set({ on: true, reason: reason.trim(), emergency: isEmergency }).then(onClose)}
    >
      <p>
        This affects <strong>{count(plan.devices, 'device')}</strong>: none of them runs a hook of this team
        until the switch is off again. {OBEY}
      </p>
      <TextField
        label="Reason"
        hint="Shown above every page while the switch is on."
        value={reason}
        maxLength={500}
        onChange={setReason}
      />
      {plan.settings?.fourEyes ? (
        <Check checked={isEmergency} onChange={setEmergency}>
          Emergency: without a second admin. All admins are notified.
        </Check>
      ) : null}
    </Confirm>
  )
}

function Revive({ plan, onClose }: KillProps) {
  const set = useCall(RolloutService.method.setKillSwitch, TOUCHED)
  return (
    <Confirm
      title="Switch off the kill switch?"
      action={`Restore the hooks on ${count(plan.devices, 'device')}`}
      kind="primary"
      onClose={onClose}
      onConfirm={() => set({ on: false, reason: '' }).then(onClose)}
    >
      <p className="muted">
        {count(plan.devices, 'device')} will run the hooks of their release again. {OBEY}
      </p>
    </Confirm>
  )
}
