// The rings of a release in order, each with its devices and the condition for the next ring.

import type { Release, RolloutSettings } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { count, figure, percent } from '../../../words/number.js'
import styles from './rollout.module.css'
import { type RingView, ringsOf } from './words.js'

export interface RingsProps {
  readonly release: Release
  readonly settings: RolloutSettings
  readonly now: number
}

export const Rings = ({ release, settings, now }: RingsProps) => (
  <section>
    <h2 className="hidden">Rings</h2>
    <ol className={styles.rings} aria-label="Rings">
      {ringsOf(release, settings, now).map(ring => (
        <li key={ring.name} className={styles.ring} data-place={ring.place} data-state={release.state}>
          <div className={styles.track} aria-hidden="true">
            <span className={styles.node} />
          </div>
          <Ring ring={ring} release={release} />
        </li>
      ))}
    </ol>
  </section>
)

const PLACES = { reached: 'reached', current: 'in progress', halted: 'halted', ahead: 'not reached' }

function Ring({ ring, release }: { readonly ring: RingView; readonly release: Release }) {
  const { runs, failures, denials } = ring.health
  return (
    <div className={styles.ringBody}>
      <h3>
        {ring.name}{' '}
        <span className={styles.place}>
          {PLACES[ring.place === 'current' && release.state === 'halted' ? 'halted' : ring.place]}
        </span>
      </h3>
      <progress
        max={Math.max(1, ring.target)}
        value={ring.active}
        aria-label={`Devices of ${ring.name} on release ${release.number}`}
      />
      <p>
        {ring.target === 0 ? (
          <Link to="/devices" search={{ ring: ring.health.ring }}>
            {count(ring.health.devices, 'device')}
          </Link>
        ) : (
          <>
            <Link to="/devices" search={{ ring: ring.health.ring, release: String(release.number) }}>
              <strong>{figure(ring.active)}</strong>
            </Link>{' '}
            of{' '}
            <Link to="/devices" search={{ ring: ring.health.ring }}>
              {count(ring.target, 'device')}
            </Link>
          </>
        )}
      </p>
      {ring.failed > 0 ? (
        <p>
          <Link to="/devices" search={{ ring: ring.health.ring, state: 'attention' }}>
            failed on {figure(ring.failed)}
          </Link>
        </p>
      ) : null}
      {ring.silent > 0 ? (
        <p className="muted">
          <Link to="/devices" search={{ ring: ring.health.ring, state: 'silent' }}>
            {figure(ring.silent)} silent
          </Link>
        </p>
      ) : null}
      <p className="muted">
        {runs === 0
          ? 'no runs'
          : `${count(runs, 'run')} · ${percent(failures / runs)} failed · ${percent(denials / runs)} denied`}
      </p>
      {ring.gate ? <p className={styles.gate}>{ring.gate}</p> : null}
    </div>
  )
}
