// The filters of a list: chips with options, the time range, and a text field. Their state is in the address; only the
// text that is being typed is kept here.

import { Search, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useKeys } from '../shell/keys.js'
import { figure } from '../words/number.js'
import { line } from '../words/plain.js'
import { Button } from './button.js'
import styles from './filters.module.css'
import { type Popup, PopupChip } from './filters-popup.js'
import { asMoment, localField, RANGES, type Range, rangeLabel, USUAL_RANGE } from './filters-range.js'
import type { Counted } from './histogram-layout.js'

export interface FacetProps {
  /** Verdict, Event, Hook */
  readonly label: string
  /** With their counts; undefined while these load. */
  readonly options: readonly (Counted & { readonly label?: string })[] | undefined
  readonly chosen: readonly string[]
  readonly onChange: (chosen: string[]) => void
  /** The label of an option, where it is not its name. */
  readonly wordOf?: (name: string) => string
  readonly popup?: React.Ref<Popup> | undefined
}

const SEARCH_FROM = 9

/** "Verdict any", "Verdict deny", "Verdict deny +2" */
export function Facet({ label, options, chosen, onChange, wordOf = line, popup }: FacetProps) {
  const called = (name: string) => options?.find(option => option.name === name)?.label || wordOf(name)
  const words = chosen.length === 0 ? 'any' : called(chosen[0]!)
  return (
    <PopupChip
      ref={popup}
      label={`Filter by ${label.toLowerCase()}`}
      isSet={chosen.length > 0}
      words={
        <>
          <span>{label}</span> <strong className={styles.value}>{words}</strong>
          {chosen.length > 1 ? <strong>+{chosen.length - 1}</strong> : null}
        </>
      }
    >
      {close => (
        <Choices
          label={label}
          options={options}
          chosen={chosen}
          called={called}
          onChange={onChange}
          onClose={close}
        />
      )}
    </PopupChip>
  )
}

function Choices({
  label,
  options,
  chosen,
  called,
  onChange,
  onClose,
}: Pick<FacetProps, 'label' | 'options' | 'chosen' | 'onChange'> & {
  readonly called: (name: string) => string
  readonly onClose: () => void
}) {
  const [text, setText] = useState('')
  const known = options ?? []
  // A chosen option stays in the list when its count is zero.
  const all = [...known, ...chosen.filter(name => !known.some(option => option.name === name)).map(absent)]
  const found = all.filter(({ name }) => called(name).toLowerCase().includes(text.toLowerCase()))
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter(one => one !== name) : [...chosen, name])
  return (
    <>
      {all.length >= SEARCH_FROM ? (
        <input
          className={styles.find}
          type="search"
          aria-label={`Find in ${label.toLowerCase()}`}
          placeholder={`Find in ${figure(all.length)}`}
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'Enter' && text && found[0]) toggle(found[0].name)
          }}
        />
      ) : null}
      <ul className={styles.options}>
        {found.map(({ name, count }) => (
          <li key={name}>
            <label className={styles.option}>
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={() => toggle(name)}
                onKeyDown={event => event.key === 'Enter' && toggle(name)}
              />
              <span className={styles.optionName} title={line(called(name))}>
                {line(called(name))}
              </span>
              <span className={styles.count}>{figure(count)}</span>
            </label>
          </li>
        ))}
      </ul>
      {options === undefined ? <p className={styles.nothing}>Counting.</p> : null}
      {options !== undefined && found.length === 0 ? <p className={styles.nothing}>Nothing here.</p> : null}
      <div className={styles.foot}>
        <Button kind="quiet" onClick={() => onChange([])} disabled={chosen.length === 0}>
          Clear
        </Button>
        <Button onClick={onClose}>Done</Button>
      </div>
    </>
  )
}

const absent = (name: string): Counted => ({ name, count: 0 })

export interface RangeChipProps {
  readonly range: Range
  /** The range in the address, also while from and to override it. */
  readonly name: string | undefined
  readonly onChange: (change: {
    readonly range?: string | undefined
    readonly from?: string | undefined
    readonly to?: string | undefined
  }) => void
}

export function RangeChip({ range, name, onChange }: RangeChipProps) {
  const isBetween = range.kind === 'between'
  return (
    <>
      <PopupChip label="Time" isSet={isBetween} words={<strong>{range.label}</strong>}>
        {close => <Times range={range} name={name} onChange={onChange} onClose={close} />}
      </PopupChip>
      {isBetween ? (
        <Button
          kind="quiet"
          onClick={() => onChange({ range: name ?? USUAL_RANGE, from: undefined, to: undefined })}
        >
          Back to {inSentence(rangeLabel(name))}
        </Button>
      ) : null}
    </>
  )
}

const inSentence = (words: string) => words.charAt(0).toLowerCase() + words.slice(1)

function Times({ range, name, onChange, onClose }: RangeChipProps & { readonly onClose: () => void }) {
  const [from, setFrom] = useState(localField(range.from))
  const [to, setTo] = useState(localField(range.to))
  const moment = (text: string) =>
    text && !Number.isNaN(Date.parse(text)) ? asMoment(Date.parse(text)) : undefined
  const isBetween = range.kind === 'between'
  return (
    <>
      <ul className={styles.options}>
        {RANGES.map(option => (
          <li key={option.name}>
            <label className={styles.option}>
              <input
                type="radio"
                name="range"
                checked={!isBetween && (name ?? USUAL_RANGE) === option.name}
                onChange={() => onChange({ range: option.name, from: undefined, to: undefined })}
                onClick={event => event.detail > 0 && onClose()}
              />
              {option.label}
            </label>
          </li>
        ))}
      </ul>
      <form
        className={styles.between}
        onSubmit={event => {
          event.preventDefault()
          onChange({ range: name, from: moment(from), to: moment(to) })
          onClose()
        }}
      >
        <label>
          From
          <input type="datetime-local" value={from} onChange={event => setFrom(event.target.value)} />
        </label>
        <label>
          To
          <input type="datetime-local" value={to} onChange={event => setTo(event.target.value)} />
        </label>
        <Button type="submit" because={moment(from) || moment(to) ? undefined : 'Enter a start or an end.'}>
          Apply
        </Button>
      </form>
    </>
  )
}

const TYPING_MS = 200

export interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
}

/** `/` focuses it; Esc clears it, then leaves it. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const sent = useRef(value)
  // The address changed: by going back, or by a link.
  if (value !== sent.current) {
    sent.current = value
    setText(value)
  }
  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      latest.current(text)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  useKeys([{ keys: '/', label, group: 'Filter', run: () => field.current?.select() }])
  return (
    <span className={styles.search}>
      <Search size={14} aria-hidden="true" />
      <input
        ref={field}
        type="text"
        role="searchbox"
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={1000}
        spellCheck={false}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Escape') return
          if (text) setText('')
          else event.currentTarget.blur()
        }}
      />
      {text ? (
        <button
          type="button"
          className={styles.clear}
          aria-label="Clear the search"
          onClick={() => setText('')}
        >
          <X size={14} aria-hidden="true" />
        </button>
      ) : (
        <kbd aria-hidden="true">/</kbd>
      )}
    </span>
  )
}

export interface FiltersProps {
  readonly children: ReactNode
  /** Before the chips; on its own line on narrow pages. */
  readonly search?: ReactNode
  /** The chip that `f` opens. */
  readonly first?: React.RefObject<Popup | null>
  /** Given when a filter is set. */
  readonly onClear?: (() => void) | undefined
  /** At the right end: pause. */
  readonly end?: ReactNode
}

export function Filters({ children, search, first, onClear, end }: FiltersProps) {
  useKeys(first ? [{ keys: 'f', label: 'Filter', group: 'Filter', run: () => first.current?.open() }] : [])
  return (
    <div className="row" role="search">
      {search}
      <div className={styles.chips}>
        {children}
        {onClear ? (
          <Button kind="quiet" onClick={onClear}>
            Clear the filters
          </Button>
        ) : null}
      </div>
      {end ? <span className={styles.end}>{end}</span> : null}
    </div>
  )
}
