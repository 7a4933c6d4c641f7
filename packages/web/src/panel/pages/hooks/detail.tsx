// Everything about one hook: beside the list, and as a page of its own.

import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { type GetHookResponse, type Hook, PanelService } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { CopyButton } from '../../../parts/code.js'
import { Region } from '../../../parts/states.js'
import { Verdict } from '../../../parts/verdict.js'
import { count, figure } from '../../../words/number.js'
import { placeOf } from '../../../words/place.js'
import { line } from '../../../words/plain.js'
import { ago, span, whole } from '../../../words/time.js'
import { usePanel } from '../../context.js'
import styles from './hooks.module.css'
import { ProblemList } from './problems.js'
import { Scripts } from './scripts.js'
import { neverWords, sourceWords } from './shown.js'

export function HookDetail({ answer }: { readonly answer: GetHookResponse }) {
  const hook = answer.hook!
  return (
    <div className={styles.detail}>
      {hook.problems.length > 0 ? <ProblemList problems={hook.problems} label="Problems" /> : null}
      <Definition hook={hook} />
      <History hook={hook} />
      <section aria-labelledby="hook-script">
        <h3 id="hook-script">{hook.type === 'prompt' ? 'Question' : 'Script'}</h3>
        {hook.type === 'prompt' ? <p>{line(hook.command)}</p> : <Scripts scripts={answer.scripts} />}
      </section>
      <RecentRuns hook={hook} />
    </div>
  )
}

function Definition({ hook }: { readonly hook: Hook }) {
  const { workspace } = usePanel()
  const summary = workspace.events.find(({ name }) => name === hook.event)?.summary
  return (
    <section aria-labelledby="hook-definition">
      <h3 id="hook-definition">Definition</h3>
      <dl className={styles.facts}>
        <dt>Event</dt>
        <dd>
          {hook.event}
          {summary ? <span className={styles.aside}>{line(summary)}</span> : null}
        </dd>
        <dt>Order</dt>
        <dd>{hook.order > 0 ? `number ${hook.order} of its event` : 'not in the order: it does not run'}</dd>
        <dt>{hook.type === 'prompt' ? 'Question' : 'Command'}</dt>
        <dd className="mono">{line(hook.command)}</dd>
        <dt>Matcher</dt>
        <dd className={hook.matcher ? 'mono' : undefined}>{hook.matcher ? line(hook.matcher) : 'all'}</dd>
        <dt>Source</dt>
        <dd>
          {sourceWords(hook.source)}
          <span className={`${styles.aside} mono`}>
            {line(placeOf(hook.file, hook.line, workspace.roots))}
          </span>
        </dd>
        <dt>Timeout</dt>
        <dd>{hook.timeoutS > 0 ? `${hook.timeoutS} s` : 'none'}</dd>
        <dt>On failure</dt>
        <dd>{line(hook.onFailure)}</dd>
        {hook.mode === 'observe' ? (
          <>
            <dt>Mode</dt>
            <dd>only watches: what it says is written down and changes nothing</dd>
          </>
        ) : null}
        {hook.loopLimit !== undefined ? (
          <>
            <dt>Loop limit</dt>
            <dd>{hook.loopLimit}</dd>
          </>
        ) : null}
        {hook.gap ? (
          <>
            <dt>Trust</dt>
            <dd>not fully covered: {line(hook.gap)}</dd>
          </>
        ) : null}
        <dt>Fingerprint</dt>
        <dd className={styles.fingerprint}>
          <span className="mono" title={hook.fingerprint}>
            {hook.fingerprint.slice(0, 16)}
          </span>
          <CopyButton text={hook.fingerprint} label="Copy the fingerprint" />
        </dd>
      </dl>
    </section>
  )
}

function History({ hook }: { readonly hook: Hook }) {
  const { history } = hook
  return (
    <section aria-labelledby="hook-history">
      <h3 id="hook-history">History</h3>
      {history ? (
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
        <p className="muted">It {neverWords(hook)}, as far as the log goes back.</p>
      )}
    </section>
  )
}

const RECENT = 8

function RecentRuns({ hook }: { readonly hook: Hook }) {
  const runs = useQuery(PanelService.method.listRuns, { filter: { hookId: hook.id }, pageSize: RECENT })
  return (
    <section aria-labelledby="hook-runs">
      <h3 id="hook-runs">Recent runs</h3>
      <Region of={runs}>
        {({ runs }) =>
          runs.length === 0 ? (
            <p className="muted">None in the log.</p>
          ) : (
            <>
              <ul className={styles.runs}>
                {runs.map(run => (
                  <li key={run.id}>
                    <Link to="/runs" search={{ hook: hook.name, run: run.id }} className={styles.run}>
                      <Verdict name={run.verdict} />
                      <span className={`${styles.subject} mono`}>{line(run.subject) || run.event}</span>
                      <span className={styles.took}>{span(run.durationMs)}</span>
                      <span className="faint" title={whole(run.at)}>
                        {ago(run.at)}
                      </span>
                    </Link>
                  </li>
                ))}
              </ul>
              <Link to="/runs" search={{ hook: hook.name, event: hook.event }}>
                All {count(hook.history?.runs ?? runs.length, 'run')} of this hook
              </Link>
            </>
          )
        }
      </Region>
    </section>
  )
}
