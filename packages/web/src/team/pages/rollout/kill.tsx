// The last resort, apart from everything else.

import { type GetRolloutSettingsResponse, RolloutService } from '@holdfast/team/messages'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Check, Field } from '../../../parts/fields.js'
import { Dialog } from '../../../shell/dialog.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { useAct } from '../../act.js'
import { useMay, useTeam } from '../../context.js'
import styles from './rollout.module.css'
import { TOUCHED } from './steps.js'

/** As devices do it: who listens waits a minute at most, who asks by the clock six. */
const OBEY =
  'Devices that listen to the server obey within a minute, those that ask by the clock within six minutes, and those that are off when they come back.'

const NOT_ALLOWED = 'The root metadata of this team does not allow the server to switch its hooks off.'

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
            : 'Takes every hook of this team away from every device at once. Hooks of projects, people and the enterprise stay.'}
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

interface PartProps {
  readonly plan: GetRolloutSettingsResponse
  readonly onClose: () => void
}

function Kill({ plan, onClose }: PartProps) {
  const { me } = useTeam()
  const set = useAct(RolloutService.method.setKillSwitch, TOUCHED)
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const [isEmergency, setEmergency] = useState(false)
  const because =
    reason.trim() === ''
      ? 'Say why: everybody on the team will read it.'
      : typed.trim() !== me.teamName.trim()
        ? 'Type the name of the team.'
        : undefined
  return (
    <Dialog title="Take all hooks of the team away?" onClose={onClose}>
      <div className={styles.form}>
        <p>
          This affects <strong>{count(plan.devices, 'device')}</strong>: none of them is guarded by a hook of
          this team until the switch is off again. {OBEY}
        </p>
        <Field label="Why" hint="Shown over every page while it is on.">
          {ids => (
            <input
              {...ids}
              value={reason}
              maxLength={500}
              onChange={event => setReason(event.target.value)}
            />
          )}
        </Field>
        <Field label={`Type “${line(me.teamName)}” to confirm`}>
          {ids => (
            <input
              {...ids}
              value={typed}
              autoComplete="off"
              onChange={event => setTyped(event.target.value)}
            />
          )}
        </Field>
        {plan.settings?.fourEyes ? (
          <Check checked={isEmergency} onChange={setEmergency}>
            Emergency: at once and without a second admin. All admins are told.
          </Check>
        ) : null}
        {set.error ? (
          <p className={styles.strip} data-tone="deny" role="alert">
            {set.error.rawMessage || 'The server did not answer.'}
          </p>
        ) : null}
        <div className={styles.buttons}>
          <Button
            kind="danger"
            because={because}
            busy={set.busy}
            onClick={async () => {
              if (await set.run({ on: true, reason: reason.trim(), emergency: isEmergency })) onClose()
            }}
          >
            Take all hooks away from {count(plan.devices, 'device')}
          </Button>
          <Button onClick={onClose}>Leave them</Button>
        </div>
      </div>
    </Dialog>
  )
}

function Revive({ plan, onClose }: PartProps) {
  const set = useAct(RolloutService.method.setKillSwitch, TOUCHED)
  return (
    <Dialog title="Give the hooks back?" onClose={onClose}>
      <div className={styles.form}>
        <p className="muted">
          {count(plan.devices, 'device')} take the hooks of their release again. {OBEY}
        </p>
        {set.error ? (
          <p className={styles.strip} data-tone="deny" role="alert">
            {set.error.rawMessage || 'The server did not answer.'}
          </p>
        ) : null}
        <div className={styles.buttons}>
          <Button
            kind="primary"
            busy={set.busy}
            onClick={async () => {
              if (await set.run({ on: false, reason: '' })) onClose()
            }}
          >
            Give the hooks back to {count(plan.devices, 'device')}
          </Button>
          <Button onClick={onClose}>Leave it on</Button>
        </div>
      </div>
    </Dialog>
  )
}
