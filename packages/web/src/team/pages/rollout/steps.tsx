// The actions on a release: advance, halt, resume, roll back.

import { type Release, RolloutService } from '@holdfast/team/messages'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Confirm } from '../../../parts/confirm.js'
import { TextField } from '../../../parts/fields.js'
import { useCommands } from '../../../shell/commands.js'
import { count, figure } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { useCall } from '../../act.js'
import { useMay } from '../../context.js'
import { canRollBackTo } from './words.js'

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

type ReleaseStep = 'advance' | 'halt' | 'resume' | 'back'

export function Steps({ release, all }: { readonly release: Release; readonly all: readonly Release[] }) {
  const may = {
    advance: useMay('RolloutService/Advance'),
    halt: useMay('RolloutService/Halt'),
    resume: useMay('RolloutService/Resume'),
    back: useMay('RolloutService/RollBack'),
  }
  const [open, setOpen] = useState<ReleaseStep>()
  const close = () => setOpen(undefined)
  const { state } = release
  const next = release.health[release.ring + 1]
  const steps: { step: ReleaseStep; label: string; kind?: 'danger' }[] = []
  if (state === 'rolling' && next)
    steps.push({
      step: 'advance',
      label: `Advance to ring ${line(next.ring)}, ${count(next.devices, 'device')}`,
    })
  if (state === 'halted') steps.push({ step: 'resume', label: 'Resume' })
  if (state === 'rolling' || state === 'done' || state === 'unsigned')
    steps.push({ step: 'halt', label: 'Halt', kind: 'danger' })
  if (canRollBackTo(release, all))
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

interface StepProps {
  readonly release: Release
  readonly onClose: () => void
}

function Advance({
  release: { number, ring: fromRing, evidence },
  ring,
  devices,
  onClose,
}: StepProps & { readonly ring: string; readonly devices: number }) {
  const advance = useCall(RolloutService.method.advance, TOUCHED)
  return (
    <Confirm
      title={`Advance release ${number} to ring ${ring}?`}
      action={`Advance to ring ${ring}, ${count(devices, 'device')}`}
      kind="primary"
      onClose={onClose}
      onConfirm={() => advance({ number, fromRing }).then(onClose)}
    >
      <p className="muted">
        {count(devices, 'more device')} will receive it. The server has seen{' '}
        {figure(Math.floor(evidence?.runs ?? 0))} of the {count(evidence?.runsNeeded ?? 20, 'run')} that it
        waits for.
      </p>
    </Confirm>
  )
}

function Halt({ release: { number, state, devices }, onClose }: StepProps) {
  const halt = useCall(RolloutService.method.halt, TOUCHED)
  const [reason, setReason] = useState('')
  return (
    <Confirm
      title={`Halt release ${number}?`}
      action={`Halt release ${number}`}
      because={reason.trim() === '' ? 'Enter a reason first.' : undefined}
      onClose={onClose}
      onConfirm={() => halt({ number, reason: reason.trim() }).then(onClose)}
    >
      <p className="muted">
        {state === 'unsigned'
          ? 'It was never signed, so no device has it. Other releases can be published again.'
          : `${count(devices?.active ?? 0, 'device')} with this release will return to the previous one. You can resume it later.`}
      </p>
      <TextField
        label="Reason"
        hint="Shown on the page of the release."
        value={reason}
        maxLength={500}
        onChange={setReason}
      />
    </Confirm>
  )
}

function Resume({ release: { number, ring, health, haltedBecause }, onClose }: StepProps) {
  const resume = useCall(RolloutService.method.resume, TOUCHED)
  return (
    <Confirm
      title={`Resume release ${number}?`}
      action={`Resume release ${number}`}
      kind="primary"
      onClose={onClose}
      onConfirm={() => resume({ number }).then(onClose)}
    >
      <p className="muted">
        Halted because: {line(haltedBecause) || 'no reason was given'}. It continues in ring{' '}
        {line(health[ring]?.ring ?? '')}, and counts its runs from zero.
      </p>
    </Confirm>
  )
}
