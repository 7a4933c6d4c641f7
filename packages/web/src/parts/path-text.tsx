// Text behind a line that opens it: it is only drawn when it is open.

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

/** With line ends, if it is JSON; as it is, if not. */
export function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
