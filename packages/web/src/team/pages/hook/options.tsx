// When the hook is asked, and what its answer counts for.

import type { EventFacts } from '@holdfast/team/messages'
import { Check, Choices, Field } from '../../../parts/fields.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { type Events, eventOf, groupsOf, takenBy } from './events.js'
import { SYSTEMS } from './form.js'
import { problemsOf } from './problems.js'
import type { PartProps } from './script.js'

const FAILURES: Readonly<Record<string, string>> = {
  open: 'the action goes on',
  closed: 'the action is stopped',
  recorded: 'it is only recorded',
}

export function Options({ events, ...part }: PartProps & { readonly events: Events }) {
  const { form, set, problems, readOnly } = part
  const row = eventOf(events, form.event)
  return (
    <>
      <Field label="Name" problems={problemsOf(problems, 'name')}>
        {ids => (
          <input
            {...ids}
            value={form.name}
            readOnly={readOnly}
            maxLength={100}
            onChange={event => set({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label="Event" hint={row?.summary} problems={problemsOf(problems, 'event')}>
        {ids => (
          <select
            {...ids}
            value={form.event}
            disabled={readOnly}
            onChange={event => set({ event: event.target.value })}
          >
            {row ? null : <option value={form.event}>{form.event || 'Choose one'}</option>}
            {groupsOf(events).map(({ label, names }) => (
              <optgroup key={label} label={label}>
                {names.map(name => (
                  <option key={name}>{name}</option>
                ))}
              </optgroup>
            ))}
          </select>
        )}
      </Field>
      <Matcher {...part} event={row} />
      <Choices label="Does">
        <Check
          kind="radio"
          name="type"
          checked={form.type === 'command'}
          disabled={readOnly}
          onChange={() => set({ type: 'command' })}
        >
          run a script
        </Check>
        <Check
          kind="radio"
          name="type"
          checked={form.type === 'prompt'}
          disabled={readOnly}
          onChange={() => set({ type: 'prompt' })}
        >
          ask a model
        </Check>
      </Choices>
      <Choices label="Its answer">
        <Check
          kind="radio"
          name="mode"
          checked={form.mode === 'enforce'}
          disabled={readOnly}
          onChange={() => set({ mode: 'enforce' })}
        >
          counts (enforce)
        </Check>
        <Check
          kind="radio"
          name="mode"
          checked={form.mode === 'observe'}
          disabled={readOnly}
          onChange={() => set({ mode: 'observe' })}
        >
          is only recorded, nobody feels it (observe)
        </Check>
      </Choices>
      <Choices label="Systems">
        {SYSTEMS.map(({ name, label }) => (
          <Check
            key={name}
            checked={form.systems.includes(name)}
            disabled={readOnly}
            onChange={isOn =>
              set({
                systems: isOn
                  ? [...form.systems, name].sort()
                  : form.systems.filter(system => system !== name),
              })
            }
          >
            {label}
          </Check>
        ))}
        <span className="muted">{form.systems.length === 0 ? 'None chosen: runs on all of them.' : ''}</span>
      </Choices>
      <Field
        label="When it fails"
        problems={problemsOf(problems, 'failClosed')}
        hint={
          row && form.failClosed === 'as the event' ? `On this event: ${FAILURES[row.failure]}.` : undefined
        }
      >
        {ids => (
          <select
            {...ids}
            value={form.failClosed}
            disabled={readOnly}
            onChange={event => set({ failClosed: event.target.value as typeof form.failClosed })}
          >
            <option value="as the event">as the event says</option>
            <option value="open">the action goes on (fail open)</option>
            <option value="closed">the action is stopped (fail closed)</option>
          </select>
        )}
      </Field>
      <Field
        label="Timeout in seconds"
        hint={`Empty: ${form.type === 'command' ? 60 : 30}.`}
        problems={problemsOf(problems, 'timeout')}
      >
        {ids => (
          <input
            {...ids}
            inputMode="decimal"
            value={form.timeout}
            readOnly={readOnly}
            onChange={event => set({ timeout: event.target.value })}
          />
        )}
      </Field>
      {row?.countsLoops || form.loopLimit !== '' || form.isEndless ? (
        <>
          <Field
            label="Loop limit"
            hint="How many follow-ups in a row it may cause. Empty: 5."
            problems={problemsOf(problems, 'loopLimit')}
          >
            {ids => (
              <input
                {...ids}
                inputMode="numeric"
                value={form.isEndless ? '' : form.loopLimit}
                disabled={form.isEndless}
                readOnly={readOnly}
                onChange={event => set({ loopLimit: event.target.value })}
              />
            )}
          </Field>
          <Check checked={form.isEndless} disabled={readOnly} onChange={isEndless => set({ isEndless })}>
            without any limit
          </Check>
        </>
      ) : null}
      <Check checked={form.isActive} disabled={readOnly} onChange={isActive => set({ isActive })}>
        Active. An inactive hook is kept, and handed out to nobody.
      </Check>
    </>
  )
}

function Matcher({
  event,
  form,
  set,
  problems,
  readOnly,
}: PartProps & { readonly event: EventFacts | undefined }) {
  return (
    <Field
      label="Matcher"
      problems={problemsOf(problems, 'matcher')}
      hint={event ? matchWords(event, form.matcher) : undefined}
    >
      {ids => (
        <input
          {...ids}
          className="mono"
          value={form.matcher}
          readOnly={readOnly}
          disabled={event?.hasMatcher === false && form.matcher === ''}
          spellCheck={false}
          placeholder="all"
          onChange={event => set({ matcher: event.target.value })}
        />
      )}
    </Field>
  )
}

function matchWords(event: EventFacts, matcher: string): string {
  const { subject } = event
  if (!event.hasMatcher) return `Not used on this event: ${subject}.`
  const taken = takenBy(event, matcher)
  if (taken === undefined) return `A regular expression, held against ${subject}.`
  if (matcher === '' || matcher === '*') return `A regular expression, held against ${subject}. Empty: all.`
  const some = taken.slice(0, 3).map(line).join(' · ')
  return `Held against ${subject}. Takes ${taken.length} of ${count(event.subjectExamples.length, 'usual one')}${some ? `: ${some}` : ''}.`
}
