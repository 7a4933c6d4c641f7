// The actions of a hook.

import { Link } from '@tanstack/react-router'
import type { Hook } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import buttons from '../../../parts/button.module.css'
import { toAddress } from './address.js'
import styles from './hooks.module.css'
import { needsTrust } from './shown.js'

export function HookActions({
  hook,
  onTrust,
  isBeside = false,
}: {
  readonly hook: Hook
  readonly onTrust: () => void
  readonly isBeside?: boolean
}) {
  const address = { hook: toAddress(hook.id) }
  return (
    <div className={styles.actions}>
      {needsTrust(hook) ? (
        <Button kind={isBeside ? 'plain' : 'primary'} onClick={onTrust} aria-haspopup="dialog">
          Review and trust
        </Button>
      ) : null}
      <Link to="/hooks/$hook/edit" params={address} className={buttons.button}>
        Edit
      </Link>
      <Link to="/fire" search={{ event: hook.event }} className={buttons.button}>
        Fire event
      </Link>
      {isBeside ? (
        <Link to="/hooks/$hook" params={address} className={buttons.button}>
          Open as a page
        </Link>
      ) : null}
    </div>
  )
}
