import { type Hook, HooksService } from '@holdfast/team/messages'
import { Button } from '../../../parts/button.js'
import { Dialog } from '../../../shell/dialog.js'
import { line } from '../../../words/plain.js'
import { useAct } from '../../act.js'
import styles from './edit.module.css'

export interface DiscardProps {
  readonly hook: Hook
  readonly onClose: () => void
  readonly onDone: (after: Hook) => void
}

export function Discard({ hook, onClose, onDone }: DiscardProps) {
  const discard = useAct(HooksService.method.discardDraft, ['ListHooks', 'GetHook', 'ListAdminActions'])
  return (
    <Dialog title={`Discard the draft of “${line(hook.name)}”?`} onClose={onClose}>
      <p className="muted">
        {hook.revision > 0
          ? `Version ${hook.draftVersion} is lost. What was published, revision ${hook.revision}, stays as it is.`
          : `Version ${hook.draftVersion} is lost. Nothing of this hook was ever published, so only its name stays.`}
      </p>
      {discard.error ? <p role="alert">{discard.error.rawMessage}</p> : null}
      <div className={styles.buttons}>
        <Button
          kind="danger"
          busy={discard.busy}
          onClick={async () => {
            const answer = await discard.run({ id: hook.id })
            if (answer?.hook) onDone(answer.hook)
          }}
        >
          Discard version {hook.draftVersion}
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Dialog>
  )
}
