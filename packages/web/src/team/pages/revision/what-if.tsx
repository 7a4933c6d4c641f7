// What the draft would have said to what really happened, told while it is being found out.

import { ConnectError, createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { type Hook, ReplayService, type WhatIfExample, type WhatIfResponse } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Verdict } from '../../../parts/verdict.js'
import { useCommands } from '../../../shell/commands.js'
import { useKeys } from '../../../shell/keys.js'
import { withTexts } from '../../../shell/search.js'
import { count, figure } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { revision as revisionRoute } from '../../routes.js'
import styles from './revision.module.css'

const KINDS = [
  ['newly_denied', 'newly denied', (sums: WhatIfResponse) => sums.newlyDenied],
  ['newly_allowed', 'newly allowed', (sums: WhatIfResponse) => sums.newlyAllowed],
  ['unchanged', 'unchanged', (sums: WhatIfResponse) => sums.unchanged],
  ['newly_asked', 'newly asked about', (sums: WhatIfResponse) => sums.newlyAsked],
  ['undecided', 'undecided: masked when recorded', (sums: WhatIfResponse) => sums.undecided],
  ['failed', 'failed', (sums: WhatIfResponse) => sums.failed],
] as const
const LARGE = 3

interface Told {
  readonly sums: WhatIfResponse
  readonly examples: readonly WhatIfExample[]
  readonly version: number
}

export function WhatIf({ hook }: { readonly hook: Hook }) {
  const transport = useTransport()
  const search = revisionRoute.useSearch()
  const navigate = revisionRoute.useNavigate()
  const mayNot = useMay('ReplayService/WhatIf')
  const isPrompt = hook.draft?.type === 'prompt'
  const because = mayNot ?? (isPrompt ? 'A prompt needs a model; it cannot be replayed here.' : undefined)
  const [days, setDays] = useState(7)
  const [limit, setLimit] = useState(2000)
  const [told, setTold] = useState<Told>()
  const [problem, setProblem] = useState('')
  const [stop, setStop] = useState<AbortController>()
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const start = async () => {
    if (because !== undefined || running.current) return
    const control = new AbortController()
    running.current = control
    setStop(control)
    setProblem('')
    setTold(undefined)
    const version = hook.draftVersion
    try {
      const stream = createClient(ReplayService, transport).whatIf(
        { hookId: hook.id, days, limit },
        { signal: control.signal },
      )
      for await (const sums of stream) {
        setTold(before => ({ sums, version, examples: [...(before?.examples ?? []), ...sums.examples] }))
      }
    } catch (error) {
      if (!control.signal.aborted)
        setProblem(ConnectError.from(error).rawMessage || 'The server did not answer.')
    } finally {
      running.current = undefined
      setStop(undefined)
    }
  }
  useKeys(because ? [] : [{ keys: 'mod+enter', label: 'What if', group: 'Hook', run: () => void start() }])
  useCommands(
    because ? [] : [{ label: 'What if', kind: 'command', keys: 'mod+enter', run: () => void start() }],
  )
  const kind = KINDS.find(([name]) => name === search.kind)?.[0]
  const open = (next: string) =>
    void navigate({ search: withTexts(search, { kind: next === kind ? undefined : next }), replace: true })
  return (
    <section className={styles.part}>
      <p className="muted">
        Events that were recorded are put to the draft again, on the server. Nobody feels it; the script
        really runs.
      </p>
      <div className={styles.tools}>
        <label>
          Events of{' '}
          <select
            className={styles.select}
            value={days}
            onChange={event => setDays(Number(event.target.value))}
          >
            <option value={1}>the last day</option>
            <option value={7}>the last 7 days</option>
            <option value={30}>the last 30 days</option>
            <option value={90}>the last 90 days</option>
          </select>
        </label>
        <label>
          at most{' '}
          <select
            className={styles.select}
            value={limit}
            onChange={event => setLimit(Number(event.target.value))}
          >
            {[500, 2000, 10_000, 50_000].map(value => (
              <option key={value} value={value}>
                {figure(value)}
              </option>
            ))}
          </select>
        </label>
        {stop ? (
          <Button onClick={() => stop.abort()}>Cancel</Button>
        ) : (
          <Button because={because} onClick={() => void start()}>
            Replay
          </Button>
        )}
        {because ? <span className="muted">{because}</span> : null}
      </div>
      {problem ? (
        <p className={styles.strip} data-tone="deny" role="alert">
          {problem}
        </p>
      ) : null}
      {stop || told ? (
        <Progress
          told={told}
          isRunning={stop !== undefined}
          isOld={told !== undefined && told.version !== hook.draftVersion}
        />
      ) : null}
      {told && (told.sums.replayed > 0 || told.sums.done) ? (
        told.sums.replayed === 0 ? (
          <p className="muted">Nothing of this event was recorded in that time.</p>
        ) : (
          <>
            <div className={styles.sums}>
              {KINDS.map(([name, label, sum], index) => (
                <button
                  key={name}
                  type="button"
                  className={styles.sum}
                  data-size={index < LARGE ? 'large' : 'small'}
                  data-kind={name}
                  aria-pressed={kind === name}
                  disabled={sum(told.sums) === 0}
                  onClick={() => open(name)}
                >
                  <strong>{figure(sum(told.sums))}</strong> {label}
                </button>
              ))}
            </div>
            {kind ? (
              <Examples
                label={KINDS.find(([name]) => name === kind)![1]}
                examples={told.examples.filter(example => example.kind === kind)}
                total={KINDS.find(([name]) => name === kind)![2](told.sums)}
              />
            ) : null}
          </>
        )
      ) : null}
    </section>
  )
}

function Progress({
  told,
  isRunning,
  isOld,
}: {
  readonly told: Told | undefined
  readonly isRunning: boolean
  readonly isOld: boolean
}) {
  const { replayed = 0, total = 0, done = false } = told?.sums ?? {}
  const words = isRunning
    ? `${figure(replayed)} of at most ${figure(total)} replayed`
    : done
      ? `${count(replayed, 'event')} replayed${isOld ? ', with an older version of the draft. Replay again.' : ''}`
      : `Cancelled after ${count(replayed, 'event')}`
  return (
    <div className={styles.progress}>
      {isRunning ? <progress max={Math.max(1, total)} value={replayed} aria-label="Replayed" /> : null}
      <span role="status">{words}</span>
    </div>
  )
}

function Examples({
  label,
  examples,
  total,
}: {
  readonly label: string
  readonly examples: readonly WhatIfExample[]
  readonly total: number
}) {
  return (
    <table className={styles.examples}>
      <caption>
        {examples.length < total ? `${figure(examples.length)} of ${figure(total)} ` : `${figure(total)} `}
        {label}
      </caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">Was</th>
          <th scope="col">Would be</th>
          <th scope="col">Record</th>
        </tr>
      </thead>
      <tbody>
        {examples.map(({ recordId, at, deviceName, summary, before, after, message }) => (
          <tr key={recordId}>
            <td title={whole(at)}>
              {ago(at)}
              <div className="muted">{line(deviceName)}</div>
            </td>
            <td>
              <code>{line(summary)}</code>
              {message ? <div className="muted">{line(message)}</div> : null}
            </td>
            <td>
              <Verdict name={before} />
            </td>
            <td>{after ? <Verdict name={after} /> : <span className="muted">unknown</span>}</td>
            <td>
              <Link to="/audit" search={{ record: recordId } as never}>
                Open
              </Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
