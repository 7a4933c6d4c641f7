// The way of one event, from top to bottom: what it was, which hooks it met, what each said, how that became one
// verdict, and what the person and the agent were told.

import { createContext, type ReactNode, useContext } from 'react'
import { count } from '../words/number.js'
import { placeOf } from '../words/place.js'
import { line, lines } from '../words/plain.js'
import { span } from '../words/time.js'
import styles from './path.module.css'
import { Bars } from './path-bars.js'
import { together, waterfall } from './path-layout.js'
import type { PathShape, SkippedShape, StepShape } from './path-record.js'
import { Fold, LongText, pretty } from './path-text.js'
import { Verdict, verdictWord } from './verdict.js'

export { type PathShape, pathOfRecord } from './path-record.js'

export interface PathViewProps {
  readonly path: PathShape
  /** The step that was asked for: it is marked. */
  readonly step?: number | undefined
  /** Beside the event: a link to its session. */
  readonly about?: ReactNode
  /** Files below them are called by the rest of their path. */
  readonly roots?: readonly string[]
}

const Roots = createContext<readonly string[]>([])

export const PathView = ({ roots = [], ...rest }: PathViewProps) => (
  <Roots value={roots}>
    <Way {...rest} />
  </Roots>
)

const Way = ({ path, step, about }: Omit<PathViewProps, 'roots'>) => (
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
        <Fold label="Payload">{() => <LongText label="Payload" text={pretty(path.payloadJson)} />}</Fold>
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

function Place({ file, at }: { readonly file: string; readonly at: number }) {
  const roots = useContext(Roots)
  return file ? <span title={line(file)}>{line(placeOf(file, at, roots))}</span> : null
}

function Answer({ step, isChosen }: { readonly step: StepShape; readonly isChosen: boolean }) {
  const { source, hook, verdict, durationMs, file, line: at, observed, would } = step
  const message = step.message || saidIn(step.answerJson)
  const exit = exitWords(step)
  return (
    <li className={styles.answer} data-chosen={isChosen || undefined} aria-current={isChosen || undefined}>
      <div className={styles.answerHead}>
        <span className={styles.source}>{line(source)}</span>
        <span className={styles.hook} title={line(hook)}>
          {line(hook)}
        </span>
        <Verdict name={verdict} />
        <span className={styles.took}>{span(durationMs)}</span>
      </div>
      <div className={styles.said}>
        {message ? (
          <p className={styles.message}>{step.failure ? lines(message) : `“${lines(message)}”`}</p>
        ) : null}
        {exit || file ? (
          <p className={styles.facts}>
            {exit}
            {exit && file ? ' · ' : ''}
            <Place file={file} at={at} />
          </p>
        ) : null}
        {verdict === 'failed_open' ? (
          <p className={styles.problem}>While it fails, this hook lets anything through.</p>
        ) : null}
        {observed ? (
          <p className={styles.quiet}>
            It only watches
            {would ? `; it would have counted as ${verdictWord(would === 'abstain' ? 'none' : would)}` : ''}.
          </p>
        ) : null}
        {step.notes.length > 0 ? <p className={styles.quiet}>{step.notes.map(line).join(' · ')}</p> : null}
        {step.answerJson ? (
          <Fold label="Answer">{() => <LongText label="Answer" text={pretty(step.answerJson)} />}</Fold>
        ) : null}
        {step.stderr ? (
          <Fold label="stderr">{() => <LongText label="stderr" text={step.stderr} />}</Fold>
        ) : null}
      </div>
    </li>
  )
}

/** What an answer says to people, where it says anything. */
function saidIn(answerJson: string): string {
  try {
    const { user_message: user, agent_message: agent } = JSON.parse(answerJson || '{}') as Record<
      string,
      unknown
    >
    return typeof user === 'string' && user ? user : typeof agent === 'string' ? agent : ''
  } catch {
    return ''
  }
}

function exitWords({ exitCode, signal, failure }: StepShape): string {
  const how = signal ? `ended by ${signal}` : exitCode === undefined ? '' : `exit ${exitCode}`
  if (failure) return [line(failure), how].filter(Boolean).join(', ')
  return exitCode === 0 ? '' : how
}

const DONE: Readonly<Record<string, string>> = {
  allow: 'Allowed in',
  deny: 'Denied in',
  ask: 'Put to the person after',
  none: 'Went on after',
}

function Outcome({ path }: { readonly path: PathShape }) {
  const told = [
    ['To the user', path.userMessage],
    ['To the agent', path.agentMessage],
    ['Added context', path.additionalContext],
    ['Follow-up', path.followupMessage],
    ['Variables', path.env.join(', ')],
  ].filter(([, words]) => words !== '')
  return (
    <Stage
      title={`${DONE[path.verdict] ?? `${verdictWord(path.verdict)} in`} ${span(path.durationMs)}`}
      tone={path.verdict}
    >
      {told.length > 0 ? (
        <dl className={styles.told}>
          {told.map(([label, words]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{lines(words!)}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className={styles.quiet}>Nobody was told anything.</p>
      )}
      {path.updatedInputJson ? (
        <Fold label="Changed input">
          {() => <LongText label="Changed input" text={pretty(path.updatedInputJson)} />}
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
