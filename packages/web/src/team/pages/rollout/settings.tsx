// How releases are delivered: rings, pace and limits, with a sentence on their combined effect.

import { clone } from '@bufbuild/protobuf'
import { RolloutService, type RolloutSettings, RolloutSettingsSchema } from '@holdfast/team/messages'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Check, Choices, TextField } from '../../../parts/fields.js'
import { Refused } from '../../../parts/notice.js'
import { useUnsaved } from '../../../shell/unsaved.js'
import { useAct } from '../../act.js'
import { useMay } from '../../context.js'
import styles from './rollout.module.css'
import { TOUCHED } from './steps.js'
import { meaning, settingsProblems } from './words.js'

/** As typed: 5 for 5 %. */
const shown = (part: number): string => (Number.isNaN(part) ? '' : String(Math.round(part * 10_000) / 100))
const part = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text) / 100)
const whole = (text: string): number => (text.trim() === '' ? Number.NaN : Math.round(Number(text)))

export function RolloutForm({ settings }: { readonly settings: RolloutSettings }) {
  const mayNot = useMay('RolloutService/SetRolloutSettings')
  const save = useAct(RolloutService.method.setRolloutSettings, TOUCHED)
  const [form, setForm] = useState(() => clone(RolloutSettingsSchema, settings))
  const isDirty = JSON.stringify(form) !== JSON.stringify(settings)
  useUnsaved(isDirty)
  const [isSaved, setSaved] = useState(false)
  const problems = settingsProblems(form)
  const isOff = mayNot !== undefined
  const set = (change: Partial<RolloutSettings>) => {
    setForm({ ...form, ...change })
    setSaved(false)
  }
  const setRing = (index: number, change: object) =>
    set({ rings: form.rings.map((ring, at) => (at === index ? { ...ring, ...change } : ring)) })
  const problem = (field: string) => {
    const message = problems.get(field)
    return message ? [{ severity: 'error', message }] : []
  }
  const number = (
    field: 'soakMinutes' | 'failureLimit' | 'denialLimit' | 'releaseDays' | 'revertDepth',
    label: string,
    hint: ReactNode,
    isPart = false,
  ) => (
    <TextField
      label={label}
      hint={hint}
      problems={problem(field)}
      type="number"
      min={0}
      step={isPart ? 'any' : 1}
      disabled={isOff}
      value={isPart ? shown(form[field]) : Number.isNaN(form[field]) ? '' : String(form[field])}
      onChange={value => set({ [field]: (isPart ? part : whole)(value) })}
    />
  )
  const because =
    mayNot ?? (problems.size > 0 ? 'Correct the fields above first.' : isDirty ? undefined : 'No changes.')
  return (
    <section className={styles.settings}>
      <p className={styles.meaning} role="status">
        {problems.size > 0 ? 'Correct the fields to see a summary.' : meaning(form)}
      </p>
      <fieldset className={styles.ringsForm}>
        <legend>Rings</legend>
        {form.rings.map((ring, index) => (
          <div key={`ring ${index + 1}`} className={styles.ringRow}>
            <TextField
              label={`Name of ring ${index + 1}`}
              problems={problem(`ring ${index}`)}
              value={ring.name}
              maxLength={40}
              disabled={isOff}
              onChange={value => setRing(index, { name: value })}
            />
            <TextField
              label="Reaches up to, %"
              type="number"
              min={0}
              max={100}
              step="any"
              disabled={isOff}
              value={shown(ring.share)}
              onChange={value => setRing(index, { share: part(value) })}
            />
            <Button
              kind="quiet"
              aria-label={`Remove ring ${index + 1}`}
              because={mayNot ?? (form.rings.length === 1 ? 'There must be one ring.' : undefined)}
              onClick={() => set({ rings: form.rings.filter((_, at) => at !== index) })}
            >
              Remove
            </Button>
          </div>
        ))}
        {problems.get('rings') ? <p className={styles.because}>{problems.get('rings')}</p> : null}
        <Button
          because={mayNot ?? (form.rings.length >= 10 ? 'There can be 10 rings at most.' : undefined)}
          onClick={() => set({ rings: withRing(form.rings) })}
        >
          Add a ring before the last
        </Button>
      </fieldset>
      <div className={styles.grid}>
        {number('soakMinutes', 'Minutes in each ring', '0: advance manually.')}
        {number(
          'failureLimit',
          'Halt above failed runs, %',
          'Needs at least two devices with failures.',
          true,
        )}
        {number('denialLimit', 'Halt above denied runs, %', 'Or twice the usual rate.', true)}
        {number('releaseDays', 'Days until a release expires', 'Devices keep their hooks after that.')}
        {number('revertDepth', 'Releases that a halt or a pin can go back', undefined)}
      </div>
      <Choices label="Records">
        <Check
          kind="radio"
          name="records"
          checked={form.records === 'managed'}
          disabled={isOff}
          onChange={() => set({ records: 'managed' })}
        >
          Runs of the hooks of the team and the enterprise
        </Check>
        <Check
          kind="radio"
          name="records"
          checked={form.records === 'all'}
          disabled={isOff}
          onChange={() => set({ records: 'all' })}
        >
          Runs of all hooks on the device, including those of projects and users
        </Check>
      </Choices>
      <Check checked={form.fourEyes} disabled={isOff} onChange={fourEyes => set({ fourEyes })}>
        Four eyes: a second admin confirms each change of hooks on devices, and of these settings
      </Check>
      <Refused error={save.error} />
      <div className={styles.buttons}>
        <Button
          kind="primary"
          because={because}
          busy={save.busy}
          onClick={async () => {
            const answer = await save.run({ settings: form })
            if (!answer?.settings) return
            setForm(clone(RolloutSettingsSchema, answer.settings))
            setSaved(true)
          }}
        >
          Save rings and limits
        </Button>
        {isDirty ? (
          <Button onClick={() => setForm(clone(RolloutSettingsSchema, settings))}>Discard changes</Button>
        ) : null}
        <span role="status" className="muted">
          {isSaved && !isDirty ? 'Saved. The next release uses these settings.' : (because ?? '')}
        </span>
      </div>
    </section>
  )
}

/** Half way between the two before the end. */
function withRing(rings: RolloutSettings['rings']): RolloutSettings['rings'] {
  const last = rings.at(-1)!
  const before = rings.at(-2)?.share ?? 0
  const share = Math.round(((before + last.share) / 2) * 100) / 100
  return [...rings.slice(0, -1), { ...last, name: `ring ${rings.length}`, share }, last]
}
