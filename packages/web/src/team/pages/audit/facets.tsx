// The values of each kind, with counts: each can be wanted or excluded.

import type { Count, GetFacetsResponse } from '@holdfast/team/messages'
import { Ban } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { verdictWord } from '../../../parts/verdict.js'
import { hookName } from '../../../words/hook.js'
import { figure, rough } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { type AuditSearch, type Choices, choicesOf, type FacetName } from './audit-filter.js'
import styles from './facets.module.css'

const FEW = 7

export interface FacetListProps {
  readonly facets: {
    readonly data: GetFacetsResponse | undefined
    readonly error: unknown
    readonly refetch: () => unknown
  }
  readonly search: AuditSearch
  readonly onToggle: (name: FacetName, value: string, how: keyof Choices) => void
  readonly onClear: (name: FacetName) => void
}

export function FacetList({ facets, search, onToggle, onClear }: FacetListProps) {
  const { data } = facets
  if (!data && facets.error)
    return (
      <p className="muted">
        Loading the counts failed. <Button onClick={() => void facets.refetch()}>Try again</Button>
      </p>
    )
  const groups: readonly [FacetName, string, readonly Count[] | undefined, (count: Count) => string][] = [
    ['verdict', 'Verdict', data?.verdicts, ({ name }) => verdictWord(name)],
    ['event', 'Event', data?.events, ({ name }) => line(name)],
    ['hook', 'Hook', data?.hooks, ({ name, label }) => line(label || hookName(name))],
    ['owner', 'Person', data?.owners, ({ name }) => line(name) || 'no owner'],
    ['device', 'Device', data?.devices, ({ name, label }) => line(label || name.slice(0, 8))],
  ]
  return (
    <div className="stack-loose">
      {groups.map(([name, label, counts, wordOf]) => (
        <Group
          key={name}
          label={label}
          counts={counts}
          choices={choicesOf(search[name])}
          wordOf={wordOf}
          onToggle={(value, how) => onToggle(name, value, how)}
          onClear={() => onClear(name)}
        />
      ))}
    </div>
  )
}

interface GroupProps {
  readonly label: string
  readonly counts: readonly Count[] | undefined
  readonly choices: Choices
  readonly wordOf: (count: Count) => string
  readonly onToggle: (value: string, how: keyof Choices) => void
  readonly onClear: () => void
}

function Group({ label, counts, choices: { wanted, excluded }, wordOf, onToggle, onClear }: GroupProps) {
  const id = useId()
  const [isComplete, setComplete] = useState(false)
  const [text, setText] = useState('')
  const chosen = [...wanted, ...excluded]
  const known = counts ?? []
  // A chosen value stays in the list when its count is zero.
  const absent = chosen.filter(name => !known.some(one => one.name === name))
  const all = [...known, ...absent.map(name => ({ name, count: 0, label: '' }) as Count)]
  const found = all.filter(one => wordOf(one).toLowerCase().includes(text.trim().toLowerCase()))
  const shown =
    isComplete || text !== ''
      ? found
      : found.filter(({ name }, index) => index < FEW || chosen.includes(name))
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
      {all.length > FEW ? (
        <input
          className={styles.find}
          type="search"
          aria-label={`Find a ${label.toLowerCase()}`}
          placeholder={`Find in ${figure(all.length)}`}
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'Enter' && text !== '' && found[0]) onToggle(found[0].name, 'wanted')
          }}
        />
      ) : null}
      {counts && shown.length === 0 ? (
        <p className="faint">{all.length === 0 ? 'none' : 'no results'}</p>
      ) : null}
      <ul>
        {shown.map(one => {
          const word = wordOf(one)
          const isExcluded = excluded.includes(one.name)
          return (
            <li key={one.name} className={styles.row} data-excluded={isExcluded || undefined}>
              <label className={styles.option} data-chosen={wanted.includes(one.name) || undefined}>
                <input
                  type="checkbox"
                  checked={wanted.includes(one.name)}
                  onChange={() => onToggle(one.name, 'wanted')}
                />
                <span className={styles.name} title={one.name.endsWith(word) ? line(one.name) : word}>
                  {word}
                </span>
                <span className={styles.count} title={figure(one.count)}>
                  {rough(one.count)}
                </span>
              </label>
              <button
                type="button"
                className={styles.exclude}
                aria-pressed={isExcluded}
                aria-label={`Exclude ${word}`}
                title={isExcluded ? `Excluded: ${word}` : `Exclude ${word}`}
                onClick={() => onToggle(one.name, 'excluded')}
              >
                <Ban size={12} aria-hidden="true" />
              </button>
            </li>
          )
        })}
      </ul>
      {all.length > FEW && text === '' ? (
        <button
          type="button"
          className={styles.clear}
          onClick={() => setComplete(!isComplete)}
          aria-expanded={isComplete}
        >
          {isComplete ? 'Fewer' : `All ${figure(all.length)}`}
        </button>
      ) : null}
    </section>
  )
}
