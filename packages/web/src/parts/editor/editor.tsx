// A text that one edits or reads, with colours, problems and completion. The editor is fetched when it is first needed.

import { lazy, Suspense } from 'react'
import { Loading } from '../states.js'
import styles from './editor.module.css'
import { asBefore } from './ends.js'
import type { LanguageName } from './languages.js'
import type { Mark } from './marks.js'
import type { Schema } from './schema.js'

export interface EditorProps {
  /** What it holds, for who cannot see it. */
  readonly label: string
  /** As in the file: line ends and byte order mark stay what they are. Another text takes the place of the one shown. */
  readonly text: string
  readonly onChange?: ((text: string) => void) | undefined
  readonly language?: LanguageName | undefined
  readonly readOnly?: boolean | undefined
  readonly problems?: readonly Mark[] | undefined
  /** For completion in JSON. */
  readonly schema?: Schema | undefined
  /** mod+Enter */
  readonly onRun?: (() => void) | undefined
  /** mod+s */
  readonly onSave?: (() => void) | undefined
  /** Shows this line, from 1. */
  readonly line?: number | undefined
  readonly placeholder?: string | undefined
  /** Wraps long lines at every width. */
  readonly wrap?: boolean | undefined
  readonly focus?: boolean | undefined
  /** fill: as high as what it stands in. fit: as high as its text, up to a limit. */
  readonly height?: 'fill' | 'fit' | undefined
  readonly className?: string | undefined
}

// Where it cannot be fetched, a plain field does.
const Inside = lazy(() => import('./view.js').catch(() => ({ default: PlainField })))

const PlainField = ({ label, text, onChange, readOnly, className }: EditorProps) => (
  <textarea
    className={`${className} ${styles.plain}`}
    aria-label={label}
    value={text}
    readOnly={readOnly || !onChange}
    spellCheck={false}
    rows={Math.min(20, text.split('\n').length + 1)}
    onChange={event => onChange?.(asBefore(text, event.target.value))}
  />
)

export function Editor({ height = 'fill', className, ...props }: EditorProps) {
  const box = [styles.editor, styles[height], className].filter(Boolean).join(' ')
  return (
    <Suspense
      fallback={
        <div className={box}>
          <Loading rows={Math.min(12, props.text.split('\n').length)} label="Loading the editor" />
        </div>
      }
    >
      <Inside {...props} className={box} />
    </Suspense>
  )
}
