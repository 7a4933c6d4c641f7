// How the newest release reaches the devices, or how an older one did, and what people can do about it.

import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { RolloutService } from '@holdfast/team/messages'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Page } from '../../../parts/page.js'
import { Empty, Loading, Region } from '../../../parts/states.js'
import { TabList } from '../../../parts/tablist.js'
import { withTexts } from '../../../shell/search.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { KillSwitch } from './kill.js'
import { ReleaseView, StateBadge } from './release.js'
import styles from './rollout.module.css'
import { Steps } from './steps.js'
import { stateOf } from './words.js'

// Only who looks at them needs them.
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
  const navigate = useNavigate()
  const releases = useInfiniteQuery(
    RolloutService.method.listReleases,
    { pageSize: 50, pageToken: '' },
    { pageParamKey: 'pageToken', getNextPageParam: page => page.nextPageToken || undefined },
  )
  const settings = useQuery(RolloutService.method.getRolloutSettings, {})
  const all = releases.data?.pages.flatMap(page => page.releases) ?? []
  // The one that people look after: on its way, halted or unsigned before what is everywhere.
  const newest = all[0]?.number ?? 0
  const current = all.find(({ state }) => state === 'rolling' || state === 'done')?.number ?? 0
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
      title={tab === 'release' && shown ? `Release ${shown.number}` : 'Rollout'}
      figures={
        tab === 'release' && shown ? (
          <>
            <StateBadge state={stateOf(shown, current)} />
            <span title={whole(shown.at)}>
              Made {ago(shown.at)} by {line(shown.author)}
            </span>
            {shown.rollsBackTo > 0 ? (
              <span>
                with the hooks of{' '}
                <Link to={`/rollout/${shown.rollsBackTo}`}>release {shown.rollsBackTo}</Link>
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
      actions={tab === 'release' && shown ? <Steps release={shown} current={current} /> : null}
      tools={
        <TabList
          label="What to look at"
          tabs={TABS}
          chosen={tab}
          onChoose={name =>
            void navigate({
              to: given === undefined ? '/rollout' : `/rollout/${given}`,
              search: withTexts(search, {
                tab: name === 'release' ? undefined : name,
              }) as never,
              replace: true,
            })
          }
        />
      }
    >
      <div className={styles.body}>
        <Suspense fallback={<Loading />}>
          {tab === 'releases' ? (
            <Releases all={all} asked={releases} newest={current} />
          ) : tab === 'pins' ? (
            <Pins releases={all} />
          ) : tab === 'settings' ? (
            <Region of={settings}>{({ settings }) => <RolloutForm settings={settings!} />}</Region>
          ) : (
            <>
              {given === undefined && releases.data && newest === 0 ? (
                <Empty title="Nothing was released yet" action={<Link to="/hooks">To the hooks</Link>}>
                  A release is made when somebody publishes a draft. It then goes from ring to ring, and here
                  one sees how far it is.
                </Empty>
              ) : !Number.isInteger(number) ? (
                <Empty title="There is no such release">The address names no number.</Empty>
              ) : number === 0 ? (
                <Region of={releases}>{() => <Loading />}</Region>
              ) : (
                <Region of={release}>
                  {({ release, seal }) => (
                    <Region of={settings}>
                      {({ settings }) => (
                        <ReleaseView release={release!} seal={seal} settings={settings!} current={current} />
                      )}
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
