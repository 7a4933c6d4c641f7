// The content of a hook: a script, or a prompt for a model.

import { Editor } from '../../../parts/editor/editor.js'
import { languageOf } from '../../../parts/editor/languages.js'
import { Field, TextField } from '../../../parts/fields.js'
import styles from './edit.module.css'
import type { Form } from './form.js'
import { type Problem, problemsOf } from './problems.js'

export interface ScriptProps {
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
}: ScriptProps & { readonly onSave: () => void }) {
  if (form.type === 'prompt') {
    return (
      <div className={styles.script}>
        <Field
          label="Prompt"
          problems={problemsOf(problems, 'prompt')}
          hint="$ARGUMENTS is replaced by the event as JSON; without it the event is appended. The model decides whether the action may continue."
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
        <TextField
          label="Model"
          hint="(default: the model of the agent)"
          problems={problemsOf(problems, 'model')}
          value={form.model}
          readOnly={readOnly}
          onChange={value => set({ model: value })}
        />
      </div>
    )
  }
  const found = problemsOf(problems, 'script')
  return (
    <div className={styles.script}>
      <TextField
        label="Script name"
        problems={problemsOf(problems, 'scriptName')}
        hint="The file name on devices. Its extension selects the syntax colours."
        className="mono"
        value={form.scriptName}
        readOnly={readOnly}
        placeholder="guard.sh"
        onChange={value => set({ scriptName: value })}
      />
      <div className={styles.code}>
        <Editor
          label="Script"
          text={form.script}
          language={languageOf(form.scriptName)}
          readOnly={readOnly}
          onChange={script => set({ script })}
          onSave={onSave}
          placeholder="A program that reads one event as JSON and prints one response as JSON."
        />
      </div>
      <p className={styles.hint}>
        Tab indents. <kbd>Esc</kbd> then <kbd>Tab</kbd> leaves the editor.
      </p>
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
