// Somebody else wrote the file meanwhile. Both texts stand here; nothing is written over.

import { Button } from '../../../parts/button.js'
import { Diff } from '../../../parts/diff.js'
import { line } from '../../../words/plain.js'
import styles from './edit.module.css'

export interface ConflictProps {
  readonly shown: string
  readonly disk: string
  readonly mine: string
  readonly onChange: (text: string) => void
  readonly isBusy: boolean
  readonly refused: string | null
  readonly onSave: () => void
  readonly onTakeDisk: () => void
}

export const Conflict = ({
  shown,
  disk,
  mine,
  onChange,
  isBusy,
  refused,
  onSave,
  onTakeDisk,
}: ConflictProps) => (
  <section className={styles.conflict} aria-labelledby="conflict">
    <div className={styles.notice} role="alert">
      <h2 id="conflict">{line(shown)} changed on disk while you edited it</h2>
      <p>
        Nothing was written. Take over what you want from the one on disk, edit yours, and save it. Your text
        is kept until then.
      </p>
    </div>
    <Diff
      label={shown}
      before={disk}
      after={mine}
      language="json"
      names={['on disk now', 'yours, can be edited']}
      onChange={onChange}
    />
    {refused ? (
      <p className={styles.refused} role="alert">
        {line(refused)}
      </p>
    ) : null}
    <div className={styles.foot}>
      <Button onClick={onTakeDisk}>Take the one on disk, drop mine</Button>
      <Button kind="primary" busy={isBusy} onClick={onSave}>
        Save mine
      </Button>
    </div>
  </section>
)
