// What else there is to choose, with how many there are of each.

import type { Count, GetFacetsResponse } from '@holdfast/team/messages'
import { useId, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { verdictWord } from '../../../parts/verdict.js'
import { hookName } from '../../../words/hook.js'
import { figure, rough } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { type AuditSearch, type FacetName, fromText } from './asked.js'
import styles from './facets.module.css'

const FEW = 7

export interface FacetListProps {
  readonly facets: {
    readonly data: GetFacetsResponse | undefined
    readonly error: unknown
    readonly refetch: () => unknown
  }
  readonly search: AuditSearch
  readonly onToggle: (name: FacetName, value: string) => void
  readonly onClear: (name: FacetName) => void
}

export function FacetList({ facets, search, onToggle, onClear }: FacetListProps) {
  const { data } = facets
  if (!data && facets.error)
    return (
      <p className="muted">
        The counts did not load. <Button onClick={() => void facets.refetch()}>Try again</Button>
      </p>
    )
  const groups: readonly [FacetName, string, readonly Count[] | undefined, (count: Count) => string][] = [
    ['verdict', 'Verdict', data?.verdicts, ({ name }) => verdictWord(name)],
    ['event', 'Event', data?.events, ({ name }) => line(name)],
    ['hook', 'Hook', data?.hooks, ({ name }) => line(hookName(name))],
    ['device', 'Device', data?.devices, ({ name, label }) => line(label || name.slice(0, 8))],
  ]
  return (
    <div className={styles.groups}>
      {groups.map(([name, label, counts, wordOf]) => (
        <Group
          key={name}
          label={label}
          counts={counts}
          chosen={fromText(search[name])}
          wordOf={wordOf}
          onToggle={value => onToggle(name, value)}
          onClear={() => onClear(name)}
        />
      ))}
    </div>
  )
}

interface GroupProps {
  readonly label: string
  readonly counts: readonly Count[] | undefined
  readonly chosen: readonly string[]
  readonly wordOf: (count: Count) => string
  readonly onToggle: (value: string) => void
  readonly onClear: () => void
}

function Group({ label, counts, chosen, wordOf, onToggle, onClear }: GroupProps) {
  const id = useId()
  const [isWhole, setWhole] = useState(false)
  const known = counts ?? []
  // What is chosen stays, also when nothing of it is left.
  const absent = chosen.filter(name => !known.some(one => one.name === name))
  const all = [...known, ...absent.map(name => ({ name, count: 0, label: '' }) as Count)]
  const shown = isWhole ? all : all.filter(({ name }, index) => index < FEW || chosen.includes(name))
  return (
    <section className={styles.group} aria-labelledby={id}>
      <h2 className={styles.title} id={id}>
        {label}
        {chosen.length > 0 ? (
          <button
            type="button"
            className={styles.clear}
            onClick={onClear}
            aria-label={`Any ${label.toLowerCase()}`}
          >
            any
          </button>
        ) : null}
      </h2>
      {counts && all.length === 0 ? <p className="faint">none</p> : null}
      <ul>
        {shown.map(one => (
          <li key={one.name}>
            <label className={styles.option} data-chosen={chosen.includes(one.name) || undefined}>
              <input
                type="checkbox"
                checked={chosen.includes(one.name)}
                onChange={() => onToggle(one.name)}
              />
              <span
                className={styles.name}
                title={one.name.endsWith(wordOf(one)) ? line(one.name) : wordOf(one)}
              >
                {wordOf(one)}
              </span>
              <span className={styles.count} title={figure(one.count)}>
                {rough(one.count)}
              </span>
            </label>
          </li>
        ))}
      </ul>
      {all.length > FEW ? (
        <button
          type="button"
          className={styles.clear}
          onClick={() => setWhole(!isWhole)}
          aria-expanded={isWhole}
        >
          {isWhole ? 'Fewer' : `All ${figure(all.length)}`}
        </button>
      ) : null}
    </section>
  )
}
