// A text to take along: a command, a link, a secret.

import { useEffect, useState } from 'react'
import { Button } from './button.js'
import styles from './copy.module.css'

const SAID_MS = 2000

export interface CopyProps {
  /** What it is, as it is heard. */
  readonly label: string
  readonly text: string
}

export function Copy({ label, text }: CopyProps) {
  return (
    <div className={styles.copy}>
      <code className={styles.text}>{text}</code>
      <CopyButton label={label} text={text} />
    </div>
  )
}

export function CopyButton({ label, text }: CopyProps) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => setSaid(''), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      // Without https a browser gives no clipboard away.
      () => setSaid('Select it by hand'),
    )
  return (
    <Button
      className={styles.button}
      onClick={() => void copy()}
      aria-label={said || `Copy ${label.toLowerCase()}`}
    >
      <span aria-live="polite">{said || 'Copy'}</span>
    </Button>
  )
}
