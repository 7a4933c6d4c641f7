import type { ButtonHTMLAttributes } from 'react'
import styles from './button.module.css'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** At most one primary button on a page; danger is for actions that cannot be undone. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  /** Why it is disabled, such as a missing role; shown as a tooltip. */
  readonly because?: string | undefined
  readonly busy?: boolean
}

/** A busy or disabled button keeps the focus, so that its reason can be read. */
export function Button({ kind = 'plain', because, busy = false, onClick, className, ...rest }: ButtonProps) {
  const isOff = because !== undefined || busy || rest.disabled === true
  return (
    <button
      type="button"
      {...rest}
      disabled={undefined}
      className={[styles.button, styles[kind], className].filter(Boolean).join(' ')}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      title={because ?? rest.title}
      onClick={event => {
        if (isOff) event.preventDefault()
        else onClick?.(event)
      }}
    />
  )
}
