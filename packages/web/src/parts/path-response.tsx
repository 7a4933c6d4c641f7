// The response of one hook, and how its run ended.

import { hookName } from '../words/hook.js'
import { line } from '../words/plain.js'
import { span } from '../words/time.js'
import styles from './path.module.css'
import { Long, Place } from './path-inside.js'
import type { StepShape } from './path-record.js'
import { Fold } from './path-text.js'
import { Verdict, verdictWord } from './verdict.js'

export function Response({ step, isChosen }: { readonly step: StepShape; readonly isChosen: boolean }) {
  const { source, hook, verdict, durationMs, file, line: at, observed, would } = step
  const exit = exitWords(step)
  return (
    <li className={styles.answer} data-chosen={isChosen || undefined} aria-current={isChosen || undefined}>
      <div className={styles.answerHead}>
        <span className={styles.source}>{line(source)}</span>
        <span className={styles.hook} title={line(hook)}>
          {line(hookName(hook))}
        </span>
        <Verdict name={verdict} />
        <span className={styles.took}>{span(durationMs)}</span>
      </div>
      <div className={styles.said}>
        {step.message ? (
          <Long
            of={step}
            name="message"
            label="message"
            draw={words => <p className={styles.message}>{step.failure ? words : `“${words}”`}</p>}
          />
        ) : null}
        {exit || file ? (
          <p className={styles.facts}>
            {exit}
            {exit && file ? ' · ' : ''}
            <Place file={file} at={at} />
          </p>
        ) : null}
        {observed ? (
          <p className={styles.quiet}>
            Audit mode: it changes nothing
            {would ? `; enforced, it would be: ${verdictWord(would === 'abstain' ? 'none' : would)}` : ''}.
          </p>
        ) : null}
        {step.notes.length > 0 ? <p className={styles.quiet}>{step.notes.map(line).join(' · ')}</p> : null}
        {step.answerJson ? (
          <Fold label="Response">{() => <Long of={step} name="answerJson" label="Response" />}</Fold>
        ) : null}
        {step.stderr ? (
          <Fold label="stderr">{() => <Long of={step} name="stderr" label="stderr" />}</Fold>
        ) : null}
      </div>
    </li>
  )
}

function exitWords({ exitCode, signal, failure }: StepShape): string {
  const how = signal ? `ended by ${signal}` : exitCode === undefined ? '' : `exit ${exitCode}`
  if (failure) return [line(failure), how].filter(Boolean).join(', ')
  return exitCode === 0 ? '' : how
}
