// The choice of the event and of the versions.

import { useId, useState } from 'react'
import type { EventInfo, ProfileInfo } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import { PopupChip } from '../../../parts/filters-popup.js'
import { line } from '../../../words/plain.js'
import styles from './fire.module.css'
import { grouped, profileWords } from './words.js'

export interface EventPickerProps {
  readonly events: readonly EventInfo[]
  readonly chosen: string
  readonly onChoose: (name: string) => void
}

export const EventPicker = ({ events, chosen, onChoose }: EventPickerProps) => (
  <PopupChip label="Event" words={<Words label="Event" value={chosen} />} isSet>
    {close => (
      <EventChoices
        events={events}
        chosen={chosen}
        onChoose={name => {
          onChoose(name)
          close()
        }}
      />
    )}
  </PopupChip>
)

const Words = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <>
    <span>{label}</span> <strong>{value}</strong>
  </>
)

function EventChoices({ events, chosen, onChoose }: EventPickerProps) {
  const [text, setText] = useState('')
  const id = useId()
  const groups = grouped(events, text)
  return (
    <div className={styles.choices}>
      <input
        className={styles.find}
        type="search"
        aria-label="Find an event"
        placeholder="Find an event"
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          const only = groups[0]?.events[0]
          if (event.key === 'Enter' && text && only) onChoose(only.name)
        }}
      />
      {groups.map(({ title, events }) => (
        <section key={title} aria-labelledby={`${id}-${title}`}>
          <h3 id={`${id}-${title}`}>{title}</h3>
          <ul>
            {events.map(({ name, summary }) => (
              <li key={name}>
                <button
                  type="button"
                  className={styles.choice}
                  aria-pressed={name === chosen}
                  onClick={() => onChoose(name)}
                >
                  <strong>{name}</strong>
                  <span className="muted">{line(summary)}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {groups.length === 0 ? <p className="muted">No such event.</p> : null}
    </div>
  )
}

export interface ProfilePickerProps {
  readonly profiles: readonly ProfileInfo[]
  /** Used when none is chosen. */
  readonly own: string
  readonly chosen: readonly string[]
  readonly onChange: (names: readonly string[]) => void
}

export function ProfilePicker({ profiles, own, chosen, onChange }: ProfilePickerProps) {
  const names = profiles.map(({ name }) => name)
  const now = chosen.length === 0 ? [own] : chosen
  const toggle = (name: string) => {
    const next = names.filter(each => (each === name ? !now.includes(each) : now.includes(each)))
    onChange(next.length === 1 && next[0] === own ? [] : next)
  }
  return (
    <PopupChip
      label="Versions"
      isSet={chosen.length > 0}
      words={<Words label={now.length > 1 ? 'Versions' : 'Version'} value={profileWords(now, names)} />}
    >
      {close => (
        <div className={styles.choices}>
          <ul>
            {profiles.map(({ name, summary }) => (
              <li key={name}>
                <label className={styles.option}>
                  <input type="checkbox" checked={now.includes(name)} onChange={() => toggle(name)} />
                  <span>
                    <strong>{name}</strong>
                    <span className="muted">{line(summary)}</span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
          <div className={styles.choicesFoot}>
            <Button kind="quiet" onClick={() => onChange(names)}>
              All {names.length}
            </Button>
            <Button kind="quiet" onClick={() => onChange([])}>
              Only {own}
            </Button>
            <Button onClick={close}>Done</Button>
          </div>
        </div>
      )}
    </PopupChip>
  )
}
