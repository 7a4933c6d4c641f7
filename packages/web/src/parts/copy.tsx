// A text to copy: a command, a link, a secret.

import { Check, Copy as CopyIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { lines } from '../words/plain.js'
import { Button } from './button.js'
import styles from './copy.module.css'

const SHOWN_MS = 2000

interface CopyProps {
  /** The name of the text, for screen readers: "the command". */
  readonly label: string
  readonly text: string
}

export const Copy = ({ label, text }: CopyProps) => (
  <div className={styles.copy}>
    <pre className={styles.text} role="region" aria-label={label} tabIndex={0}>
      <code>{lines(text)}</code>
    </pre>
    <CopyButton label={label} text={text} />
  </div>
)

export function CopyButton({ label, text }: CopyProps) {
  const [result, setResult] = useState<'copied' | 'failed' | null>(null)
  useEffect(() => {
    if (result === null) return
    const timer = setTimeout(() => setResult(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [result])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setResult('copied'),
      // Browsers have no clipboard without https.
      () => setResult('failed'),
    )
  const Icon = result === 'copied' ? Check : CopyIcon
  return (
    <Button kind="quiet" className={styles.button} aria-label={`Copy ${label}`} onClick={() => void copy()}>
      <Icon size={14} aria-hidden="true" />
      <span role="status">
        {result === 'copied' ? 'Copied' : result === 'failed' ? 'Select and copy it' : 'Copy'}
      </span>
    </Button>
  )
}
