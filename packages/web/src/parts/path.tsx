// One event, the answer first: its verdict, the hook that decided and its messages. Below, the path that led there: the
// event, the hooks that matched, and the response of each.

import type { ReactNode } from 'react'
import { hookName } from '../words/hook.js'
import { count } from '../words/number.js'
import { line, listWords } from '../words/plain.js'
import { span } from '../words/time.js'
import styles from './path.module.css'

import { Bars } from './path-bars.js'
import { From, Long, type Origin, Place } from './path-inside.js'
import { together, waterfall } from './path-layout.js'
import type { PathShape, SkippedShape } from './path-record.js'
import { Response } from './path-response.js'
import { Fold } from './path-text.js'
import { verdictWord } from './verdict.js'

export { type PathShape, pathOfRecord } from './path-record.js'

export interface PathViewProps {
  readonly path: PathShape
  /** The step to mark. */
  readonly step?: number | undefined
  /** Shown beside the event: a link to its session. */
  readonly about?: ReactNode
  readonly from?: Origin
  /** Of the heading with the verdict; those of the path are one below. */
  readonly level?: Level
}

type Level = 2 | 3

const NOWHERE: Origin = { roots: [] }

export const PathView = ({ from = NOWHERE, ...rest }: PathViewProps) => (
  <From value={from}>
    <Account {...rest} />
  </From>
)

const Account = ({ path, step, about, level = 2 }: Omit<PathViewProps, 'from'>) => (
  <div className="stack-wide">
    <Outcome path={path} level={level} />
    <ol className={styles.path}>
      <Stage title="Event" level={level}>
        <p className={styles.quiet}>
          {[path.event, path.profile ? `profile ${path.profile}` : ''].filter(Boolean).map(line).join(' · ')}
          {about ? <> · {about}</> : null}
        </p>
        {path.problems.map(problem => (
          <p key={`${problem.path} ${problem.message}`} className={styles.problem}>
            {line(problem.message)}{' '}
            {problem.hint ? <span className="muted">{line(problem.hint)}</span> : null}
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
      <Matched path={path} level={level} />
      {path.steps.length > 0 ? (
        <Stage title={path.steps.length === 1 ? 'Response' : 'Responses'} level={level}>
          <ul className="stack-tight">
            {path.steps.map((each, index) => (
              <Response
                key={each.runId || index}
                step={each}
                isChosen={index === step && path.steps.length > 1}
              />
            ))}
          </ul>
        </Stage>
      ) : null}
      <Changes path={path} level={level} />
    </ol>
  </div>
)

interface StageProps {
  readonly title: ReactNode
  readonly level: Level
  readonly children?: ReactNode
}

const Stage = ({ title, level, children }: StageProps) => {
  const Heading = `h${level + 1}` as 'h3'
  return (
    <li className={styles.stage}>
      <Heading>{title}</Heading>
      {children}
    </li>
  )
}

function Matched({ path, level }: PartProps) {
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
    <Stage title={title} level={level}>
      <p className={styles.quiet}>{[skippedWords(path), ran].filter(Boolean).join(' ')}</p>
      {skipped.length > 0 ? <SkippedList skipped={skipped} /> : null}
      {steps.length > 0 ? <Bars steps={steps} /> : null}
    </Stage>
  )
}

function skippedWords({ skipped, skippedKnown, steps }: PathShape): string {
  if (!skippedKnown) return 'The log does not record skipped hooks.'
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

interface PartProps {
  readonly path: PathShape
  readonly level: Level
}

const DONE: Readonly<Record<string, string>> = {
  allow: 'Allowed',
  deny: 'Denied',
  ask: 'User asked',
  none: 'Continued',
}

const MESSAGES = [
  { name: 'userMessage', label: 'To the user' },
  { name: 'agentMessage', label: 'To the agent' },
  { name: 'additionalContext', label: 'Added context' },
  { name: 'followupMessage', label: 'Follow-up' },
] as const

function Outcome({ path, level }: PartProps) {
  const Heading = `h${level}` as 'h2'
  const deciders = path.steps.filter(({ decided }) => decided)
  const failedOpen = path.steps.filter(({ verdict }) => verdict === 'failed_open')
  const messages = MESSAGES.filter(({ name }) => path[name] !== '')
  const names = [...new Set(deciders.map(({ hook }) => line(hookName(hook))))]
  return (
    <section className={styles.outcome} data-tone={path.verdict} aria-label="Verdict">
      <Heading>
        {DONE[path.verdict] ?? verdictWord(path.verdict)}
        {names.length > 0 ? ` by ${listWords(names)}` : ''}{' '}
        <span className={styles.time}>in {span(path.durationMs)}</span>
      </Heading>
      {deciders.map(({ source, file, line: at, runId }, index) => (
        <p key={runId || index} className={styles.facts}>
          {line(source)}
          {file ? ' · ' : ''}
          <Place file={file} at={at} />
        </p>
      ))}
      {messages.length > 0 || path.env.length > 0 ? (
        <dl className={styles.messages}>
          {messages.map(({ name, label }) => (
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
      ) : path.verdict === 'deny' || path.verdict === 'ask' ? (
        <p className={styles.quiet}>No message.</p>
      ) : null}
      {failedOpen.length > 0 ? (
        <p className={styles.problem}>
          {listWords(failedOpen.map(({ hook }) => line(hookName(hook))))} failed open. While{' '}
          {failedOpen.length === 1 ? 'it fails, it blocks' : 'they fail, they block'} nothing.
        </p>
      ) : null}
      {path.merged ? <p className={styles.quiet}>{line(path.merged)}</p> : null}
    </section>
  )
}

/** What differs from what the host sent, and from what the log holds. */
function Changes({ path, level }: PartProps) {
  const { updatedInputJson, redacted } = path
  if (!updatedInputJson && redacted.length === 0) return null
  return (
    <Stage title="Changes" level={level}>
      {updatedInputJson ? (
        <Fold label="Changed input">
          {() => <Long of={path} name="updatedInputJson" label="Changed input" />}
        </Fold>
      ) : null}
      {redacted.length > 0 ? (
        <div className={styles.redacted}>
          <p>{count(redacted.length, 'place')} redacted before the record was written:</p>
          <ul>
            {redacted.map((each, index) => (
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
