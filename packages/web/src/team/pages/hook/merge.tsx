// Merges two versions of a draft. Fields that only one person changed are taken; the user chooses the others.

import type { Hook } from '@holdfast/team/messages'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Diff } from '../../../parts/diff.js'
import { languageOf } from '../../../parts/editor/languages.js'
import { Check } from '../../../parts/fields.js'
import { Notice } from '../../../parts/notice.js'
import { Page } from '../../../parts/page.js'
import { lines } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import tables from '../revision/revision.module.css'
import styles from './edit.module.css'
import { describeField, type Form, formOf, WORDS } from './form.js'
import { bothChanged, merged } from './merge-forms.js'

export interface MergeProps {
  readonly base: Form
  readonly mine: Form
  readonly theirs: Hook
  readonly busy: boolean
  readonly error: string | undefined
  readonly onSave: (form: Form) => void
  readonly onTakeTheirs: () => void
  readonly onBack: () => void
}

export function Merge({ base, mine, theirs: hook, busy, error, onSave, onTakeTheirs, onBack }: MergeProps) {
  const theirs = formOf(hook)
  const [chosen, setChosen] = useState<ReadonlySet<keyof Form>>(new Set())
  const start = merged(base, mine, theirs, new Set())
  const [script, setScript] = useState(start.script)
  const both = bothChanged(base, mine, theirs)
  const fields = WORDS.filter(([field]) => both.includes(field))
  const who = hook.changedBy || 'Somebody'
  const choose = (field: keyof Form, isTheirs: boolean) =>
    setChosen(before => {
      const after = new Set(before)
      if (isTheirs) after.add(field)
      else after.delete(field)
      return after
    })
  const hasScript = mine.type === 'command' && theirs.type === 'command' && mine.script !== theirs.script
  return (
    <Page
      title={`${who} also changed this draft`}
      figures={
        <span title={whole(hook.changedAt)}>
          Version {hook.draftVersion}, saved {ago(hook.changedAt)}. Nothing is overwritten until you save the
          merged draft.
        </span>
      }
      actions={
        <>
          <Button onClick={onBack}>Back to mine</Button>
          <Button kind="danger" onClick={onTakeTheirs}>
            Discard mine, use version {hook.draftVersion}
          </Button>
          <Button
            kind="primary"
            busy={busy}
            onClick={() =>
              onSave({ ...merged(base, mine, theirs, chosen), ...(hasScript ? { script } : {}) })
            }
          >
            Save the merged draft as version {hook.draftVersion + 1}
          </Button>
        </>
      }
    >
      <div className={styles.merge}>
        {error ? (
          <Notice tone="deny" role="alert">
            {error}
          </Notice>
        ) : null}
        {fields.length > 0 ? (
          <table className={tables.fields}>
            <caption>Changed by both: choose a value for each</caption>
            <thead>
              <tr>
                <th scope="col">Option</th>
                <th scope="col">Before</th>
                <th scope="col">Yours</th>
                <th scope="col">{who}’s</th>
              </tr>
            </thead>
            <tbody>
              {fields.map(([field, label]) => (
                <tr key={field}>
                  <th scope="row">{label}</th>
                  <td>{lines(describeField(field, base)) || '–'}</td>
                  <td>
                    <Check
                      kind="radio"
                      name={field}
                      checked={!chosen.has(field)}
                      onChange={() => choose(field, false)}
                    >
                      {lines(describeField(field, mine)) || 'empty'}
                    </Check>
                  </td>
                  <td>
                    <Check
                      kind="radio"
                      name={field}
                      checked={chosen.has(field)}
                      onChange={() => choose(field, true)}
                    >
                      {lines(describeField(field, theirs)) || 'empty'}
                    </Check>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : (
          <p className="muted">No option was changed by both. The changes of each of you are kept.</p>
        )}
        {hasScript ? (
          <section className={styles.merge}>
            <h2>Script</h2>
            <p className="muted">Copy parts of the other draft, or edit the script. Your side is saved.</p>
            <Diff
              label="Script"
              before={theirs.script}
              after={script}
              onChange={setScript}
              language={languageOf(mine.scriptName)}
              names={[`${who}’s, version ${hook.draftVersion}`, 'merged script']}
            />
          </section>
        ) : null}
      </div>
    </Page>
  )
}
