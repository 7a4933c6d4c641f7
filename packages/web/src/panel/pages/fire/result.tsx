// The result: the verdict and path of the event, or one row for each version.

import { Code } from '@connectrpc/connect'
import { useState } from 'react'
import type { FireResponse } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import { PathView } from '../../../parts/path.js'
import { Fold } from '../../../parts/path-text.js'
import { Verdict } from '../../../parts/verdict.js'
import { line } from '../../../words/plain.js'
import { clock, whole } from '../../../words/time.js'
import { usePanel } from '../../context.js'
import styles from './fire.module.css'
import type { Firing } from './firing.js'
import { useClock } from './firing.js'
import { differingFirst, stopwatch } from './words.js'

export interface ResultProps {
  readonly firing: Firing
  readonly onCancel: () => void
  /** The payload was edited since it was fired. */
  readonly isOld: boolean
}

export function Result({ firing, onCancel, isOld }: ResultProps) {
  return (
    <section className={styles.result} aria-labelledby="result" aria-busy={firing.kind === 'running'}>
      <h2 id="result">Result</h2>
      <Inside firing={firing} onCancel={onCancel} isOld={isOld} />
    </section>
  )
}

function Inside({ firing, onCancel, isOld }: ResultProps) {
  const ms = useClock(firing.kind === 'running' ? firing.since : undefined)
  switch (firing.kind) {
    case 'idle':
      return <p className="muted">Nothing fired yet. The verdict and its path appear here.</p>
    case 'running':
      return (
        <div className="row">
          <span role="timer" aria-label="Time since it was fired" className={styles.clock}>
            {stopwatch(ms)}
          </span>
          <span className="muted">Hooks are running.</span>
          <Button onClick={onCancel}>Stop</Button>
        </div>
      )
    case 'cancelled':
      return <p role="status">Stopped. Hooks that had started were ended; their effects until then remain.</p>
    case 'failed':
      return (
        <div className={styles.failed} role="alert">
          <strong>{firing.error.code === Code.Aborted ? 'Not fired: a hook changed' : 'Not fired'}</strong>
          <p>{line(firing.error.rawMessage)}</p>
          {firing.error.code === Code.Aborted ? (
            <p className="muted">The plan is updated. Review it and fire again.</p>
          ) : null}
        </div>
      )
    case 'done':
      return (
        <>
          <p className="muted" role="status">
            Fired <span title={whole(firing.at)}>at {clock(firing.at)}</span>
            {isOld ? ', with an earlier version of this payload' : ''}.
          </p>
          <Outcome key={firing.at} answer={firing.answer} />
        </>
      )
  }
}

function Outcome({ answer: { paths, differences } }: { readonly answer: FireResponse }) {
  const { roots } = usePanel().workspace
  const [only] = paths
  if (differences.length === 0)
    return only ? <PathView path={only} from={{ roots }} level={3} /> : <p>No result.</p>
  return <Versions paths={paths} differences={differences} />
}

function Versions({ paths, differences }: Pick<FireResponse, 'paths' | 'differences'>) {
  const { roots } = usePanel().workspace
  const [open, setOpen] = useState<string>()
  const rows = differingFirst(differences)
  const differing = rows.filter(({ differs }) => differs).length
  const path = paths.find(({ profile }) => profile === open)
  const verdictIn = (name: string) => paths.find(({ profile }) => profile === name)?.verdict ?? 'none'
  return (
    <>
      <p>
        {differing === 0
          ? 'The same in every version.'
          : `${differing} of ${rows.length} versions ${differing === 1 ? 'differs' : 'differ'}.`}
      </p>
      <div className={styles.scroll} role="region" aria-label="By version" tabIndex={0}>
        <table className={styles.versions}>
          <thead>
            <tr>
              {['Version', 'Outcome', 'Hooks receive', 'What counts'].map(head => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          {rows.map(row => (
            <tbody key={row.profile}>
              <tr data-differs={row.differs || undefined}>
                <th scope="row">
                  <button
                    type="button"
                    className={styles.version}
                    aria-expanded={row.profile === open}
                    onClick={() => setOpen(open === row.profile ? undefined : row.profile)}
                  >
                    {row.profile}
                  </button>
                  {row.differs ? <span className={styles.differs}>differs</span> : null}
                </th>
                <td>
                  <OutcomeOf words={row.outcome} verdict={verdictIn(row.profile)} />
                </td>
                <td>{line(row.receives)}</td>
                <td>{line(row.honoured)}</td>
              </tr>
              {row.why ? (
                <tr>
                  <td colSpan={4} className={styles.why}>
                    <Remarks lines={row.why.split('\n')} />
                  </td>
                </tr>
              ) : null}
            </tbody>
          ))}
        </table>
      </div>
      {path ? (
        <section className={styles.onePath} aria-label={`In ${path.profile}`}>
          <PathView path={path} from={{ roots }} level={3} />
        </section>
      ) : (
        <p className="faint">Open a version to see its path.</p>
      )}
    </>
  )
}

/** Without a decision, the words say more than a verdict. */
const OutcomeOf = ({ words, verdict }: { readonly words: string; readonly verdict: string }) =>
  verdict === 'none' ? <span className={styles.outcome}>{line(words)}</span> : <Verdict name={verdict} />

/** Several remarks would push the table away. */
const Remarks = ({ lines }: { readonly lines: readonly string[] }) =>
  lines.length === 1 ? (
    <p>{line(lines[0]!)}</p>
  ) : (
    <Fold label={`${lines.length} remarks`}>
      {() => lines.map((words, index) => <p key={`${index} ${words}`}>{line(words)}</p>)}
    </Fold>
  )
