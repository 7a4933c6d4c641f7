import type { Release, ReleaseHook, RolloutSettings, Seal } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { count, figure } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { whole } from '../../../words/time.js'
import { Rings } from './rings.js'
import styles from './rollout.module.css'
import { Unsigned } from './unsigned.js'
import { haltedWords, limitSentences, STATES, sentence, stateOf } from './words.js'

export const StateBadge = ({ state }: { readonly state: string }) => {
  const { word, tone } = STATES[state] ?? { word: state, tone: 'none' }
  return (
    <span className={styles.badge} data-tone={tone}>
      {word}
    </span>
  )
}

export interface ReleaseViewProps {
  readonly release: Release
  readonly seal: Seal | undefined
  readonly settings: RolloutSettings
  readonly current: number
}

export function ReleaseView({ release, seal, settings, current }: ReleaseViewProps) {
  const now = useMinutes()
  const state = stateOf(release, current)
  const isOver = Date.parse(release.expiresAt) < now
  return (
    <>
      {state === 'halted' ? (
        <section className={styles.halted} role="alert">
          <h2>{haltedWords(release.haltedBy)}</h2>
          <p>{sentence(line(release.haltedBecause)) || 'No reason was given.'}</p>
          {release.haltCauses.length > 0 ? (
            <ul aria-label="Devices that caused it">
              {release.haltCauses.map(({ deviceId, name, runs, failures, denials }) => (
                <li key={deviceId}>
                  <Link to="/devices" search={{ device: deviceId } as never}>
                    {line(name) || deviceId}
                  </Link>{' '}
                  {figure(failures)} of {count(runs, 'run')} failed, {figure(denials)} denied
                </li>
              ))}
            </ul>
          ) : null}
          <p>
            Devices that took it go back to the release before. No further device takes it until somebody
            resumes it.
          </p>
        </section>
      ) : null}
      {state === 'unsigned' ? <Unsigned release={release} seal={seal} /> : null}
      {release.note ? <blockquote className={styles.note}>{line(release.note)}</blockquote> : null}
      <Rings release={release} settings={settings} now={now} />
      {release.evidence && (state === 'rolling' || state === 'done') ? (
        <ul className={styles.limits}>
          {limitSentences(release.evidence, settings).map(sentence => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      ) : null}
      {isOver ? (
        <p className={styles.strip} data-tone="ask">
          It could be taken until {whole(release.expiresAt)}. Devices keep what they have; publish again for
          those that are new.
        </p>
      ) : null}
      <Changes release={release} />
    </>
  )
}

/** What stands on the clock moves with it. */
function useMinutes(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 20_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

const CHANGES = [
  ['added', 'Added'],
  ['changed', 'Changed'],
  ['removed', 'Taken out'],
  ['same', 'As before'],
] as const

function Changes({ release }: { readonly release: Release }) {
  if (release.hooks.length === 0) return <p className="muted">It holds no hooks.</p>
  return (
    <section className={styles.changes}>
      <h2>Hooks</h2>
      {CHANGES.map(([change, label]) => {
        const hooks = release.hooks.filter(hook => hook.change === change)
        if (hooks.length === 0) return null
        return change === 'same' ? (
          <details key={change}>
            <summary>
              {label}: {count(hooks.length, 'hook')}
            </summary>
            <HookList hooks={hooks} />
          </details>
        ) : (
          <div key={change}>
            <h3>{label}</h3>
            <HookList hooks={hooks} />
          </div>
        )
      })}
      <p className="muted" title={whole(release.expiresAt)}>
        Can be taken until {whole(release.expiresAt).replace(/,? \d\d:.*$/, '')}.
      </p>
    </section>
  )
}

const HookList = ({ hooks }: { readonly hooks: readonly ReleaseHook[] }) => (
  <ul>
    {hooks.map(({ hookId, revision, name, hookStep }) => (
      <li key={hookId}>
        <Link to={`/hooks/${hookId}/rev/${revision}`}>{line(name)}</Link>
        <span className="muted">
          revision {revision} · {line(hookStep)}
        </span>
      </li>
    ))}
  </ul>
)
