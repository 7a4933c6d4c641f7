// The states of the devices, and the progress of the release.

import { useQuery } from '@connectrpc/connect-query'
import {
  type Count,
  type GetOverviewResponse,
  type Release,
  RolloutService,
  type RolloutSettings,
} from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { Region } from '../../../parts/states.js'
import { count, figure, percent } from '../../../words/number.js'
import { toRelease } from '../../links.js'
import { STATE_NAMES } from '../devices/state-words.js'
import card from '../overview.module.css'
import { deviceWords, type RingView, ringsOf, STATES } from '../rollout/words.js'
import styles from './fleet.module.css'

const TONES: Readonly<Record<string, string>> = { in_sync: 'good', behind: 'wait', no_bundle: 'wait' }
/** Shown even without devices in it. */
const ALWAYS = ['in_sync']

export const DevicesAtAGlance = ({ overview }: { readonly overview: GetOverviewResponse }) => (
  <section className={card.card} aria-label="Devices">
    <h2>Devices</h2>
    <States states={overview.deviceStates} devices={overview.devices} />
  </section>
)

function States({ states, devices }: { readonly states: readonly Count[]; readonly devices: number }) {
  const parts = ['in_sync', 'attention', 'behind', 'no_bundle', 'stale', 'killed', 'silent']
    .map(state => ({ state, value: states.find(({ name }) => name === state)?.count ?? 0 }))
    .filter(({ state, value }) => value > 0 || ALWAYS.includes(state))
    .map(({ state, value }) => ({
      name: STATE_NAMES[state] ?? state,
      value,
      tone: TONES[state] ?? 'bad',
      search: { state },
    }))
  return (
    <>
      {devices === 0 ? (
        <p className="muted">
          No devices yet. <Link to="/devices">Enrol a device</Link>
        </p>
      ) : (
        <>
          <div className={styles.bar} aria-hidden="true">
            {parts.map(({ name, value, tone }) =>
              value > 0 ? <span key={name} data-tone={tone} style={{ flexGrow: value }} /> : null,
            )}
          </div>
          <ul className={styles.parts}>
            {parts.map(({ name, value, tone, search }) => (
              <li key={name}>
                <Link to="/devices" search={search}>
                  <span className={styles.mark} data-tone={tone} aria-hidden="true" />
                  <strong>{figure(value)}</strong> {name}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** The release that is rolling out, otherwise the newest complete one. */
export function RingHealth({
  releases,
  settings,
}: {
  readonly releases: readonly Release[] | undefined
  readonly settings: RolloutSettings | undefined
}) {
  const shown =
    releases?.find(({ state }) => state === 'rolling') ?? releases?.find(({ state }) => state === 'done')
  return (
    <section className={card.card} aria-label="Ring health">
      <h2>{shown ? <ReleaseTitle release={shown} /> : 'Rings'}</h2>
      {releases && !shown ? <p className="muted">No releases yet.</p> : null}
      {shown && settings ? <Rings number={shown.number} settings={settings} /> : null}
    </section>
  )
}

const ReleaseTitle = ({ release }: { readonly release: Release }) => (
  <Link {...toRelease(release.number)} className={styles.release}>
    Release {release.number}
    <span className={styles.state} data-state={release.state}>
      {STATES[release.state]?.word ?? release.state}, {deviceWords(release)}
    </span>
  </Link>
)

function Rings({ number, settings }: { readonly number: number; readonly settings: RolloutSettings }) {
  const release = useQuery(RolloutService.method.getRelease, { number })
  return (
    <Region of={release}>
      {({ release }) => (
        <ol className="stack">
          {ringsOf(release!, settings, Date.now()).map(ring => (
            <Ring key={ring.name} ring={ring} limit={settings.failureLimit} />
          ))}
        </ol>
      )}
    </Region>
  )
}

function Ring({ ring, limit }: { readonly ring: RingView; readonly limit: number }) {
  const { name, place, active, target, silent } = ring
  const { failureRate } = ring.health
  const isReached = place !== 'ahead'
  return (
    <li className={styles.ring} data-reached={isReached || undefined}>
      <Link className={styles.ringName} to="/devices" search={{ ring: ring.health.ring }}>
        {name}
      </Link>
      <progress max={Math.max(1, target)} value={active} aria-label={`${name}: devices that have it`} />
      <span>
        {isReached || target > 0 ? `${figure(active)} of ${count(target, 'device')}` : 'not reached'}
      </span>
      {isReached ? (
        <span className={styles.ringMore}>
          {failureRate > limit ? 'fails too often: ' : ''}
          {percent(failureRate)} failed, halts above {percent(limit)}
          {silent > 0 ? ` · ${silent} silent` : ''}
        </span>
      ) : null}
    </li>
  )
}
