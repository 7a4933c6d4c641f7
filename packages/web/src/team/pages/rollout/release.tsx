import type { Release, ReleaseHook, RolloutSettings, Seal } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Badge } from '../../../parts/badge.js'
import { Notice } from '../../../parts/notice.js'
import { count, figure } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { whole } from '../../../words/time.js'
import { toDevice, toRevision } from '../../links.js'
import { Rings } from './rings.js'
import styles from './rollout.module.css'
import { Unsigned } from './unsigned.js'
import { haltedWords, limitSentences, STATES, sentence } from './words.js'

export const StateBadge = ({ state }: { readonly state: string }) => {
  const { word, tone } = STATES[state] ?? { word: state, tone: 'none' }
  return <Badge tone={tone}>{word}</Badge>
}

export interface ReleaseViewProps {
  readonly release: Release
  readonly seal: Seal | undefined
  readonly settings: RolloutSettings
}

export function ReleaseView({ release, seal, settings }: ReleaseViewProps) {
  const now = useMinutes()
  const { state } = release
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
                  <Link {...toDevice(deviceId)}>{line(name) || deviceId}</Link> {figure(failures)} of{' '}
                  {count(runs, 'run')} failed, {figure(denials)} denied
                </li>
              ))}
            </ul>
          ) : null}
          <p>
            Devices with this release return to the previous one. No other device receives it until it is
            resumed.
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
        <Notice tone="ask">
          This release expired on {whole(release.expiresAt)}. Devices keep their hooks. Publish again for new
          devices.
        </Notice>
      ) : null}
      <Changes release={release} />
    </>
  )
}

/** Updates countdowns. */
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
  ['removed', 'Removed'],
  ['same', 'Unchanged'],
] as const

function Changes({ release }: { readonly release: Release }) {
  if (release.hooks.length === 0) return <p className="muted">This release has no hooks.</p>
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
        Expires on {whole(release.expiresAt).replace(/,? \d\d:.*$/, '')}.
      </p>
    </section>
  )
}

const HookList = ({ hooks }: { readonly hooks: readonly ReleaseHook[] }) => (
  <ul>
    {hooks.map(({ hookId, revision, name, hookStep }) => (
      <li key={hookId}>
        <Link {...toRevision(hookId, revision)}>{line(name)}</Link>
        <span className="muted">
          revision {revision} · {line(hookStep)}
        </span>
      </li>
    ))}
  </ul>
)
