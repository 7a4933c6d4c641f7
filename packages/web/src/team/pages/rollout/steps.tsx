// What people can do to a release: take it further, halt it, resume it, roll back.

import { type Release, RolloutService } from '@holdfast/team/messages'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Field } from '../../../parts/fields.js'
import { useCommands } from '../../../shell/commands.js'
import { Dialog } from '../../../shell/dialog.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { useAct } from '../../act.js'
import { useMay } from '../../context.js'
import styles from './rollout.module.css'
import { stateOf } from './words.js'

const RollBack = lazy(() => import('./roll-back.js').then(({ RollBack }) => ({ default: RollBack })))

export const TOUCHED = [
  'ListReleases',
  'GetRelease',
  'GetRolloutSettings',
  'ListHooks',
  'GetHook',
  'ListRevisions',
  'ListAdminActions',
  'ListDevices',
] as const

type Step = 'advance' | 'halt' | 'resume' | 'back'

export function Steps({ release, current }: { readonly release: Release; readonly current: number }) {
  const may = {
    advance: useMay('RolloutService/Advance'),
    halt: useMay('RolloutService/Halt'),
    resume: useMay('RolloutService/Resume'),
    back: useMay('RolloutService/RollBack'),
  }
  const [open, setOpen] = useState<Step>()
  const close = () => setOpen(undefined)
  const state = stateOf(release, current)
  const next = release.health[release.ring + 1]
  const steps: { step: Step; label: string; kind?: 'danger' }[] = []
  if (state === 'rolling' && next)
    steps.push({
      step: 'advance',
      label: `Advance to ring ${line(next.ring)}, ${count(next.devices, 'device')}`,
    })
  if (state === 'halted') steps.push({ step: 'resume', label: 'Resume' })
  if (state === 'rolling' || state === 'done' || state === 'unsigned')
    steps.push({ step: 'halt', label: 'Halt', kind: 'danger' })
  if (state === 'replaced')
    steps.push({ step: 'back', label: `Roll back to release ${release.number}`, kind: 'danger' })
  useCommands(
    steps
      .filter(({ step }) => may[step] === undefined)
      .map(({ step, label }) => ({ label, kind: `release ${release.number}`, run: () => setOpen(step) })),
  )
  return (
    <>
      {steps.map(({ step, label, kind }) => (
        <Button key={step} kind={kind ?? 'plain'} because={may[step]} onClick={() => setOpen(step)}>
          {label}
        </Button>
      ))}
      {open === 'advance' && next ? (
        <Advance release={release} ring={line(next.ring)} devices={next.devices} onClose={close} />
      ) : null}
      {open === 'halt' ? <Halt release={release} onClose={close} /> : null}
      {open === 'resume' ? <Resume release={release} onClose={close} /> : null}
      <Suspense>{open === 'back' ? <RollBack to={release.number} onClose={close} /> : null}</Suspense>
    </>
  )
}

const Refused = ({ error }: { readonly error: { readonly rawMessage: string } | undefined }) =>
  error ? (
    <p className={styles.strip} data-tone="deny" role="alert">
      {error.rawMessage || 'The server did not answer.'}
    </p>
  ) : null

interface StepProps {
  readonly release: Release
  readonly onClose: () => void
}

function Advance({
  release,
  ring,
  devices,
  onClose,
}: StepProps & { readonly ring: string; readonly devices: number }) {
  const advance = useAct(RolloutService.method.advance, TOUCHED)
  const evidence = release.evidence
  return (
    <Dialog title={`Advance release ${release.number} to ring ${ring}?`} onClose={onClose}>
      <div className={styles.form}>
        <p className="muted">
          {count(devices, 'more device')} will take it. So far {count(Math.floor(evidence?.runs ?? 0), 'run')}{' '}
          of {evidence?.runsNeeded ?? 20} were seen that the server would wait for.
        </p>
        <Refused error={advance.error} />
        <div className={styles.buttons}>
          <Button
            kind="primary"
            busy={advance.busy}
            onClick={async () => {
              if (await advance.run({ number: release.number, fromRing: release.ring })) onClose()
            }}
          >
            Advance to ring {ring}, {count(devices, 'device')}
          </Button>
          <Button onClick={onClose}>Leave it where it is</Button>
        </div>
      </div>
    </Dialog>
  )
}

function Halt({ release, onClose }: StepProps) {
  const halt = useAct(RolloutService.method.halt, TOUCHED)
  const [reason, setReason] = useState('')
  const devices = release.health.reduce((sum, { inSync }) => sum + inSync, 0)
  return (
    <Dialog title={`Halt release ${release.number}?`} onClose={onClose}>
      <div className={styles.form}>
        <p className="muted">
          {release.state === 'unsigned'
            ? 'It was never signed, so no device has it. Others can be published again.'
            : `${count(devices, 'device')} that took it ${devices === 1 ? 'goes' : 'go'} back to the release before. It can be resumed.`}
        </p>
        <Field label="Why" hint="Everybody who looks at the release reads it.">
          {ids => (
            <input
              {...ids}
              value={reason}
              maxLength={500}
              onChange={event => setReason(event.target.value)}
            />
          )}
        </Field>
        <Refused error={halt.error} />
        <div className={styles.buttons}>
          <Button
            kind="danger"
            busy={halt.busy}
            because={reason.trim() === '' ? 'Say why.' : undefined}
            onClick={async () => {
              if (await halt.run({ number: release.number, reason: reason.trim() })) onClose()
            }}
          >
            Halt release {release.number}
          </Button>
          <Button onClick={onClose}>Let it go on</Button>
        </div>
      </div>
    </Dialog>
  )
}

function Resume({ release, onClose }: StepProps) {
  const resume = useAct(RolloutService.method.resume, TOUCHED)
  return (
    <Dialog title={`Resume release ${release.number}?`} onClose={onClose}>
      <div className={styles.form}>
        <p className="muted">
          It was halted because: {line(release.haltedBecause) || 'no reason was given'}. It goes on in ring{' '}
          {line(release.health[release.ring]?.ring ?? '')}; what was seen of it before does not count any
          more.
        </p>
        <Refused error={resume.error} />
        <div className={styles.buttons}>
          <Button
            kind="primary"
            busy={resume.busy}
            onClick={async () => {
              if (await resume.run({ number: release.number })) onClose()
            }}
          >
            Resume release {release.number}
          </Button>
          <Button onClick={onClose}>Leave it halted</Button>
        </div>
      </div>
    </Dialog>
  )
}
