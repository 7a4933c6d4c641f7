// The review before a file is written: its changes.

import { useEffect, useRef } from 'react'
import { Button } from '../../../parts/button.js'
import { Diff } from '../../../parts/diff.js'
import { Dialog } from '../../../shell/dialog.js'
import { keyCaps, useKeys } from '../../../shell/keys.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import styles from './edit.module.css'

export interface SaveDialogProps {
  readonly shown: string
  readonly before: string
  readonly after: string
  readonly errors: number
  readonly isNew: boolean
  readonly isBusy: boolean
  readonly refused: string | null
  readonly onSave: () => void
  readonly onClose: () => void
}

export function SaveDialog(props: SaveDialogProps) {
  const { shown, before, after, errors, isNew, isBusy, refused, onSave, onClose } = props
  const foot = useRef<HTMLDivElement>(null)
  // The dialog focuses its first button; the expected one is the last.
  useEffect(() => foot.current?.querySelector<HTMLElement>('button:last-child')?.focus(), [])
  const save = () => {
    if (!isBusy) onSave()
  }
  useKeys([
    { keys: 'mod+s', label: 'Save', group: 'Editor', run: save },
    { keys: 'mod+enter', label: 'Save', group: 'Editor', run: save },
  ])
  return (
    <Dialog title={isNew ? `Write ${shown}` : `Save ${shown}`} onClose={onClose} wide>
      <Diff
        label={shown}
        before={before}
        after={after}
        language="json"
        names={[isNew ? 'no file yet' : 'on disk', 'to be saved']}
      />
      {errors > 0 ? (
        <p className={styles.warned}>With {count(errors, 'error')}; see the list under the editor.</p>
      ) : null}
      {refused ? (
        <p className={styles.refused} role="alert">
          {line(refused)}
        </p>
      ) : null}
      <div className={styles.foot} ref={foot}>
        <Button onClick={onClose}>Keep editing</Button>
        <Button kind="primary" busy={isBusy} onClick={save}>
          {errors > 0 ? `Save with ${count(errors, 'error')}` : 'Save'}
          <kbd aria-hidden="true">{keyCaps('mod+s').join('')}</kbd>
        </Button>
      </div>
    </Dialog>
  )
}
