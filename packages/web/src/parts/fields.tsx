// Fields of a form: a name above, a hint below, and what is wrong with the answer where it is wrong.

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
  /** Why nothing can be changed here, such as the role that may. */
  readonly because?: string | undefined
  /** The name is only heard: in a row of a table. */
  readonly quiet?: boolean
}

interface Ids {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-label'?: string
  readonly 'aria-invalid'?: true
}

export interface FieldProps extends Around {
  readonly problems?: readonly FieldProblem[]
  /** The control takes the ids that tie it to its name and to what is said about it. */
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
          <p key={message} className={styles.problem} data-severity={severity}>
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
  value,
  onChange,
  unit,
  ...rest
}: TextFieldProps) => (
  <Field label={label} hint={hint} because={because} quiet={quiet ?? false}>
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

/** The browser's own list: it works by keys, by touch and by voice. */
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
