// When the hook runs, and what its response does.

import type { EventFacts } from '@holdfast/team/messages'
import { Check, Choices, Field, TextField } from '../../../parts/fields.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { type Events, eventOf, groupsOf, matchedExamples } from './events.js'
import { SYSTEMS } from './form.js'
import { problemsOf } from './problems.js'
import type { ScriptProps } from './script.js'

const FAILURES: Readonly<Record<string, string>> = {
  open: 'the action continues',
  closed: 'the action is blocked',
  recorded: 'the failure is only recorded',
}

export function Options({ events, ...part }: ScriptProps & { readonly events: Events }) {
  const { form, set, problems, readOnly } = part
  const row = eventOf(events, form.event)
  return (
    <>
      <TextField
        label="Name"
        problems={problemsOf(problems, 'name')}
        value={form.name}
        readOnly={readOnly}
        maxLength={100}
        onChange={value => set({ name: value })}
      />
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
      <Choices label="Type">
        <Check
          kind="radio"
          name="type"
          checked={form.type === 'command'}
          disabled={readOnly}
          onChange={() => set({ type: 'command' })}
        >
          Script
        </Check>
        <Check
          kind="radio"
          name="type"
          checked={form.type === 'prompt'}
          disabled={readOnly}
          onChange={() => set({ type: 'prompt' })}
        >
          Prompt for a model
        </Check>
      </Choices>
      <Choices label="Mode">
        <Check
          kind="radio"
          name="mode"
          checked={form.mode === 'enforce'}
          disabled={readOnly}
          onChange={() => set({ mode: 'enforce' })}
        >
          Enforce
        </Check>
        <Check
          kind="radio"
          name="mode"
          checked={form.mode === 'observe'}
          disabled={readOnly}
          onChange={() => set({ mode: 'observe' })}
        >
          Observe: only record
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
        <span className="muted">{form.systems.length === 0 ? 'None selected: all systems.' : ''}</span>
      </Choices>
      <Field
        label="When it fails"
        problems={problemsOf(problems, 'failClosed')}
        hint={
          row && form.failClosed === 'as the event' ? `For this event, ${FAILURES[row.failure]}.` : undefined
        }
      >
        {ids => (
          <select
            {...ids}
            value={form.failClosed}
            disabled={readOnly}
            onChange={event => set({ failClosed: event.target.value as typeof form.failClosed })}
          >
            <option value="as the event">Default of the event</option>
            <option value="open">Continue the action (fail open)</option>
            <option value="closed">Block the action (fail closed)</option>
          </select>
        )}
      </Field>
      <TextField
        label="Timeout in seconds"
        hint={`(default: ${form.type === 'command' ? 60 : 30} s)`}
        problems={problemsOf(problems, 'timeout')}
        inputMode="decimal"
        value={form.timeout}
        readOnly={readOnly}
        onChange={value => set({ timeout: value })}
      />
      {row?.countsLoops || form.loopLimit !== '' || form.isEndless ? (
        <>
          <TextField
            label="Loop limit"
            hint="Follow-ups in a row. (default: 5)"
            problems={problemsOf(problems, 'loopLimit')}
            inputMode="numeric"
            value={form.isEndless ? '' : form.loopLimit}
            disabled={form.isEndless}
            readOnly={readOnly}
            onChange={value => set({ loopLimit: value })}
          />
          <Check checked={form.isEndless} disabled={readOnly} onChange={isEndless => set({ isEndless })}>
            No limit
          </Check>
        </>
      ) : null}
      <Check checked={form.isActive} disabled={readOnly} onChange={isActive => set({ isActive })}>
        Active. Devices do not receive an inactive hook.
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
}: ScriptProps & { readonly event: EventFacts | undefined }) {
  return (
    <TextField
      label="Matcher"
      problems={problemsOf(problems, 'matcher')}
      hint={event ? matchWords(event, form.matcher) : undefined}
      className="mono"
      value={form.matcher}
      readOnly={readOnly}
      disabled={event?.hasMatcher === false && form.matcher === ''}
      spellCheck={false}
      placeholder="all"
      onChange={value => set({ matcher: value })}
    />
  )
}

function matchWords(event: EventFacts, matcher: string): string {
  const { subject } = event
  if (!event.hasMatcher) return `This event has no matcher: ${subject}.`
  const matched = matchedExamples(event, matcher)
  if (matched === undefined || matcher === '' || matcher === '*')
    return `A regular expression, matched against ${subject}. (default: all)`
  const some = matched.slice(0, 3).map(line).join(' · ')
  return `Matched against ${subject}. Matches ${matched.length} of ${count(event.subjectExamples.length, 'common example')}${some ? `: ${some}` : ''}.`
}
