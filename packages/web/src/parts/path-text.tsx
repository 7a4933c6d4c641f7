// Text behind a summary: it is drawn only while it is open.

import { type ReactNode, useState } from 'react'
import styles from './path.module.css'

export function Fold({ label, children }: { readonly label: ReactNode; readonly children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.fold} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen ? children() : null}
    </details>
  )
}

/** Formatted, if it is JSON. */
export function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
