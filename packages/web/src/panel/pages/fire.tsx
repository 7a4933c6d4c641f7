// Firing an event by hand: choose it, edit its payload, see which hooks will run, run them, and read the verdict.

import { useQuery } from '@connectrpc/connect-query'
import { keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import {
  type EventInfo,
  type GetEventResponse,
  PanelService,
  type Planned,
} from '../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../parts/button.js'
import { Copy } from '../../parts/copy.js'
import { Editor } from '../../parts/editor/editor.js'
import type { Schema } from '../../parts/editor/schema.js'
import { Page } from '../../parts/page.js'
import { Empty, Failed, Region } from '../../parts/states.js'
import { useCommands } from '../../shell/commands.js'
import { keyCaps, useKeys } from '../../shell/keys.js'
import { asList, listOf, withTexts } from '../../shell/search.js'
import { askAgain } from '../../shell/touched.js'
import { count } from '../../words/number.js'
import { line } from '../../words/plain.js'
import { usePanel } from '../context.js'
import { fire as route } from '../routes.js'
import { useSettled } from './edit/soon.js'
import styles from './fire/fire.module.css'
import { useFiring } from './fire/firing.js'
import { keepPayload, payloadOf, pretty } from './fire/payloads.js'
import { EventPicker, ProfilePicker } from './fire/picker.js'
import { Plan } from './fire/plan.js'
import { Result } from './fire/result.js'
import { isAmong, mostHooked, runWords } from './fire/words.js'

const EXPLAIN_AFTER_MS = 250

export function Fire() {
  const search = route.useSearch()
  const { workspace } = usePanel()
  const runId = search.from?.startsWith('run:') ? search.from.slice('run:'.length) : undefined
  const event = workspace.events.find(({ name }) => name === search.event)
  const sources = useQuery(PanelService.method.listSources, {}, { enabled: !search.event && !runId })
  if (workspace.events.length === 0)
    return <Empty title="No events are known">The panel returned none.</Empty>
  if (runId) return <FromRun key={runId} id={runId} />
  if (search.event && !event)
    return (
      <Empty
        title={`There is no event ${line(search.event)}`}
        action={<Link to="/fire">Choose another</Link>}
      >
        The link may be from another version.
      </Empty>
    )
  if (!event && sources.isPending) return <Page title="Fire">{null}</Page>
  const chosen = event ?? mostHooked(workspace.events, sources.data?.sources ?? [])
  return <Chosen key={chosen.name} event={chosen} />
}

/** Begins with the latest edit, or with a sample. */
function Chosen({ event }: { readonly event: EventInfo }) {
  const { sample: asked } = route.useSearch()
  return (
    <About event={event}>
      {about => {
        const sample = about.samples.find(({ name }) => name === asked) ?? about.samples[0]
        const kept = asked === undefined ? payloadOf(event.name) : undefined
        return <Range event={event} about={about} start={kept ?? pretty(sample?.payloadJson ?? '{}')} />
      }}
    </About>
  )
}

interface AboutProps {
  readonly event: EventInfo
  readonly children: (about: GetEventResponse) => React.ReactNode
}

function About({ event, children }: AboutProps) {
  const about = useQuery(
    PanelService.method.getEvent,
    { name: event.name },
    { staleTime: Number.POSITIVE_INFINITY },
  )
  return <Region of={about}>{children}</Region>
}

/** The payload of a recorded run. */
function FromRun({ id }: { readonly id: string }) {
  const { workspace } = usePanel()
  const run = useQuery(PanelService.method.getRun, { id })
  // The run may hold a shortened payload; the complete one is fired.
  const payload = useQuery(PanelService.method.getRunText, { id, text: 'payloadJson' })
  return (
    <Region of={run}>
      {({ path }) => {
        const event = workspace.events.find(({ name }) => name === path?.event)
        if (!path || !event)
          return <Empty title="This run cannot be fired again">This version does not have its event.</Empty>
        const altered = path.redacted.length
        const from = (
          <>
            Filled from{' '}
            <Link to="/runs" search={{ run: id }}>
              a recorded run
            </Link>
            {altered > 0
              ? `; ${count(altered, 'place')} in it ${altered === 1 ? 'was' : 'were'} redacted`
              : ''}
            .
          </>
        )
        return (
          <About event={event}>
            {about => (
              <Region of={payload}>
                {({ text }) => <Range event={event} about={about} start={pretty(text || '{}')} from={from} />}
              </Region>
            )}
          </About>
        )
      }}
    </Region>
  )
}

interface RangeProps {
  readonly event: EventInfo
  readonly about: GetEventResponse
  readonly start: string
  readonly from?: React.ReactNode
}

function Range({ event, about, start, from }: RangeProps) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const queries = useQueryClient()
  const { workspace } = usePanel()
  const [payload, setPayload] = useState(start)
  const known = new Set(workspace.profiles.map(({ name }) => name))
  const profiles =
    search.profile === 'all' ? [...known] : listOf(search.profile).filter(name => known.has(name))
  const schema = useMemo(() => JSON.parse(about.schemaJson || '{}') as Schema, [about.schemaJson])
  const settled = useSettled(payload, EXPLAIN_AFTER_MS)
  const plan = useQuery(
    PanelService.method.explain,
    { event: event.name, payloadJson: settled, profiles },
    { placeholderData: keepPreviousData, staleTime: 0 },
  )
  const { firing, fire, cancel } = useFiring(() => askAgain(queries, ['Explain']))
  useEffect(() => keepPayload(event.name, payload), [event, payload])

  const isPlanned = plan.data !== undefined || plan.error !== null
  const isCurrent = settled === payload && !plan.isPlaceholderData && plan.data !== undefined
  const errors = plan.data?.problems.filter(({ severity }) => severity === 'error').length ?? 0
  const because =
    plan.data === undefined
      ? 'Still checking which hooks will run.'
      : errors > 0
        ? 'Fix the payload first.'
        : undefined
  // A press while the plan loads counts when it arrives, unless it would start a hook that was not shown.
  const wanted = useRef<readonly Planned[]>(null)
  const [isNew, setNew] = useState(false)
  const run = () => {
    if (firing.kind === 'running' || errors > 0) return
    setNew(false)
    if (isCurrent && plan.data)
      void fire({ event: event.name, payloadJson: payload, profiles, planned: plan.data.runs })
    else wanted.current = plan.data?.runs ?? []
  }
  useEffect(() => {
    const shown = wanted.current
    if (!shown || !isCurrent || !plan.data) return
    wanted.current = null
    if (isAmong(plan.data.runs, shown)) run()
    else setNew(true)
  })
  useKeys([{ keys: 'mod+enter', label: 'Fire', group: 'Fire', run }])
  const go = (changes: Parameters<typeof withTexts<'event' | 'sample' | 'from' | 'profile'>>[1]) =>
    void navigate({ search: withTexts(search, changes), replace: true })
  const choose = (name: string) => go({ event: name, sample: undefined, from: undefined })
  useCommands(
    workspace.events.map(({ name }) => ({ label: `Fire ${name}`, kind: 'event', run: () => choose(name) })),
  )
  const versions = profiles.length || 1
  const isOld =
    firing.kind === 'done' && (firing.shot.payloadJson !== payload || firing.shot.event !== event.name)
  return (
    <Page
      title="Fire"
      tools={
        <div className="row">
          <EventPicker events={workspace.events} chosen={event.name} onChoose={choose} />
          <ProfilePicker
            profiles={workspace.profiles}
            own={workspace.profile}
            chosen={profiles}
            onChange={names => go({ profile: names.length === known.size ? 'all' : asList(names) })}
          />
          <p className={styles.summary}>{line(event.summary)}</p>
        </div>
      }
    >
      <div className={styles.fire}>
        <div className="stack-loose">
          {from ? <p className={styles.from}>{from}</p> : null}
          {about.samples.length > 1 ? (
            <div className="row" role="group" aria-label="Samples">
              <span className="muted">Samples</span>
              {about.samples.map(({ name, payloadJson }) => (
                <Button
                  key={name}
                  className={styles.sample}
                  title={line(name)}
                  aria-pressed={payload === pretty(payloadJson)}
                  onClick={() => {
                    setPayload(pretty(payloadJson))
                    go({ event: event.name, sample: name, from: undefined })
                  }}
                >
                  {line(name)}
                </Button>
              ))}
            </div>
          ) : null}
          <Editor
            className={styles.payload}
            height="fit"
            label={`Payload of ${event.name}`}
            text={payload}
            onChange={setPayload}
            language="json"
            schema={schema}
            problems={plan.data?.problems}
            onRun={run}
          />
          {plan.data && plan.data.problems.length > 0 ? (
            <ul className={styles.problems} aria-label="Problems of the payload">
              {plan.data.problems.map(problem => (
                <li key={`${problem.path} ${problem.message}`} data-severity={problem.severity}>
                  <strong>{problem.path || problem.severity}</strong> {line(problem.message)}{' '}
                  {problem.hint ? <span className="muted">{line(problem.hint)}</span> : null}
                </li>
              ))}
            </ul>
          ) : null}
          {plan.data ? (
            <Plan plan={plan.data} isOld={!isCurrent} />
          ) : plan.error ? (
            <Failed error={plan.error} onRetry={() => void plan.refetch()} />
          ) : null}
          {/* What is below the plan appears with it, so that the plan moves nothing. */}
          <div className={styles.go} hidden={!isPlanned}>
            <Button kind="primary" busy={firing.kind === 'running'} because={because} onClick={run}>
              {firing.kind === 'running' ? 'Running' : runWords(plan.data?.runs.length ?? 0, versions)}
              <kbd aria-hidden="true">{keyCaps('mod+enter').join('')}</kbd>
            </Button>
            {isNew ? (
              <p role="status">Other hooks will run than were shown. Review them and fire again.</p>
            ) : null}
          </div>
          {plan.data?.command ? (
            <section className={styles.command} aria-labelledby="as-command">
              <h2 id="as-command">The same in a terminal</h2>
              <Copy text={plan.data.command} label="the command" />
            </section>
          ) : null}
        </div>
        {isPlanned ? <Result firing={firing} onCancel={cancel} isOld={isOld} /> : null}
      </div>
    </Page>
  )
}
