// Another program wrote the file meanwhile. Both texts are shown; neither is overwritten.

import { Button } from '../../../parts/button.js'
import { Diff } from '../../../parts/diff.js'
import { Notice } from '../../../parts/notice.js'
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
    <Notice tone="ask" role="alert">
      <h2 id="conflict">{line(shown)} changed on disk while you edited it</h2>
      <p>Your text is not saved. Copy what you need from the file on disk, then save.</p>
    </Notice>
    <Diff
      label={shown}
      before={disk}
      after={mine}
      language="json"
      names={['on disk', 'your text (editable)']}
      onChange={onChange}
    />
    {refused ? (
      <p className={styles.refused} role="alert">
        {line(refused)}
      </p>
    ) : null}
    <div className={styles.foot}>
      <Button onClick={onTakeDisk}>Use the file on disk</Button>
      <Button kind="primary" busy={isBusy} onClick={onSave}>
        Save my text
      </Button>
    </div>
  </section>
)
