// One hook with its history: beside the list, or on its own page.

import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { type GetHookResponse, type Hook, PanelService } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { CopyButton } from '../../../parts/copy.js'
import { Facts } from '../../../parts/facts.js'
import { Region } from '../../../parts/states.js'
import { Verdict } from '../../../parts/verdict.js'
import { asList } from '../../../shell/search.js'
import { count, figure } from '../../../words/number.js'
import { placeOf } from '../../../words/place.js'
import { line } from '../../../words/plain.js'
import { ago, span, whole } from '../../../words/time.js'
import { usePanel } from '../../context.js'
import styles from './hooks.module.css'
import { ProblemList } from './problems.js'
import { Scripts } from './scripts.js'
import { sourceWords } from './shown.js'

export interface HookDetailProps {
  readonly answer: GetHookResponse
  /** Of its headings. */
  readonly level?: 2 | 3
}

export function HookDetail({ answer, level = 3 }: HookDetailProps) {
  const hook = answer.hook!
  return (
    <div className={styles.detail}>
      {hook.problems.length > 0 ? <ProblemList problems={hook.problems} label="Problems" /> : null}
      <Part title="Definition" level={level}>
        <Definition hook={hook} />
      </Part>
      <Part title="History" level={level}>
        <History hook={hook} />
      </Part>
      <Part title={hook.type === 'prompt' ? 'Question' : 'Script'} level={level}>
        {hook.type === 'prompt' ? <p>{line(hook.command)}</p> : <Scripts scripts={answer.scripts} />}
      </Part>
      <Part title="Recent runs" level={level}>
        <RecentRuns hook={hook} />
      </Part>
    </div>
  )
}

function Part({ title, level, children }: { title: string; level: 2 | 3; children: ReactNode }) {
  const id = useId()
  const Heading = `h${level}` as 'h3'
  return (
    <section aria-labelledby={id}>
      <Heading id={id}>{title}</Heading>
      {children}
    </section>
  )
}

function Definition({ hook }: { readonly hook: Hook }) {
  const { workspace } = usePanel()
  const summary = workspace.events.find(({ name }) => name === hook.event)?.summary
  return (
    <Facts
      facts={[
        [
          'Event',
          <With key="event" aside={line(summary ?? '')}>
            {hook.event}
          </With>,
        ],
        ['Order', hook.order > 0 ? `${hook.order} of the hooks of this event` : 'None: it does not run'],
        [hook.type === 'prompt' ? 'Question' : 'Command', <code key="command">{line(hook.command)}</code>],
        [
          'Matcher',
          hook.matcher ? <code key="matcher">{line(hook.matcher)}</code> : 'None: it runs every time',
        ],
        [
          'Source',
          <With key="source" aside={<code>{line(placeOf(hook.file, hook.line, workspace.roots))}</code>}>
            {sourceWords(hook.source)}
          </With>,
        ],
        ['Timeout', hook.timeoutS > 0 ? `${hook.timeoutS} s` : 'None'],
        ['On failure', line(hook.onFailure)],
        hook.mode === 'observe' ? ['Mode', 'Audit: responses are recorded and change nothing'] : null,
        hook.loopLimit === undefined ? null : ['Loop limit', hook.loopLimit],
        hook.gap ? ['Trust', `Not fully covered: ${line(hook.gap)}`] : null,
        [
          'Fingerprint',
          <span key="fingerprint" className="row">
            <code title={hook.fingerprint}>{hook.fingerprint.slice(0, 16)}</code>
            <CopyButton text={hook.fingerprint} label="the fingerprint" />
          </span>,
        ],
      ]}
    />
  )
}

const With = ({ children, aside }: { readonly children: ReactNode; readonly aside: ReactNode }) => (
  <>
    {children}
    <span className={styles.aside}>{aside}</span>
  </>
)

function History({ hook }: { readonly hook: Hook }) {
  const { history } = hook
  return history ? (
    <dl className={styles.figures}>
      {[
        ['runs', figure(history.runs)],
        ['denied', figure(history.denied)],
        ['failed open', figure(history.failedOpen)],
        ['p50', span(history.p50Ms)],
        ['p95', span(history.p95Ms)],
      ].map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  ) : (
    <p className="muted">No runs in the log.</p>
  )
}

const RECENT = 8

function RecentRuns({ hook }: { readonly hook: Hook }) {
  const runs = useQuery(PanelService.method.listRuns, { filter: { hookId: hook.id }, pageSize: RECENT })
  return (
    <Region of={runs}>
      {({ runs }) =>
        runs.length === 0 ? (
          <p className="muted">None in the log.</p>
        ) : (
          <>
            <ul className={styles.runs}>
              {runs.map(run => (
                <li key={run.id}>
                  <Link
                    to="/runs"
                    search={{ hook: asList([hook.group])!, run: run.id }}
                    className={styles.run}
                  >
                    <Verdict
                      name={run.hooks.find(({ group }) => group === hook.group)?.verdict ?? run.verdict}
                    />
                    <span className={`${styles.subject} mono`}>{line(run.subject) || run.event}</span>
                    <span className={styles.took}>{span(run.durationMs)}</span>
                    <span className="faint" title={whole(run.at)}>
                      {ago(run.at)}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
            <Link to="/runs" search={{ hook: asList([hook.group])!, event: hook.event }}>
              All {count(hook.history?.runs ?? runs.length, 'run')} of this hook
            </Link>
          </>
        )
      }
    </Region>
  )
}
