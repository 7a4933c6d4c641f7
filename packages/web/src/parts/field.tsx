// One question of a form: its name, what it means, and what is wrong with the answer.

import { type ReactNode, useId } from 'react'
import styles from './field.module.css'

export interface FieldProblem {
  readonly severity: string
  readonly message: string
  readonly hint?: string
}

export interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly problems?: readonly FieldProblem[]
  /** The control takes the ids that tie it to its name and to what is said about it. */
  readonly children: (ids: {
    readonly id: string
    readonly 'aria-describedby': string
    readonly 'aria-invalid'?: true
  }) => ReactNode
}

export function Field({ label, hint, problems = [], children }: FieldProps) {
  const id = useId()
  const isWrong = problems.some(({ severity }) => severity === 'error')
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': `${id}-said`,
        ...(isWrong ? { 'aria-invalid': true as const } : {}),
      })}
      <div id={`${id}-said`} className={styles.said}>
        {problems.map(({ severity, message, hint }) => (
          <p key={message} className={styles.problem} data-severity={severity}>
            {message} {hint}
          </p>
        ))}
        {hint ? <p className={styles.hint}>{hint}</p> : null}
      </div>
    </div>
  )
}

/** Several answers to one question. */
export const Choices = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <fieldset className={styles.choices}>
    <legend>{label}</legend>
    {children}
  </fieldset>
)

export const Check = ({
  checked,
  onChange,
  disabled = false,
  kind = 'checkbox',
  name,
  children,
}: {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
  readonly kind?: 'checkbox' | 'radio'
  readonly name?: string
  readonly children: ReactNode
}) => (
  <label className={styles.check}>
    <input
      type={kind}
      name={name}
      checked={checked}
      disabled={disabled}
      onChange={event => onChange(event.target.checked)}
    />
    <span>{children}</span>
  </label>
)

export { styles as fieldStyles }
