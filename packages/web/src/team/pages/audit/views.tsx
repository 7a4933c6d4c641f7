// Named filters of the records. A view is an address, so it can be sent to others; the names are stored in this browser.

import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { PopupChip } from '../../../parts/filters-popup.js'
import { line } from '../../../words/plain.js'
import { AUDIT_PARAMETERS, type AuditSearch } from './audit-filter.js'
import styles from './views.module.css'

interface View {
  readonly name: string
  readonly search: AuditSearch
}

const READY: readonly View[] = [
  { name: 'Denied, last 7 days', search: { verdict: 'deny', range: '7d' } },
  { name: 'Failed open, last 30 days', search: { verdict: 'failed_open', range: '30d' } },
  { name: 'With a decision, last 24 hours', search: { verdict: '!none,!allow', range: '24h' } },
]

const STORED = 'holdfast.audit.views'
const MOST = 50

export function Views({ search }: { readonly search: AuditSearch }) {
  const [views, setViews] = useState(readViews)
  const [name, setName] = useState('')
  const store = (next: readonly View[]) => {
    setViews(next)
    localStorage.setItem(STORED, JSON.stringify(next))
  }
  const { record: _, ...current } = search
  return (
    <PopupChip label="Saved views" words="Views">
      {close => (
        <div className={styles.views}>
          <ul>
            {[...READY, ...views].map((view, index) => (
              <li key={`${index} ${view.name}`}>
                <Link to="/audit" search={view.search} className={styles.view} onClick={close}>
                  {line(view.name)}
                </Link>
                {index < READY.length ? null : (
                  <button
                    type="button"
                    className={styles.remove}
                    aria-label={`Remove the view ${line(view.name)}`}
                    onClick={() => store(views.filter(one => one !== view))}
                  >
                    <X size={14} aria-hidden="true" />
                  </button>
                )}
              </li>
            ))}
          </ul>
          <form
            className={styles.save}
            onSubmit={event => {
              event.preventDefault()
              if (name.trim() === '') return
              const others = views.filter(view => view.name !== name.trim())
              store([...others, { name: name.trim(), search: current }].slice(-MOST))
              setName('')
            }}
          >
            <input
              aria-label="Name of the view"
              placeholder="Name the current filter"
              value={name}
              maxLength={60}
              onChange={event => setName(event.target.value)}
            />
            <Button type="submit" because={name.trim() === '' ? 'Enter a name first.' : undefined}>
              Save
            </Button>
          </form>
        </div>
      )}
    </PopupChip>
  )
}

/** Only what a view can hold: another page or an older version may have written the value. */
function readViews(): readonly View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]')
    if (!Array.isArray(stored)) return []
    return stored.flatMap(({ name, search }: { name?: unknown; search?: Record<string, unknown> }) => {
      if (typeof name !== 'string') return []
      const kept = AUDIT_PARAMETERS.filter(key => typeof search?.[key] === 'string')
      return [{ name, search: Object.fromEntries(kept.map(key => [key, search![key]])) }]
    })
  } catch {
    return []
  }
}
