// Long text from elsewhere behind a line that opens it. It is only drawn when it is open, and cut where it is huge.

import { type ReactNode, useState } from 'react'
import { lines } from '../words/plain.js'
import { Button } from './button.js'
import styles from './path.module.css'

const MOST_LETTERS = 64 * 1024

export function Fold({ label, children }: { readonly label: ReactNode; readonly children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.fold} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen ? children() : null}
    </details>
  )
}

export function LongText({ text, label }: { readonly text: string; readonly label: string }) {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > MOST_LETTERS
  return (
    <>
      <pre className={styles.text} tabIndex={0} role="region" aria-label={label}>
        {lines(isCut ? text.slice(0, MOST_LETTERS) : text)}
      </pre>
      {isCut ? (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          Show all of it, {size(text.length)}
        </Button>
      ) : null}
    </>
  )
}

export const size = (letters: number): string =>
  letters < 10_000
    ? `${letters} letters`
    : letters < 1_000_000
      ? `${Math.round(letters / 1000)} KB`
      : `${(letters / 1_000_000).toFixed(1)} MB`

/** With line ends, if it is JSON; as it is, if not. */
export function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
