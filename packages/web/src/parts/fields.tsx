// Fields of a form: a label above, a hint below, and the error beside the value.

import { type InputHTMLAttributes, type ReactNode, useId } from 'react'
import { line } from '../words/plain.js'
import styles from './fields.module.css'

export interface FieldProblem {
  readonly severity: string
  readonly message: string
  readonly hint?: string
}

interface Around {
  readonly label: string
  readonly hint?: ReactNode
  /** Why the field is disabled, such as a missing role. */
  readonly because?: string | undefined
  /** The label is for screen readers only: in a row of a table. */
  readonly quiet?: boolean
  readonly problems?: readonly FieldProblem[] | undefined
}

interface Ids {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-label'?: string
  readonly 'aria-invalid'?: true
}

export interface FieldProps extends Around {
  /** Receives the ids that connect the control with its label and its description. */
  readonly children: (ids: Ids) => ReactNode
}

export function Field({ label, hint, because, quiet = false, problems = [], children }: FieldProps) {
  const id = useId()
  const says = quiet ? undefined : (because ?? hint)
  const isWrong = problems.some(({ severity }) => severity === 'error')
  return (
    <div className={styles.field}>
      {quiet ? null : <label htmlFor={id}>{label}</label>}
      {children({
        id,
        'aria-describedby': `${id}-said`,
        ...(quiet ? { 'aria-label': label } : {}),
        ...(isWrong ? { 'aria-invalid': true as const } : {}),
      })}
      <div id={`${id}-said`} className={styles.said}>
        {problems.map(({ severity, message, hint }) => (
          <p key={message} data-severity={severity}>
            {line(message)} {hint ? line(hint) : null}
          </p>
        ))}
        {says ? <p className={styles.hint}>{says}</p> : null}
      </div>
    </div>
  )
}

export interface TextFieldProps
  extends Around,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'> {
  readonly value: string
  readonly onChange: (text: string) => void
  /** After the field: its unit. */
  readonly unit?: string
}

export const TextField = ({
  label,
  hint,
  because,
  quiet,
  problems,
  value,
  onChange,
  unit,
  ...rest
}: TextFieldProps) => (
  <Field label={label} hint={hint} because={because} quiet={quiet ?? false} problems={problems}>
    {ids => (
      <span className={styles.line}>
        <input
          {...rest}
          {...ids}
          value={value}
          readOnly={because !== undefined || rest.readOnly}
          onChange={event => onChange(event.target.value)}
        />
        {unit ? <span className="muted">{unit}</span> : null}
      </span>
    )}
  </Field>
)

export interface Option {
  readonly value: string
  readonly label: string
}

export interface ChoiceProps extends Around {
  readonly value: string
  readonly options: readonly Option[]
  readonly onChange: (value: string) => void
  readonly busy?: boolean
}

/** A native list: it works with keys, touch and assistive technology. */
export const Choice = ({ value, options, onChange, busy = false, ...around }: ChoiceProps) => (
  <Field {...around}>
    {ids => (
      <select
        {...ids}
        className={styles.choice}
        value={value}
        disabled={around.because !== undefined || busy}
        title={around.because}
        onChange={event => onChange(event.target.value)}
      >
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** Several values for one field. */
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

/** The error of a form. */
export const Wrong = ({ children }: { readonly children: ReactNode }) =>
  children ? (
    <p className={styles.wrong} role="alert">
      {children}
    </p>
  ) : null

/** The confirmation of a form. */
export const Done = ({ children }: { readonly children: ReactNode }) => (
  <p className={styles.done} role="status">
    {children}
  </p>
)
