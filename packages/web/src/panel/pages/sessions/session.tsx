// One conversation as a trace: prompts, tools and subagents, and under each the hooks that ran for it.

import { useQuery } from '@connectrpc/connect-query'
import { useMemo, useState } from 'react'
import { type GetSessionResponse, PanelService } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import { Figure, Page } from '../../../parts/page.js'
import { Empty, Failed, Loading } from '../../../parts/states.js'
import { Trace } from '../../../parts/trace.js'
import { around, asZoom, idlePart, readZoom, segmentsOf, type Window } from '../../../parts/trace-layout.js'
import { Overview } from '../../../parts/trace-overview.js'
import { growTree } from '../../../parts/trace-tree.js'
import { Verdict } from '../../../parts/verdict.js'
import { useCommands } from '../../../shell/commands.js'
import { useKeys } from '../../../shell/keys.js'
import { withTexts } from '../../../shell/search.js'
import { figure, percent } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { span } from '../../../words/time.js'
import { session as sessionRoute } from '../../routes.js'
import { RunSide } from '../runs/detail.js'
import styles from './sessions.module.css'
import { SpanSide } from './span-side.js'
import { spansOf } from './spans.js'

export function Session() {
  const { id } = sessionRoute.useParams()
  const answer = useQuery(PanelService.method.getSession, { id })
  if (answer.data) return <Timeline key={id} answer={answer.data} />
  return (
    <Page title="Session">
      {answer.error ? (
        <Failed error={answer.error} onRetry={() => void answer.refetch()} />
      ) : (
        <Loading rows={14} />
      )}
    </Page>
  )
}

/** From this share on, compressing is offered. */
const MUCH_IDLE = 0.5

function Timeline({ answer }: { readonly answer: GetSessionResponse }) {
  const search = sessionRoute.useSearch()
  const navigate = sessionRoute.useNavigate()
  const [isCompressed, setCompressed] = useState(false)
  const tree = useMemo(() => growTree(spansOf(answer.spans)), [answer.spans])
  const segments = useMemo(() => segmentsOf(tree), [tree])
  const idle = idlePart(segments)
  const zoom = readZoom(search.zoom)
  const whole = { from: tree.from, to: tree.to }
  const window = zoom ?? whole
  const { session } = answer
  const title = line(session?.title ?? '') || 'Untitled session'

  const open = (span: string | undefined) => void navigate({ search: withTexts(search, { span }) })
  const look = (to: Window | null) =>
    void navigate({ search: withTexts(search, { zoom: to ? asZoom(to) : undefined }), replace: true })
  const node = search.span === undefined ? undefined : tree.byId.get(search.span)
  // The order of `[` and `]`.
  const runs = useMemo(() => [...tree.byId.values()].filter(each => each.span.runId !== ''), [tree])
  const step = (by: 1 | -1) => {
    const next = node ? runs[runs.indexOf(node) + by] : undefined
    if (next) void navigate({ search: withTexts(search, { span: next.span.id }), replace: true })
  }
  const compress = () => setCompressed(!isCompressed)
  useKeys([{ keys: 'i', label: 'Compress idle time', group: 'Timeline', run: compress }])
  useCommands([
    { label: 'Show the complete session', kind: 'command', keys: '0', run: () => look(null) },
    {
      label: isCompressed ? 'Show idle time' : 'Compress idle time',
      kind: 'command',
      keys: 'i',
      run: compress,
    },
  ])
  return (
    <Page
      title={title}
      fixed
      figures={<Figures answer={answer} length={tree.to - tree.from} />}
      tools={
        tree.size === 0 ? null : (
          <>
            <Overview tree={tree} window={window} onZoom={look} />
            {zoom || idle >= MUCH_IDLE ? (
              <div className={styles.idle}>
                {zoom ? (
                  <>
                    {span(window.to - window.from)} of {span(tree.to - tree.from)} shown.
                    <Button kind="quiet" onClick={() => look(null)}>
                      Show all
                    </Button>
                  </>
                ) : null}
                {idle >= MUCH_IDLE ? (
                  <>
                    {percent(idle)} of this session is idle.
                    <Button kind="quiet" onClick={compress} aria-pressed={isCompressed}>
                      {isCompressed ? 'Show idle time' : 'Compress idle time'}
                    </Button>
                  </>
                ) : null}
              </div>
            ) : null}
          </>
        )
      }
      side={
        node ? (
          node.span.runId ? (
            <RunSide
              key={node.span.runId}
              id={node.span.runId}
              onStep={step}
              onClose={() => open(undefined)}
            />
          ) : (
            <SpanSide node={node} startedAt={session?.startedAt ?? ''} onClose={() => open(undefined)} />
          )
        ) : null
      }
    >
      {tree.size === 0 ? (
        <Empty title="No records of this session">The log no longer has them.</Empty>
      ) : (
        <Trace
          label={`Timeline of ${title}`}
          tree={tree}
          window={window}
          {...(isCompressed ? { segments } : {})}
          chosen={node?.span.id}
          onChoose={open}
          onZoom={to => look(to && around(to, whole))}
        />
      )}
    </Page>
  )
}

function Figures({ answer: { session, cut }, length }: { answer: GetSessionResponse; length: number }) {
  if (!session) return null
  return (
    <>
      <Figure value={span(length)}>total</Figure>
      <Figure value={figure(session.runs)}>
        hook {session.runs === 1 ? 'run' : 'runs'}, <strong>{span(session.hooksMs)}</strong> waiting on hooks
      </Figure>
      {session.denied > 0 ? <Verdict name="deny" count={session.denied} /> : null}
      {session.asked > 0 ? <Verdict name="ask" count={session.asked} /> : null}
      {session.failedOpen > 0 ? <Verdict name="failed_open" count={session.failedOpen} /> : null}
      {cut ? <span>Only the first 20,000 runs are shown.</span> : null}
    </>
  )
}
