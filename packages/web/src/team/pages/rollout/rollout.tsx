// How the newest release reaches the devices, or how an older one did, and the possible actions.

import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { RolloutService } from '@holdfast/team/messages'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Page } from '../../../parts/page.js'
import { Empty, Loading, Region } from '../../../parts/states.js'
import { Tabs } from '../../../parts/tabs.js'
import { BY_TOKEN } from '../../../shell/by-token.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { toRelease } from '../../links.js'
import { KillSwitch } from './kill.js'
import { ReleaseView, StateBadge } from './release.js'
import { Requests } from './requests.js'
import styles from './rollout.module.css'
import { Steps } from './steps.js'
import { deviceWords } from './words.js'

// Loaded with their tabs.
const Pins = lazy(() => import('./pins.js').then(({ Pins }) => ({ default: Pins })))
const Releases = lazy(() => import('./releases.js').then(({ Releases }) => ({ default: Releases })))
const RolloutForm = lazy(() => import('./settings.js').then(({ RolloutForm }) => ({ default: RolloutForm })))

const TABS = [
  ['release', 'Release'],
  ['releases', 'All releases'],
  ['pins', 'Pins'],
  ['settings', 'Rings and limits'],
] as const

export function Rollout() {
  const { number: given } = useParams({ strict: false }) as { number?: string }
  const search = useSearch({ strict: false }) as { tab?: string }
  const releases = useInfiniteQuery(
    RolloutService.method.listReleases,
    { pageSize: 50, pageToken: '' },
    BY_TOKEN,
  )
  const settings = useQuery(RolloutService.method.getRolloutSettings, {})
  const all = releases.data?.pages.flatMap(page => page.releases) ?? []
  const newest = all[0]?.number ?? 0
  const number = given === undefined ? newest : Number(given)
  const tab = TABS.find(([name]) => name === search.tab)?.[0] ?? 'release'
  const release = useQuery(
    RolloutService.method.getRelease,
    { number },
    { enabled: Number.isInteger(number) && number > 0 },
  )
  const shown = release.data?.release
  return (
    <Page
      isLoading={releases.isLoading || release.isLoading || settings.isLoading}
      title={tab === 'release' && shown ? `Release ${shown.number}` : 'Rollout'}
      {...(tab === 'release' ? {} : { name: TABS.find(([name]) => name === tab)![1] })}
      figures={
        tab === 'release' && shown ? (
          <>
            <StateBadge state={shown.state} />
            <span>{deviceWords(shown)}</span>
            <span title={whole(shown.at)}>
              Made {ago(shown.at)} by {line(shown.author)}
            </span>
            {shown.rollsBackTo > 0 ? (
              <span>
                with the hooks of <Link {...toRelease(shown.rollsBackTo)}>release {shown.rollsBackTo}</Link>
              </span>
            ) : null}
            {number !== newest && newest > 0 ? (
              <span>
                The newest is <Link to="/rollout">release {newest}</Link>
              </span>
            ) : null}
          </>
        ) : null
      }
      actions={tab === 'release' && shown ? <Steps release={shown} all={all} /> : null}
      tools={
        <Tabs
          label="Rollout"
          tabs={TABS.map(([name, label]) => ({
            to: '.',
            search: name === 'release' ? {} : { tab: name },
            label,
          }))}
        />
      }
    >
      <div className={styles.body}>
        <Region of={settings} loading={null}>
          {plan => <Requests plan={plan} />}
        </Region>
        <Suspense fallback={<Loading />}>
          {tab === 'releases' ? (
            <Releases all={all} asked={releases} />
          ) : tab === 'pins' ? (
            <Pins releases={all} />
          ) : tab === 'settings' ? (
            <Region of={settings}>{({ settings }) => <RolloutForm settings={settings!} />}</Region>
          ) : (
            <>
              {given === undefined && releases.data && newest === 0 ? (
                <Empty title="No releases yet" action={<Link to="/hooks">Go to hooks</Link>}>
                  Publishing a draft creates a release. This page then shows its progress from ring to ring.
                </Empty>
              ) : !Number.isInteger(number) ? (
                <Empty title="This release does not exist">The address must contain a number.</Empty>
              ) : number === 0 ? (
                <Region of={releases}>{() => <Loading />}</Region>
              ) : (
                <Region of={release}>
                  {({ release, seal }) => (
                    <Region of={settings}>
                      {({ settings }) => <ReleaseView release={release!} seal={seal} settings={settings!} />}
                    </Region>
                  )}
                </Region>
              )}
              <Region of={settings} loading={null}>
                {plan => <KillSwitch plan={plan} />}
              </Region>
            </>
          )}
        </Suspense>
      </div>
    </Page>
  )
}
