// How releases go out: rings, pace and limits, with a sentence of what they mean together.

import { clone } from '@bufbuild/protobuf'
import { RolloutService, type RolloutSettings, RolloutSettingsSchema } from '@holdfast/team/messages'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Check, Choices, Field } from '../../../parts/fields.js'
import { useUnsaved } from '../../../shell/unsaved.js'
import { useAct } from '../../act.js'
import { useMay } from '../../context.js'
import styles from './rollout.module.css'
import { TOUCHED } from './steps.js'
import { meaning, settingsProblems } from './words.js'

/** As it is typed: 5 for 5 %. */
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
    <Field label={label} hint={hint} problems={problem(field)}>
      {ids => (
        <input
          {...ids}
          type="number"
          min={0}
          step={isPart ? 'any' : 1}
          disabled={isOff}
          value={isPart ? shown(form[field]) : Number.isNaN(form[field]) ? '' : form[field]}
          onChange={event => set({ [field]: (isPart ? part : whole)(event.target.value) })}
        />
      )}
    </Field>
  )
  const because =
    mayNot ??
    (problems.size > 0 ? 'Something above is not right yet.' : isDirty ? undefined : 'Nothing is changed.')
  return (
    <section className={styles.settings}>
      <p className={styles.meaning} role="status">
        {problems.size > 0 ? 'When all fields are right, this says what they mean.' : meaning(form)}
      </p>
      <fieldset className={styles.ringsForm}>
        <legend>Rings</legend>
        {form.rings.map((ring, index) => (
          <div key={`ring ${index + 1}`} className={styles.ringRow}>
            <Field label={`Name of ring ${index + 1}`} problems={problem(`ring ${index}`)}>
              {ids => (
                <input
                  {...ids}
                  value={ring.name}
                  maxLength={40}
                  disabled={isOff}
                  onChange={event => setRing(index, { name: event.target.value })}
                />
              )}
            </Field>
            <Field label="Reaches up to, %">
              {ids => (
                <input
                  {...ids}
                  type="number"
                  min={0}
                  max={100}
                  step="any"
                  disabled={isOff}
                  value={shown(ring.share)}
                  onChange={event => setRing(index, { share: part(event.target.value) })}
                />
              )}
            </Field>
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
        {number('soakMinutes', 'Minutes in each ring', '0: only by hand.')}
        {number(
          'failureLimit',
          'Halt above failed runs, %',
          'Judged by devices, and never by one alone.',
          true,
        )}
        {number('denialLimit', 'Halt above denied runs, %', 'Or twice what was usual before.', true)}
        {number('releaseDays', 'Days that a release can be taken', 'What devices have stays in force after.')}
        {number('revertDepth', 'Releases that a halt or a pin may go back', undefined)}
      </div>
      <Choices label="Records">
        <Check
          kind="radio"
          name="records"
          checked={form.records === 'managed'}
          disabled={isOff}
          onChange={() => set({ records: 'managed' })}
        >
          runs of the team’s and the enterprise’s hooks
        </Check>
        <Check
          kind="radio"
          name="records"
          checked={form.records === 'all'}
          disabled={isOff}
          onChange={() => set({ records: 'all' })}
        >
          runs of every hook on the device, also of projects and people
        </Check>
      </Choices>
      <Check checked={form.fourEyes} disabled={isOff} onChange={fourEyes => set({ fourEyes })}>
        Four eyes: a second admin confirms each change of what devices run, and of these settings
      </Check>
      {save.error ? (
        <p className={styles.strip} data-tone="deny" role="alert">
          {save.error.rawMessage || 'The server did not answer.'}
        </p>
      ) : null}
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
          <Button onClick={() => setForm(clone(RolloutSettingsSchema, settings))}>Undo the changes</Button>
        ) : null}
        <span role="status" className="muted">
          {isSaved && !isDirty ? 'Saved. The next release goes out this way.' : (because ?? '')}
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
