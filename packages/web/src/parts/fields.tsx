// Fields of a form: a name above, a hint below, and what is wrong with it where it is wrong.

import { type InputHTMLAttributes, type ReactNode, useId } from 'react'
import styles from './fields.module.css'

interface Around {
  readonly label: string
  readonly hint?: ReactNode
  /** Why nothing can be changed here, such as the role that may. */
  readonly because?: string | undefined
}

export interface TextFieldProps
  extends Around,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'> {
  readonly value: string
  readonly onChange: (text: string) => void
  /** After the field: its unit. */
  readonly unit?: string
}

export function TextField({ label, hint, because, value, onChange, unit, ...rest }: TextFieldProps) {
  const id = useId()
  const says = because ?? hint
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <span className={styles.line}>
        <input
          {...rest}
          id={id}
          className={styles.input}
          value={value}
          readOnly={because !== undefined || rest.readOnly}
          aria-describedby={says ? `${id}-hint` : undefined}
          onChange={event => onChange(event.target.value)}
        />
        {unit ? <span className="muted">{unit}</span> : null}
      </span>
      {says ? (
        <span className={styles.hint} id={`${id}-hint`}>
          {says}
        </span>
      ) : null}
    </div>
  )
}

export interface Option {
  readonly value: string
  readonly label: string
}

export interface ChoiceProps extends Around {
  readonly value: string
  readonly options: readonly Option[]
  readonly onChange: (value: string) => void
  /** The name is only heard: in a row of a table. */
  readonly quiet?: boolean
  readonly busy?: boolean
}

/** The browser's own list: it works by keys, by touch and by voice. */
export function Choice({ label, hint, because, value, options, onChange, quiet, busy }: ChoiceProps) {
  const id = useId()
  const isOff = because !== undefined || busy === true
  const says = quiet ? undefined : (because ?? hint)
  return (
    <div className={styles.field}>
      {quiet ? null : <label htmlFor={id}>{label}</label>}
      <select
        id={id}
        className={styles.input}
        aria-label={quiet ? label : undefined}
        aria-describedby={says ? `${id}-hint` : undefined}
        value={value}
        disabled={isOff}
        title={because}
        onChange={event => onChange(event.target.value)}
      >
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {says ? (
        <span className={styles.hint} id={`${id}-hint`}>
          {says}
        </span>
      ) : null}
    </div>
  )
}

/** What a form says when it could not do what was asked. */
export const Wrong = ({ children }: { readonly children: ReactNode }) =>
  children ? (
    <p className={styles.wrong} role="alert">
      {children}
    </p>
  ) : null

/** What it says when it did. */
export const Done = ({ children }: { readonly children: ReactNode }) => (
  <p className={styles.done} role="status">
    {children}
  </p>
)
