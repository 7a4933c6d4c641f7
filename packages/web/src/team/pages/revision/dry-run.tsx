// Runs the draft on samples, in a sandbox of the server.

import { Code } from '@connectrpc/connect'
import { type CheckDraftResponse, type EventFacts, type Hook, HooksService } from '@holdfast/team/messages'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Editor } from '../../../parts/editor/editor.js'
import { Notice, Refused } from '../../../parts/notice.js'
import { Empty, Region } from '../../../parts/states.js'
import { Verdict } from '../../../parts/verdict.js'
import { useCommands } from '../../../shell/commands.js'
import { useKeys } from '../../../shell/keys.js'
import { count } from '../../../words/number.js'
import { line, lines } from '../../../words/plain.js'
import { span } from '../../../words/time.js'
import { useAct } from '../../act.js'
import { useMay } from '../../context.js'
import { eventOf, useEvents } from '../hook/events.js'
import styles from './revision.module.css'
import { anotherSample, firstSamples, keepSamples, sampleProblem } from './samples.js'

export interface DryRunProps {
  readonly hook: Hook
  readonly mayNot: string | undefined
}

export function DryRun(props: DryRunProps) {
  const events = useEvents()
  const { hookStep } = props.hook.draft!
  return (
    <Region of={events}>
      {({ events }) => {
        const event = eventOf(events, hookStep)
        // Another event has other samples.
        if (event) return <Trying key={hookStep} {...props} event={event} />
        return <Empty title="No samples for this event">This server has no event “{line(hookStep)}”.</Empty>
      }}
    </Region>
  )
}

function Trying({ hook, mayNot, event }: DryRunProps & { readonly event: EventFacts }) {
  const draft = hook.draft!
  const [samples, setSamples] = useState(() => firstSamples(hook.id, event, draft.matcher))
  const [result, setResult] = useState<{ answer: CheckDraftResponse; version: number }>()
  const check = useAct(HooksService.method.checkDraft, ['GetHook', 'ListHooks'])
  const isPrompt = draft.type === 'prompt'
  const keep = (next: typeof samples) => {
    setSamples(next)
    keepSamples(hook.id, event, next)
  }
  const wrong = samples.find(({ json }) => sampleProblem(json) !== undefined)
  const because =
    mayNot ?? (wrong && !isPrompt ? `The sample “${wrong.name}” is not a JSON object.` : undefined)
  const run = async () => {
    if (because !== undefined) return
    const answer = await check.run({
      id: hook.id,
      samples: isPrompt ? [] : samples.map(({ name, json }) => ({ name, payloadJson: json })),
    })
    if (answer) setResult({ answer, version: hook.draftVersion })
  }
  const label = isPrompt ? 'Check the draft' : `Run on ${count(samples.length, 'sample')}`
  useKeys(mayNot ? [] : [{ keys: 'mod+enter', label: 'Dry run', group: 'Hook', run: () => void run() }])
  useCommands(mayNot ? [] : [{ label: 'Dry run', kind: 'command', keys: 'mod+enter', run: () => void run() }])
  return (
    <section className="stack-loose">
      <p className="muted">
        {isPrompt
          ? 'A prompt needs a model, and this server has none. Only the options are checked.'
          : 'The script runs on the server, in a sandbox without network or other files.'}
      </p>
      {isPrompt
        ? null
        : samples.map((sample, index) => {
            const problem = sampleProblem(sample.json)
            const change = (next: Partial<typeof sample>) =>
              keep(samples.map(one => (one.id === sample.id ? { ...one, ...next } : one)))
            return (
              <details key={sample.id} className={styles.sample} open={samples.length === 1 || undefined}>
                <summary>
                  <span>{line(sample.name) || `sample ${index + 1}`}</span>
                  {problem ? <span className={styles.wrong}>{problem}</span> : null}
                </summary>
                <div className={styles.sampleBody}>
                  <div className="row">
                    <label>
                      Name{' '}
                      <input
                        value={sample.name}
                        maxLength={100}
                        onChange={event => change({ name: event.target.value })}
                      />
                    </label>
                    {samples.length > 1 ? (
                      <Button kind="quiet" onClick={() => keep(samples.filter(({ id }) => id !== sample.id))}>
                        Remove
                      </Button>
                    ) : null}
                  </div>
                  <Editor
                    label={`Payload of ${sample.name}`}
                    text={sample.json}
                    language="json"
                    height="fit"
                    onChange={json => change({ json })}
                    onRun={() => void run()}
                  />
                </div>
              </details>
            )
          })}
      <div className="row">
        <Button
          kind={hook.fit ? 'plain' : 'primary'}
          because={because}
          busy={check.busy}
          onClick={() => void run()}
        >
          {label}
        </Button>
        {isPrompt || samples.length >= 20 ? null : (
          <label>
            <span className="hidden">Add a sample</span>
            <select
              value=""
              onChange={({ target }) =>
                keep([...samples, anotherSample(event, target.value === 'own' ? undefined : target.value)])
              }
            >
              <option value="">Add a sample…</option>
              <option value="own">Your own</option>
              {event.subjectExamples.map(example => (
                <option key={example}>{example}</option>
              ))}
            </select>
          </label>
        )}
        {because ? <span className="muted">{because}</span> : null}
      </div>
      <Refused error={check.error} />
      {check.error?.code === Code.FailedPrecondition ? <Approval hook={hook} /> : null}
      {result ? (
        <Result answer={result.answer} isOld={result.version !== hook.draftVersion} isPrompt={isPrompt} />
      ) : null}
    </section>
  )
}

/** Where the server has no sandbox, an admin other than the author may approve the draft without a run. */
function Approval({ hook }: { readonly hook: Hook }) {
  const mayNot = useMay('HooksService/ApproveUnrun')
  const [reason, setReason] = useState('')
  const approve = useAct(HooksService.method.approveUnrun, ['GetHook', 'ListHooks'])
  if (hook.fit) return <p>The draft is approved without a dry run.</p>
  const because = mayNot ?? (reason.trim() === '' ? 'Give a reason.' : undefined)
  return (
    <form
      className="row"
      onSubmit={event => {
        event.preventDefault()
        if (because === undefined) void approve.run({ id: hook.id, draftVersion: hook.draftVersion, reason })
      }}
    >
      <label>
        Reason <input value={reason} maxLength={1000} onChange={event => setReason(event.target.value)} />
      </label>
      <Button type="submit" kind="plain" because={because} busy={approve.busy}>
        Approve without a dry run
      </Button>
      <Refused error={approve.error} />
    </form>
  )
}

function Result({
  answer,
  isOld,
  isPrompt,
}: {
  readonly answer: CheckDraftResponse
  readonly isOld: boolean
  readonly isPrompt: boolean
}) {
  return (
    <div className="stack-loose" aria-live="polite">
      <Notice tone={isOld ? 'none' : answer.fit ? 'allow' : 'deny'}>
        {isOld ? 'The draft changed after this run. Run it again.' : resultWords(answer, isPrompt)}
      </Notice>
      {answer.problems.map(({ severity, message, hint, field }) => (
        <p key={message} className={styles.problem} data-severity={severity}>
          {field ? `${field}: ` : ''}
          {line(message)} {line(hint)}
        </p>
      ))}
      {answer.runs.map((run, index) => (
        <article key={`${run.sample} ${index + 1}`} className={styles.run}>
          <header>
            <strong>{line(run.sample)}</strong>
            {run.ran || run.failure ? (
              <>
                <Verdict name={run.verdict} />
                <span className="muted">exit {run.exitCode}</span>
                <span className={styles.took}>{span(run.durationMs)}</span>
              </>
            ) : (
              <span className="muted">Did not run: the matcher does not match this sample.</span>
            )}
          </header>
          {run.failure ? <p className={styles.wrong}>{lines(run.failure)}</p> : null}
          <dl>
            {run.userMessage ? (
              <>
                <dt>To the user</dt>
                <dd>{lines(run.userMessage)}</dd>
              </>
            ) : null}
            {run.agentMessage ? (
              <>
                <dt>To the agent</dt>
                <dd>{lines(run.agentMessage)}</dd>
              </>
            ) : null}
          </dl>
          {run.stdout.trim() ? <Output name="stdout" text={run.stdout} /> : null}
          {run.stderr.trim() ? <Output name="stderr" text={run.stderr} /> : null}
        </article>
      ))}
    </div>
  )
}

/** Only samples that ran count. */
function resultWords({ fit, runs }: CheckDraftResponse, isPrompt: boolean): string {
  if (isPrompt)
    return fit ? 'The options are valid. This draft can be published.' : 'This draft cannot be published.'
  const ran = runs.filter(({ ran }) => ran).length
  const failed = runs.filter(({ failure }) => failure !== '').length
  if (runs.length > 0 && ran === 0 && failed === 0)
    return 'The script never ran: the matcher matches none of the samples.'
  const on = ran === runs.length ? count(ran, 'sample') : `${ran} of ${count(runs.length, 'sample')}`
  if (fit) return `Tested on ${on}. This draft can be published.`
  return failed > 0
    ? `Failed on ${count(failed, 'sample')}. This draft cannot be published.`
    : 'This draft cannot be published.'
}

const Output = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <details className={styles.output} open={name === 'stderr'}>
    <summary>{name}</summary>
    <pre tabIndex={0}>{lines(text)}</pre>
  </details>
)
