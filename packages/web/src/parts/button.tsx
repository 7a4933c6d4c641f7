import type { ButtonHTMLAttributes } from 'react'
import styles from './button.module.css'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One primary button at most on a page; danger for what cannot be taken back. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  /** Why it cannot be pressed, such as the role that may. It stays where it is and says so. */
  readonly because?: string | undefined
  readonly busy?: boolean
}

/** What is busy or not allowed can still be reached by keys, so that its reason can be read; it does nothing. */
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
