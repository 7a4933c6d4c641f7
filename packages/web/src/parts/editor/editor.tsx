// A text to edit or to read, with colours, problems and completion. The editor is loaded on first use.

import { lazy, Suspense } from 'react'
import { Loading } from '../states.js'
import styles from './editor.module.css'
import { asBefore } from './ends.js'
import type { LanguageName } from './languages.js'
import type { Mark } from './marks.js'
import type { Schema } from './schema.js'

export interface EditorProps {
  /** The accessible name. */
  readonly label: string
  /** As in the file: line breaks and byte order mark are kept. A new value replaces the shown text. */
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
  /** Scrolls to this line, from 1. */
  readonly line?: number | undefined
  readonly placeholder?: string | undefined
  /** Wraps long lines at every width. */
  readonly wrap?: boolean | undefined
  readonly focus?: boolean | undefined
  /** fill: as high as its container. fit: as high as its text, up to a limit. */
  readonly height?: 'fill' | 'fit' | undefined
  readonly className?: string | undefined
}

// When it cannot be loaded, a plain field replaces it.
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

const LINE_PX = 18
const PADDING_PX = 10
const heightOf = (text: string) => `min(${text.split('\n').length * LINE_PX + PADDING_PX}px, 60dvh, 560px)`

export function Editor({ height = 'fill', className, ...props }: EditorProps) {
  const box = [styles.editor, styles[height], className].filter(Boolean).join(' ')
  return (
    <Suspense
      fallback={
        // As high as the editor will be: nothing below it moves.
        <div className={box} style={height === 'fit' ? { height: heightOf(props.text) } : {}}>
          <Loading rows={Math.min(12, props.text.split('\n').length)} label="Loading the editor" />
        </div>
      }
    >
      <Inside {...props} className={box} />
      {props.readOnly || !props.onChange ? null : (
        <p className={styles.hint}>
          <kbd>Tab</kbd> indents. To leave the editor, press <kbd>Esc</kbd>, then <kbd>Tab</kbd>.
        </p>
      )}
    </Suspense>
  )
}
