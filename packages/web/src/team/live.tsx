// What is live of a hook: a badge for lists, and a table by ring for its page. Each figure leads to its devices.

import type { LiveRevision, LiveState } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { Badge } from '../parts/badge.js'
import { count, figure } from '../words/number.js'
import { line } from '../words/plain.js'
import styles from './live.module.css'
import { formerOf, LIVE, liveSentence, reachWords } from './live-words.js'

export function LiveBadge({ live }: { readonly live: LiveState | undefined }) {
  if (!live) return null
  const { word, tone } = LIVE[live.state] ?? { word: live.state, tone: 'none' }
  const former = formerOf(live)
  const reach = former?.reach ?? (isActive(live) ? reachWords(live) : '')
  return (
    <span className={styles.live} title={liveSentence(live)}>
      <Badge tone={tone}>{former ? `Revision ${former.revision} active` : word}</Badge>
      {reach ? <span className="muted">{reach}</span> : null}
    </span>
  )
}

const isActive = ({ state }: LiveState) => state === 'partial' || state === 'active'

export function LiveTable({ hookId, live }: { readonly hookId: number; readonly live: LiveState }) {
  const rows = live.rings.flatMap(({ ring, devices, revisions }) =>
    revisions.map((row, index) => ({ ring, devices, row, size: revisions.length, isFirst: index === 0 })),
  )
  return (
    <section className="stack" aria-label="On devices">
      <h2>On devices</h2>
      <p>{liveSentence(live)}</p>
      {rows.length === 0 ? null : (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Ring</th>
              <th scope="col">Revision</th>
              <th scope="col">Active</th>
              <th scope="col">Pending</th>
              <th scope="col">Failed</th>
              <th scope="col">Silent</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ ring, devices, row, size, isFirst }) => (
              <tr key={`${ring} ${row.revision}`} data-first={isFirst || undefined}>
                {isFirst ? (
                  <th scope="row" rowSpan={size}>
                    {line(ring)}
                    <span className="muted">{count(devices, 'device')}</span>
                  </th>
                ) : null}
                <td>{row.revision === 0 ? 'none' : row.revision}</td>
                <Figures hookId={hookId} ring={ring} row={row} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {live.released > 0 && live.state !== 'active' ? (
        <p>
          <Link to="/devices" search={{ hook: String(hookId), revision: String(live.released), has: 'no' }}>
            Devices that lack revision {live.released}
          </Link>
        </p>
      ) : null}
    </section>
  )
}

function Figures({
  hookId,
  ring,
  row: { revision, active, pending, failed, silent },
}: {
  readonly hookId: number
  readonly ring: string
  readonly row: LiveRevision
}) {
  const hook = { hook: String(hookId), ring }
  const has = revision === 0 ? { ...hook, has: 'no' } : { ...hook, revision: String(revision) }
  const lacks = revision === 0 ? hook : { ...hook, revision: String(revision), has: 'no' }
  const cell = (value: number, search: Readonly<Record<string, string>>, tone?: string) => (
    <td data-tone={value > 0 ? tone : undefined}>
      {value === 0 ? (
        <span className="faint">0</span>
      ) : (
        <Link to="/devices" search={search}>
          {figure(value)}
        </Link>
      )}
    </td>
  )
  return (
    <>
      {cell(active, has)}
      {cell(pending, lacks, 'ask')}
      {cell(failed, { ...lacks, state: 'attention' }, 'deny')}
      {cell(silent, { ...has, state: 'silent' })}
    </>
  )
}
