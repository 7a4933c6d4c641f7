// The way of one event, from top to bottom: what it was, which hooks it met, what each said, how that became one
// verdict, and what the person and the agent were told.

import type { ReactNode } from 'react'
import { count } from '../words/number.js'
import { line } from '../words/plain.js'
import { span } from '../words/time.js'
import styles from './path.module.css'
import { Answer } from './path-answer.js'
import { Bars } from './path-bars.js'
import { From, Long, type Origin, Place } from './path-inside.js'
import { together, waterfall } from './path-layout.js'
import type { PathShape, SkippedShape } from './path-record.js'
import { Fold } from './path-text.js'
import { verdictWord } from './verdict.js'

export { type PathShape, pathOfRecord } from './path-record.js'

export interface PathViewProps {
  readonly path: PathShape
  /** The step that was asked for: it is marked. */
  readonly step?: number | undefined
  /** Beside the event: a link to its session. */
  readonly about?: ReactNode
  readonly from?: Origin
}

const NOWHERE: Origin = { roots: [] }

export const PathView = ({ from = NOWHERE, ...rest }: PathViewProps) => (
  <From value={from}>
    <Way {...rest} />
  </From>
)

const Way = ({ path, step, about }: Omit<PathViewProps, 'from'>) => (
  <ol className={styles.path}>
    <Stage title="Event">
      <p className={styles.quiet}>
        {[path.event, path.profile ? `profile ${path.profile}` : ''].filter(Boolean).map(line).join(' · ')}
        {about ? <> · {about}</> : null}
      </p>
      {path.problems.map(problem => (
        <p key={`${problem.path} ${problem.message}`} className={styles.problem}>
          {line(problem.message)} {problem.hint ? <span className="muted">{line(problem.hint)}</span> : null}
        </p>
      ))}
      {path.notes.map(note => (
        <p key={note} className={styles.quiet}>
          {line(note)}
        </p>
      ))}
      {path.payloadJson ? (
        <Fold label="Payload">{() => <Long of={path} name="payloadJson" label="Payload" />}</Fold>
      ) : null}
    </Stage>
    <Matched path={path} />
    {path.steps.length > 0 ? (
      <Stage title={path.steps.length === 1 ? 'Answer' : 'Answers'}>
        <ul className={styles.answers}>
          {path.steps.map((each, index) => (
            <Answer
              key={each.runId || index}
              step={each}
              isChosen={index === step && path.steps.length > 1}
            />
          ))}
        </ul>
      </Stage>
    ) : null}
    {path.merged ? (
      <Stage title="Merged">
        <p className={styles.quiet}>{line(path.merged)}</p>
      </Stage>
    ) : null}
    <Outcome path={path} />
  </ol>
)

const Stage = ({
  title,
  tone,
  children,
}: {
  readonly title: ReactNode
  readonly tone?: string
  readonly children?: ReactNode
}) => (
  <li className={styles.stage} data-tone={tone}>
    <h3>{title}</h3>
    {children}
  </li>
)

function Matched({ path }: { readonly path: PathShape }) {
  const { steps, skipped, skippedKnown } = path
  const all = steps.length + skipped.length
  const title =
    steps.length === 0
      ? 'No hook matched'
      : skippedKnown
        ? `${steps.length} of ${count(all, 'hook')} matched`
        : `${count(steps.length, 'hook')} ran`
  const { totalMs } = waterfall(steps)
  const ran =
    steps.length < 2
      ? ''
      : `${together(steps) ? 'Ran together' : 'Ran one after the other'} for ${span(totalMs)}.`
  return (
    <Stage title={title}>
      <p className={styles.quiet}>{[skippedWords(path), ran].filter(Boolean).join(' ')}</p>
      {skipped.length > 0 ? <SkippedList skipped={skipped} /> : null}
      {steps.length > 0 ? <Bars steps={steps} /> : null}
    </Stage>
  )
}

function skippedWords({ skipped, skippedKnown, steps }: PathShape): string {
  if (!skippedKnown) return 'The log does not keep which hooks were skipped.'
  if (skipped.length === 0) return steps.length > 0 ? 'None was skipped.' : 'Nothing is configured for it.'
  const whys = new Set(skipped.map(({ why, reason }) => why || reason))
  return whys.size === 1 ? `${skipped.length} skipped: ${line([...whys][0]!)}.` : `${skipped.length} skipped.`
}

const SkippedList = ({ skipped }: { readonly skipped: readonly SkippedShape[] }) => (
  <Fold label={`Why ${skipped.length === 1 ? 'it was' : 'they were'} skipped`}>
    {() => (
      <ul className={styles.skipped}>
        {skipped.map(({ source, hook, why, reason, file, line: at }) => (
          <li key={`${source} ${hook} ${file}:${at}`}>
            <span className={styles.source}>{line(source)}</span> {line(hook)}
            <span className={styles.why}>
              {line(why || reason)} <Place file={file} at={at} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </Fold>
)

const DONE: Readonly<Record<string, string>> = {
  allow: 'Allowed in',
  deny: 'Denied in',
  ask: 'Put to the person after',
  none: 'Went on after',
}

const TOLD = [
  { name: 'userMessage', label: 'To the user' },
  { name: 'agentMessage', label: 'To the agent' },
  { name: 'additionalContext', label: 'Added context' },
  { name: 'followupMessage', label: 'Follow-up' },
] as const

function Outcome({ path }: { readonly path: PathShape }) {
  const told = TOLD.filter(({ name }) => path[name] !== '')
  const hasTold = told.length > 0 || path.env.length > 0
  return (
    <Stage
      title={`${DONE[path.verdict] ?? `${verdictWord(path.verdict)} in`} ${span(path.durationMs)}`}
      tone={path.verdict}
    >
      {hasTold ? (
        <dl className={styles.told}>
          {told.map(({ name, label }) => (
            <div key={name}>
              <dt>{label}</dt>
              <dd>
                <Long of={path} name={name} label={label} draw={words => words} />
              </dd>
            </div>
          ))}
          {path.env.length > 0 ? (
            <div>
              <dt>Variables</dt>
              <dd>{path.env.map(line).join(', ')}</dd>
            </div>
          ) : null}
        </dl>
      ) : (
        <p className={styles.quiet}>Nobody was told anything.</p>
      )}
      {path.updatedInputJson ? (
        <Fold label="Changed input">
          {() => <Long of={path} name="updatedInputJson" label="Changed input" />}
        </Fold>
      ) : null}
      {path.redacted.length > 0 ? (
        <div className={styles.redacted}>
          <p>{count(path.redacted.length, 'place')} altered before it was written down:</p>
          <ul>
            {path.redacted.map((each, index) => (
              <li key={index} className="mono">
                {line(each)}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </Stage>
  )
}
