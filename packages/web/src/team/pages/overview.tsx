import { useQuery } from '@connectrpc/connect-query'
import { AuditService, type GetOverviewResponse, RolloutService } from '@holdfast/team/messages'
import { keepPreviousData } from '@tanstack/react-query'
import { Histogram } from '../../parts/histogram.js'
import { Page } from '../../parts/page.js'
import { Region } from '../../parts/states.js'
import { overview as overviewRoute } from '../routes.js'
import { attention } from './overview/attention.js'
import { AttentionList } from './overview/attention-list.js'
import { FigureCards } from './overview/figures.js'
import { FirstSteps } from './overview/first-steps.js'
import { DevicesAtAGlance, RingHealth } from './overview/fleet.js'
import { Failing, MostDenied, Slowest } from './overview/lists.js'
import { SPANS, since, spanOf } from './overview/since.js'
import styles from './overview.module.css'

export function Overview() {
  const search = overviewRoute.useSearch()
  const navigate = overviewRoute.useNavigate()
  const span = spanOf(search.range)
  const from = since(span, Date.now())
  const overview = useQuery(
    AuditService.method.getOverview,
    { from: new Date(from).toISOString() },
    { placeholderData: keepPreviousData },
  )
  const rollout = useQuery(RolloutService.method.getRolloutSettings, {})
  const releases = useQuery(RolloutService.method.listReleases, { pageSize: 20 })
  const needs = attention({
    overview: overview.data,
    rollout: rollout.data,
    releases: releases.data?.releases,
    range: span.name,
  })
  return (
    <Page
      title="Overview"
      actions={
        <div className={styles.spans} role="group" aria-label="Time">
          {SPANS.map(({ name, label }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === span.name}
              onClick={() => void navigate({ search: { range: name }, replace: true })}
            >
              {label}
            </button>
          ))}
        </div>
      }
    >
      <div className={styles.body}>
        <Region of={overview}>
          {data => {
            const isKnown = rollout.data !== undefined && releases.data !== undefined
            return (
              <>
                <AttentionList items={needs} isKnown={isKnown && !isNew(data)} />
                {isNew(data) ? (
                  <FirstSteps
                    hasRelease={(releases.data?.releases.length ?? 0) > 0}
                    hasDevice={data.devices > 0}
                  />
                ) : (
                  <>
                    <FigureCards overview={data} span={span} />
                    <Chart
                      overview={data}
                      onSelect={search => void navigate({ to: '/audit', search })}
                      range={span.name}
                    />
                  </>
                )}
                <div className={styles.lists}>
                  <DevicesAtAGlance overview={data} />
                  <RingHealth releases={releases.data?.releases} settings={rollout.data?.settings} />
                </div>
                {isNew(data) ? null : (
                  <div className={styles.lists}>
                    <MostDenied overview={data} range={span.name} />
                    <Slowest overview={data} range={span.name} />
                    <Failing overview={data} range={span.name} />
                  </div>
                )}
              </>
            )
          }}
        </Region>
      </div>
    </Page>
  )
}

const Chart = ({
  overview,
  range,
  onSelect,
}: {
  readonly overview: GetOverviewResponse
  readonly range: string
  readonly onSelect: (search: Readonly<Record<string, string>>) => void
}) => (
  <section className={styles.card} aria-label="Runs over time">
    <h2>Runs over time</h2>
    <Histogram
      label="Runs over time"
      height={140}
      bars={overview.buckets.map(({ from, to, verdicts }) => ({ from, to, counts: verdicts }))}
      onSelect={({ from, to }) =>
        onSelect({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })
      }
      onToggle={verdict => onSelect({ verdict, range })}
    />
  </section>
)

/** No run is known to this page. */
const isNew = ({ now, before, devices }: GetOverviewResponse): boolean =>
  (now?.runs ?? 0) === 0 && ((before?.runs ?? 0) === 0 || devices === 0)
