// Replays recorded events against the draft, and shows the counts while the replay runs.

import { ConnectError, createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { type Hook, ReplayService, type WhatIfExample, type WhatIfResponse } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Notice } from '../../../parts/notice.js'
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
  ['undecided', 'undecided (payload was redacted)', (sums: WhatIfResponse) => sums.undecided],
  ['failed', 'failed', (sums: WhatIfResponse) => sums.failed],
  ['skipped', 'not matched', (sums: WhatIfResponse) => sums.skipped],
] as const
const LARGE = 3

interface Replay {
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
  const because = mayNot ?? (isPrompt ? 'A prompt needs a model, and this server has none.' : undefined)
  const [days, setDays] = useState(7)
  const [limit, setLimit] = useState(2000)
  const [replay, setReplay] = useState<Replay>()
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
    setReplay(undefined)
    const version = hook.draftVersion
    try {
      const stream = createClient(ReplayService, transport).whatIf(
        { hookId: hook.id, days, limit },
        { signal: control.signal },
      )
      for await (const sums of stream) {
        setReplay(before => ({ sums, version, examples: [...(before?.examples ?? []), ...sums.examples] }))
      }
    } catch (error) {
      if (!control.signal.aborted)
        setProblem(ConnectError.from(error).rawMessage || 'The server did not respond.')
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
    <section className="stack-loose">
      <p className="muted">
        Runs the draft on recorded events, on the server. It changes nothing on devices.
      </p>
      <div className="row">
        <label>
          Events of{' '}
          <select value={days} onChange={event => setDays(Number(event.target.value))}>
            <option value={1}>the last day</option>
            <option value={7}>the last 7 days</option>
            <option value={30}>the last 30 days</option>
            <option value={90}>the last 90 days</option>
          </select>
        </label>
        <label>
          at most{' '}
          <select value={limit} onChange={event => setLimit(Number(event.target.value))}>
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
        <Notice tone="deny" role="alert">
          {problem}
        </Notice>
      ) : null}
      {stop || replay ? (
        <Progress
          replay={replay}
          isRunning={stop !== undefined}
          isOld={replay !== undefined && replay.version !== hook.draftVersion}
        />
      ) : null}
      {replay && (replay.sums.replayed > 0 || replay.sums.done) ? (
        replay.sums.replayed === 0 ? (
          <p className="muted">No event of this kind was recorded in that time.</p>
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
                  disabled={sum(replay.sums) === 0}
                  onClick={() => open(name)}
                >
                  <strong>{figure(sum(replay.sums))}</strong> {label}
                </button>
              ))}
            </div>
            {kind ? (
              <Examples
                label={KINDS.find(([name]) => name === kind)![1]}
                examples={replay.examples.filter(example => example.kind === kind)}
                total={KINDS.find(([name]) => name === kind)![2](replay.sums)}
              />
            ) : null}
          </>
        )
      ) : null}
    </section>
  )
}

function Progress({
  replay,
  isRunning,
  isOld,
}: {
  readonly replay: Replay | undefined
  readonly isRunning: boolean
  readonly isOld: boolean
}) {
  const { replayed = 0, total = 0, skipped = 0, done = false } = replay?.sums ?? {}
  const words = isRunning
    ? `${figure(replayed)} of at most ${figure(total)} replayed`
    : done
      ? `${count(replayed, 'event')} replayed; the draft ran on ${figure(replayed - skipped)}${isOld ? '. The draft changed after this replay. Replay again.' : ''}`
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
              <Link to="/audit" search={{ record: recordId }}>
                Open
              </Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
