// Trusting hooks. Only what this dialog showed is trusted: a script that changes meanwhile must be shown again first.

import { Code, ConnectError } from '@connectrpc/connect'
import { useMutation, useQuery, useTransport } from '@connectrpc/connect-query'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type GetHookResponse, type Hook, PanelService } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import { Facts } from '../../../parts/facts.js'
import { Failed, Loading } from '../../../parts/states.js'
import { Dialog } from '../../../shell/dialog.js'
import { askAgain } from '../../../shell/touched.js'
import { line } from '../../../words/plain.js'
import styles from './hooks.module.css'
import { Scripts } from './scripts.js'

export interface TrustDialogProps {
  readonly hooks: readonly Hook[]
  readonly onClose: () => void
}

/** The version of each hook that this dialog has shown. */
type Shown = ReadonlyMap<string, GetHookResponse>

export function TrustDialog({ hooks, onClose }: TrustDialogProps) {
  const queries = useQueryClient()
  const [shown, setShown] = useState<Shown>(new Map())
  const [stale, setStale] = useState<ReadonlySet<string>>(new Set())
  const transport = useTransport()
  const trust = useMutation(PanelService.method.trust, {
    transport,
    onSuccess: () => {
      askAgain(queries, ['ListSources', 'GetHook', 'Explain'])
      onClose()
    },
    onError: () => askAgain(queries, ['GetHook', 'ListSources']),
  })
  const isOne = hooks.length === 1
  const title = isOne ? `Trust ${hooks[0]!.name}` : `Trust ${hooks.length} hooks`
  const missing = hooks.filter(({ id }) => !shown.has(id)).length
  const because =
    stale.size > 0
      ? 'The hook changed. Review the new version first.'
      : missing > 0
        ? 'The hook is still loading.'
        : undefined
  const failed = trust.error ? ConnectError.from(trust.error) : null
  return (
    <Dialog title={title} onClose={onClose} wide>
      <p className="muted">
        Trusted hooks run with your permissions at each of their events. Trust covers exactly this text: if
        the hook or its script changes, you are asked again.
      </p>
      {hooks.map(hook => (
        <Candidate
          key={hook.id}
          hook={hook}
          isOnly={isOne}
          onShown={answer => setShown(before => new Map(before).set(hook.id, answer))}
          onStale={isStale =>
            setStale(before => {
              const after = new Set(before)
              if (isStale) after.add(hook.id)
              else after.delete(hook.id)
              return after
            })
          }
        />
      ))}
      {failed && (failed.code !== Code.Aborted || stale.size === 0) ? (
        <p className={styles.refused} role="alert">
          {line(failed.rawMessage)}
        </p>
      ) : null}
      <div className={styles.dialogFoot}>
        <Button onClick={onClose}>Not now</Button>
        <Button
          kind="primary"
          busy={trust.isPending}
          because={because}
          onClick={() =>
            trust.mutate({
              hooks: hooks.map(({ id }) => ({ id, fingerprint: shown.get(id)!.hook!.fingerprint })),
            })
          }
        >
          {isOne ? 'Trust this hook' : `Trust all ${hooks.length} shown`}
        </Button>
      </div>
    </Dialog>
  )
}

interface CandidateProps {
  readonly hook: Hook
  readonly isOnly: boolean
  readonly onShown: (answer: GetHookResponse) => void
  readonly onStale: (isStale: boolean) => void
}

function Candidate({ hook, isOnly, onShown, onStale }: CandidateProps) {
  // The hook is read again, as it may have changed since the list was loaded.
  const now = useQuery(
    PanelService.method.getHook,
    { id: hook.id },
    { staleTime: 0, refetchOnMount: 'always' },
  )
  const [reviewed, setReviewed] = useState<GetHookResponse>()
  const isStale =
    reviewed !== undefined && now.data?.hook?.fingerprint !== reviewed.hook?.fingerprint && !now.isFetching
  const review = () => {
    if (!now.data) return
    setReviewed(now.data)
    onShown(now.data)
    onStale(false)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first answer is shown; later ones only on request.
  useEffect(() => {
    if (reviewed === undefined && now.data && now.isFetchedAfterMount) review()
  }, [now.data, now.isFetchedAfterMount])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the change counts.
  useEffect(() => {
    if (isStale) onStale(true)
  }, [isStale])
  if (!reviewed)
    return now.error ? <Failed error={now.error} onRetry={() => void now.refetch()} /> : <Loading rows={4} />
  const shown = reviewed.hook!
  return (
    <section className={styles.candidate} aria-label={shown.name}>
      {isOnly ? null : <h3 className="mono">{line(shown.name)}</h3>}
      <Facts
        facts={[
          ['Event', shown.event],
          [
            shown.type === 'prompt' ? 'Question' : 'Command',
            <code key="command">{line(shown.command)}</code>,
          ],
          ['Fingerprint', <code key="fingerprint">{shown.fingerprint}</code>],
          shown.gap
            ? [
                'Trust',
                <span key="gap" className={styles.refused}>
                  not fully covered: {line(shown.gap)}
                </span>,
              ]
            : null,
        ]}
      />
      {isStale ? (
        <div className={styles.stale} role="alert">
          <span>The hook changed since it was shown.</span>
          <Button onClick={review}>Show the new version</Button>
        </div>
      ) : null}
      <Scripts key={shown.fingerprint} scripts={reviewed.scripts} isFolded={!isOnly} />
    </section>
  )
}
