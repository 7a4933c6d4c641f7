import { useInfiniteQuery } from '@connectrpc/connect-query'
import { PanelService, type RunSummary } from '../../gen/holdfast/panel/v1/panel_pb.js'
import { Page, Side } from '../../parts/page.js'
import { Cell, Rows } from '../../parts/rows.js'
import { Region } from '../../parts/states.js'
import { Verdict } from '../../parts/verdict.js'
import { withTexts } from '../../shell/search.js'
import { line } from '../../words/plain.js'
import { clockMs, span } from '../../words/time.js'
import { runs as runsRoute } from '../routes.js'
import styles from './runs.module.css'

export function Runs() {
  const search = runsRoute.useSearch()
  const navigate = runsRoute.useNavigate()
  const runs = useInfiniteQuery(
    PanelService.method.listRuns,
    { filter: { text: search.q ?? '' }, pageSize: 200, pageToken: '' },
    { pageParamKey: 'pageToken', getNextPageParam: page => page.nextPageToken || undefined },
  )
  const open = (run: string | undefined) => void navigate({ search: withTexts(search, { run }) })
  return (
    <Page
      title="Runs"
      fixed
      side={
        search.run ? (
          <Side label="Run" onClose={() => open(undefined)}>
            {search.run}
          </Side>
        ) : null
      }
    >
      <Region of={runs}>
        {({ pages }) => (
          <Rows<RunSummary>
            label="Runs"
            rows={pages.flatMap(page => page.runs)}
            keyOf={run => run.id}
            chosen={search.run}
            onChoose={open}
            onEnd={runs.hasNextPage ? () => void runs.fetchNextPage() : undefined}
            rowClass={styles.columns!}
            head={['Time', 'Verdict', 'Event', 'Subject', 'Took'].map(name => (
              <Cell key={name} head>
                {name}
              </Cell>
            ))}
            draw={run => (
              <>
                <Cell>{clockMs(run.at)}</Cell>
                <Cell>
                  <Verdict name={run.verdict} />
                </Cell>
                <Cell>{run.event}</Cell>
                <Cell className="mono">{line(run.subject)}</Cell>
                <Cell>{span(run.durationMs)}</Cell>
              </>
            )}
          />
        )}
      </Region>
    </Page>
  )
}
