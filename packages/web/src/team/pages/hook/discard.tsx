import { type Hook, HooksService } from '@holdfast/team/messages'
import { Confirm } from '../../../parts/confirm.js'
import { line } from '../../../words/plain.js'
import { useCall } from '../../act.js'

interface DiscardProps {
  readonly hook: Hook
  readonly onClose: () => void
  readonly onDone: (after: Hook) => void
}

export function Discard({ hook, onClose, onDone }: DiscardProps) {
  const discard = useCall(HooksService.method.discardDraft, ['ListHooks', 'GetHook', 'ListAdminActions'])
  return (
    <Confirm
      title={`Discard the draft of “${line(hook.name)}”?`}
      action={`Discard version ${hook.draftVersion}`}
      onClose={onClose}
      onConfirm={async () => {
        const after = await discard({ id: hook.id })
        if (after.hook) onDone(after.hook)
      }}
    >
      <p className="muted">
        {hook.revision > 0
          ? `Version ${hook.draftVersion} is deleted. The published revision ${hook.revision} is not affected.`
          : `Version ${hook.draftVersion} is deleted. The hook was never published; only its name is kept.`}
      </p>
    </Confirm>
  )
}
