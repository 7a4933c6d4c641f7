// The release key is kept elsewhere: what must be signed, and how.

import type { Release, Seal } from '@holdfast/team/messages'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import styles from './rollout.module.css'

export function Unsigned({ release, seal }: { readonly release: Release; readonly seal: Seal | undefined }) {
  const [isCopied, setCopied] = useState(false)
  const command = `holdfast keys sign --server ${location.origin} --release ${release.number} --key release.key`
  return (
    <section className={styles.unsigned} aria-label="Signature">
      <h2>Waits for its signature</h2>
      <p>
        This team keeps its release key away from the server. Whoever has it signs this release on their own
        machine, with a token of theirs in <code>HOLDFAST_TOKEN</code>; this page goes on by itself when they
        have.
      </p>
      <div className={styles.command}>
        <code tabIndex={0}>{command}</code>
        <Button
          onClick={() =>
            void navigator.clipboard.writeText(command).then(
              () => setCopied(true),
              () => setCopied(false),
            )
          }
        >
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </div>
      <p className="muted" role="status">
        Waiting. Nothing reaches a device before. Halt it to give it up.
      </p>
      {seal ? (
        <details>
          <summary>What will be signed</summary>
          <dl className={styles.facts}>
            <dt>SHA-256</dt>
            <dd className="mono">{release.hash}</dd>
            <dt>Type</dt>
            <dd className="mono">{seal.type}</dd>
          </dl>
          <pre className={styles.payload} tabIndex={0}>
            {written(seal.payload)}
          </pre>
        </details>
      ) : null}
    </section>
  )
}

/** The text itself is signed, to the letter; here it is broken into lines for reading. */
function written(payload: Uint8Array): string {
  const text = new TextDecoder().decode(payload)
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
