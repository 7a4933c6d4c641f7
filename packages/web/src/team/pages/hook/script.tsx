// What the hook does: a script, or a question to a model.

import { Editor } from '../../../parts/editor/editor.js'
import { languageOf } from '../../../parts/editor/languages.js'
import { Field } from '../../../parts/fields.js'
import styles from './edit.module.css'
import type { Form } from './form.js'
import { type Problem, problemsOf } from './problems.js'

export interface PartProps {
  readonly form: Form
  readonly set: (change: Partial<Form>) => void
  readonly problems: readonly Problem[]
  readonly readOnly: boolean
}

export function Script({
  form,
  set,
  problems,
  readOnly,
  onSave,
}: PartProps & { readonly onSave: () => void }) {
  if (form.type === 'prompt') {
    return (
      <div className={styles.script}>
        <Field
          label="Prompt"
          problems={problemsOf(problems, 'prompt')}
          hint="$ARGUMENTS stands for the event as JSON; without it the event is appended. The model must answer whether it may go on."
        >
          {ids => (
            <textarea
              {...ids}
              className={styles.prompt}
              value={form.prompt}
              readOnly={readOnly}
              onChange={event => set({ prompt: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Model"
          hint="Empty: the one that the agent uses."
          problems={problemsOf(problems, 'model')}
        >
          {ids => (
            <input
              {...ids}
              value={form.model}
              readOnly={readOnly}
              onChange={event => set({ model: event.target.value })}
            />
          )}
        </Field>
      </div>
    )
  }
  const found = problemsOf(problems, 'script')
  return (
    <div className={styles.script}>
      <Field
        label="Script name"
        problems={problemsOf(problems, 'scriptName')}
        hint="The name of the file on every machine; its ending also chooses the colours here."
      >
        {ids => (
          <input
            {...ids}
            className="mono"
            value={form.scriptName}
            readOnly={readOnly}
            placeholder="guard.sh"
            onChange={event => set({ scriptName: event.target.value })}
          />
        )}
      </Field>
      <div className={styles.code}>
        <Editor
          label="Script"
          text={form.script}
          language={languageOf(form.scriptName)}
          readOnly={readOnly}
          onChange={script => set({ script })}
          onSave={onSave}
          placeholder="The program. It reads one event as JSON and answers with JSON."
        />
      </div>
      <div role="status" className={styles.problems}>
        {found.map(({ severity, message, hint }) => (
          <p key={message} data-severity={severity}>
            {message} {hint}
          </p>
        ))}
      </div>
    </div>
  )
}
