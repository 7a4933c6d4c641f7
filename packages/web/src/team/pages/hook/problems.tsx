// The problems that the server finds in unsaved changes, shortly after the last keystroke.

import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { HooksService, type Problem } from '@holdfast/team/messages'
import { useEffect, useState } from 'react'
import { line } from '../../../words/plain.js'
import styles from './edit.module.css'
import { contentOf, type Form, fieldOf } from './form.js'

export type { Problem }

const PATIENCE_MS = 400

/** Undefined until the server has answered. */
export function useProblems(form: Form, id: number, isOn: boolean): readonly Problem[] | undefined {
  const transport = useTransport()
  const [problems, setProblems] = useState<readonly Problem[]>()
  useEffect(() => {
    if (!isOn) return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      createClient(HooksService, transport)
        .saveDraft({ id, name: form.name, draft: contentOf(form), checkOnly: true }, { signal: stop.signal })
        .then(answer => setProblems(answer.problems))
        // Saving reports the same problems.
        .catch(() => {})
    }, PATIENCE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [form, id, isOn, transport])
  return isOn ? problems : undefined
}

export const problemsOf = (problems: readonly Problem[], field: keyof Form): Problem[] =>
  problems.filter(one => fieldOf(one.field) === field)

/** The number of problems, and those that belong to no field. */
export function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const others = problems.filter(({ field }) => fieldOf(field) === undefined)
  return (
    <div className={styles.problems} role="status">
      {errors > 0 ? `${errors} ${errors === 1 ? 'problem prevents' : 'problems prevent'} publishing.` : null}
      {others.map(({ message, hint, severity }) => (
        <p key={message} data-severity={severity}>
          {line(message)} {line(hint)}
        </p>
      ))}
    </div>
  )
}
