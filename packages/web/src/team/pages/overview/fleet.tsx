// The devices and the release that is on its way to them.

import { useQuery } from '@connectrpc/connect-query'
import {
  type Count,
  type GetOverviewResponse,
  type RingHealth as Health,
  type Release,
  RolloutService,
  type RolloutSettings,
} from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { Region } from '../../../parts/states.js'
import { count, figure, percent } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { STATE_NAMES } from '../devices/state-words.js'
import card from '../overview.module.css'
import styles from './fleet.module.css'

const TONES: Readonly<Record<string, string>> = { in_sync: 'good', behind: 'wait', no_bundle: 'wait' }
/** Shown also when there are none. */
const ALWAYS = ['in_sync', 'behind', 'silent']

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
          None is enrolled. <Link to="/devices">Enrol one</Link>
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

/** Of the release that rolls; else of the newest, so that one sees where it ended. */
export function RingHealth({
  releases,
  settings,
}: {
  readonly releases: readonly Release[] | undefined
  readonly settings: RolloutSettings | undefined
}) {
  const shown =
    releases?.find(({ state }) => state === 'rolling') ?? releases?.find(({ state }) => state !== 'unsigned')
  return (
    <section className={card.card} aria-label="Ring health">
      <h2>{shown ? <ReleaseTitle release={shown} /> : 'Rings'}</h2>
      {releases && !shown ? <p className="muted">Nothing is published yet.</p> : null}
      {shown ? <Rings number={shown.number} settings={settings} /> : null}
    </section>
  )
}

const STATES: Readonly<Record<string, string>> = { done: 'everywhere', rolling: 'rolling out' }

const ReleaseTitle = ({ release }: { readonly release: Release }) => (
  <Link to={`/rollout/${release.number}` as never} className={styles.release}>
    Release {release.number}
    <span className={styles.state} data-state={release.state}>
      {STATES[release.state] ?? release.state}
    </span>
  </Link>
)

function Rings({
  number,
  settings,
}: {
  readonly number: number
  readonly settings: RolloutSettings | undefined
}) {
  const release = useQuery(RolloutService.method.getRelease, { number })
  return (
    <Region of={release}>
      {({ release }) => (
        <ol className={styles.rings}>
          {(release?.health ?? []).map((health, index) => (
            <Ring
              key={health.ring}
              health={health}
              isReached={release!.state === 'done' || index <= release!.ring}
              limit={settings?.failureLimit}
            />
          ))}
        </ol>
      )}
    </Region>
  )
}

function Ring({
  health,
  isReached,
  limit,
}: {
  readonly health: Health
  readonly isReached: boolean
  readonly limit: number | undefined
}) {
  const { ring, devices, inSync, silent, failureRate } = health
  const isOver = limit !== undefined && failureRate > limit
  return (
    <li className={styles.ring} data-reached={isReached || undefined}>
      <span className={styles.ringName}>{line(ring)}</span>
      <progress
        max={Math.max(1, devices)}
        value={isReached ? inSync : 0}
        aria-label={`${line(ring)}: devices that have it`}
      />
      <span className={styles.ringValue}>
        {isReached ? `${figure(inSync)} of ${count(devices, 'device')}` : 'not reached'}
      </span>
      {isReached ? (
        <span className={styles.ringMore}>
          {isOver ? 'fails too often: ' : ''}
          {percent(failureRate)} failed{limit === undefined ? '' : `, halts above ${percent(limit)}`}
          {silent > 0 ? ` · ${silent} silent` : ''}
        </span>
      ) : null}
    </li>
  )
}
