// One run with its event: beside a list or a session, or on its own page.

import { callUnaryMethod, useQuery, useTransport } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { type GetRunResponse, PanelService } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Side } from '../../../parts/page.js'
import { PathView } from '../../../parts/path.js'
import { Region } from '../../../parts/states.js'
import { Verdict } from '../../../parts/verdict.js'
import { line, lines } from '../../../words/plain.js'
import { stamp, whole } from '../../../words/time.js'
import { usePanel } from '../../context.js'
import { Actions } from './actions.js'
import styles from './runs.module.css'

export const useRun = (id: string) =>
  useQuery(PanelService.method.getRun, { id }, { staleTime: Number.POSITIVE_INFINITY })

export interface RunSideProps {
  readonly id: string
  readonly onClose: () => void
  /** To the previous or the next one in the list. */
  readonly onStep?: ((step: 1 | -1) => void) | undefined
}

export function RunSide({ id, onClose, onStep }: RunSideProps) {
  const run = useRun(id)
  return (
    <Side label="Run" onClose={onClose} onStep={onStep} head={<RunHead id={id} run={run.data} />}>
      <Region of={run}>{answer => <RunPath id={id} answer={answer} />}</Region>
    </Side>
  )
}

export function RunHead({
  id,
  run,
  isAlone,
}: {
  id: string
  run: GetRunResponse | undefined
  isAlone?: boolean
}) {
  const path = run?.path
  const step = path?.steps[run?.step ?? 0]
  return (
    <>
      <div className={styles.top}>
        {path ? <Verdict name={step?.verdict ?? path.verdict} /> : null}
        <span className={styles.topEvent}>{path ? line(path.event) : 'Run'}</span>
        {path ? (
          <time className="muted" dateTime={path.at} title={whole(path.at)}>
            {stamp(path.at)}
          </time>
        ) : null}
      </div>
      {path?.subject ? (
        <p className={`mono ${styles.about}`} tabIndex={path.subject.length > 300 ? 0 : undefined}>
          {lines(path.subject)}
        </p>
      ) : path ? null : (
        <p className={styles.about}>{'\u00a0'}</p>
      )}
      <Actions id={id} isAlone={isAlone ?? false} />
    </>
  )
}

export function RunPath({ id, answer: { path, step } }: { id: string; answer: GetRunResponse }) {
  const { workspace } = usePanel()
  const transport = useTransport()
  const from = {
    roots: workspace.roots,
    read: (text: string, runId = id) =>
      callUnaryMethod(transport, PanelService.method.getRunText, { id: runId, text }).then(
        answer => answer.text,
      ),
  }
  if (!path) return <p className="muted">The log no longer has it.</p>
  const session = path.conversationId ? (
    <Link to="/sessions/$id" params={{ id: path.conversationId }}>
      session
    </Link>
  ) : null
  return <PathView path={path} step={step} from={from} about={session} />
}
