// The rings from left to right, each with the gate beneath it.

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
)

const PLACES = { reached: 'reached', here: 'is here', halted: 'halted here', ahead: 'not reached yet' }

function Ring({ ring, release }: { readonly ring: RingView; readonly release: Release }) {
  const { runs, failures, denials } = ring.health
  return (
    <div className={styles.ringBody}>
      <h3>
        {ring.name}{' '}
        <span className={styles.place}>
          {PLACES[ring.place === 'here' && release.state === 'halted' ? 'halted' : ring.place]}
        </span>
      </h3>
      <progress
        max={Math.max(1, ring.seen)}
        value={ring.onIt}
        aria-label={`Devices of ${ring.name} on release ${release.number}`}
      />
      <p>
        <strong>{figure(ring.onIt)}</strong> of {count(ring.seen, 'device')} seen
      </p>
      {ring.silent > 0 ? (
        <p className="muted">
          <Link to="/devices" search={{ state: 'silent' } as never}>
            {figure(ring.silent)} silent
          </Link>{' '}
          for 3 days or more
        </p>
      ) : null}
      <p className="muted">
        {runs === 0
          ? 'no runs yet'
          : `${count(runs, 'run')} · ${percent(failures / runs)} failed · ${percent(denials / runs)} denied`}
      </p>
      <p className={styles.gate}>{ring.gate}</p>
    </div>
  )
}
