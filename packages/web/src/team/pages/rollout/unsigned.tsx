// The release key is kept elsewhere: what must be signed, and how.

import type { Release, Seal } from '@holdfast/team/messages'
import { Copy } from '../../../parts/copy.js'
import { Facts } from '../../../parts/facts.js'
import styles from './rollout.module.css'

export function Unsigned({ release, seal }: { readonly release: Release; readonly seal: Seal | undefined }) {
  const command = `holdfast keys sign --server ${location.origin} --release ${release.number} --key release.key`
  return (
    <section className={styles.unsigned} aria-label="Signature">
      <h2>Not signed</h2>
      <p>
        The release key of this team is not on the server. Its holder signs this release on their own machine,
        with a personal token in <code>HOLDFAST_TOKEN</code>. This page updates after that.
      </p>
      <Copy label="the command" text={command} />
      <p className="muted" role="status">
        No device receives this release before it is signed. Halt it to withdraw it.
      </p>
      {seal ? (
        <details>
          <summary>Signed content</summary>
          <Facts
            facts={[
              ['SHA-256', <code key="hash">{release.hash}</code>],
              ['Type', <code key="type">{seal.type}</code>],
            ]}
          />
          <pre className={styles.payload} tabIndex={0}>
            {written(seal.payload)}
          </pre>
        </details>
      ) : null}
    </section>
  )
}

/** Exactly this text is signed; line breaks here are for reading only. */
function written(payload: Uint8Array): string {
  const text = new TextDecoder().decode(payload)
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
