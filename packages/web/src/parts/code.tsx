// A few lines to read or to take along. Longer texts are for the editor.

import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { lines } from '../words/plain.js'
import { Button } from './button.js'
import styles from './code.module.css'

export interface CodeProps {
  readonly text: string
  readonly label: string
  /** Offers to copy it. */
  readonly copy?: boolean | undefined
}

export const Code = ({ text, label, copy = false }: CodeProps) => (
  <div className={styles.code}>
    <pre className={styles.text} role="region" aria-label={label} tabIndex={0}>
      {lines(text)}
    </pre>
    {copy ? <CopyButton text={text} label={`Copy ${label}`} /> : null}
  </div>
)

const SAID_MS = 1600

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState<'copied' | 'failed' | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('copied'),
      () => setSaid('failed'),
    )
  return (
    <Button kind="quiet" className={styles.copy} aria-label={label} onClick={() => void copy()}>
      {said === 'copied' ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      <span role="status">
        {said === 'copied' ? 'Copied' : said === 'failed' ? 'Not allowed here' : 'Copy'}
      </span>
    </Button>
  )
}
