// Back to an older release: what that changes, and for whom, before anything is done.

import { useQuery } from '@connectrpc/connect-query'
import { HooksService, type Release, RolloutService } from '@holdfast/team/messages'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Field } from '../../../parts/fields.js'
import { Region } from '../../../parts/states.js'
import { Dialog } from '../../../shell/dialog.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { useAct } from '../../act.js'
import { useMay } from '../../context.js'
import styles from './rollout.module.css'
import { TOUCHED } from './steps.js'
import { changesBetween } from './words.js'

export interface RollBackProps {
  readonly to: number
  /** Of which revision it was asked: then it alone can come back as a draft, too. */
  readonly revision?: { readonly hookId: number; readonly number: number }
  readonly onClose: () => void
}

export function RollBack({ to, revision, onClose }: RollBackProps) {
  const releases = useQuery(RolloutService.method.listReleases, { pageSize: 20 })
  const old = useQuery(RolloutService.method.getRelease, { number: to })
  const settings = useQuery(RolloutService.method.getRolloutSettings, {})
  const navigate = useNavigate()
  const back = useAct(RolloutService.method.rollBack, TOUCHED)
  const [note, setNote] = useState('')
  const now = releases.data?.releases.find(({ state }) => state === 'rolling' || state === 'done')
  const next = (releases.data?.releases[0]?.number ?? 0) + 1
  const devices = settings.data?.devices ?? 0
  return (
    <Dialog title={`Roll back to release ${to}`} onClose={onClose}>
      <div className={styles.form}>
        <p className="muted">
          A new release, number {next}, with the hooks of release {to}. It skips the rings: everybody gets it
          at once.
        </p>
        <Region of={old}>{({ release }) => (now ? <What now={now} old={release!} /> : null)}</Region>
        <Field label="Note">
          {ids => (
            <input
              {...ids}
              value={note}
              maxLength={1000}
              placeholder={`Back to release ${to}`}
              onChange={event => setNote(event.target.value)}
            />
          )}
        </Field>
        {back.error ? (
          <p className={styles.strip} data-tone="deny" role="alert">
            {back.error.rawMessage || 'The server did not answer.'}
          </p>
        ) : null}
        <div className={styles.buttons}>
          <Button
            kind="danger"
            busy={back.busy}
            onClick={async () => {
              const answer = await back.run({ to, note: note.trim() || `Back to release ${to}` })
              if (!answer?.release) return
              onClose()
              void navigate({ to: `/rollout/${answer.release.number}` })
            }}
          >
            Roll back to release {to}, {count(devices, 'device')}
          </Button>
          <Button onClick={onClose}>Stay as it is</Button>
        </div>
        {revision ? <AsDraft {...revision} onClose={onClose} /> : null}
      </div>
    </Dialog>
  )
}

function What({ now, old }: { readonly now: Release; readonly old: Release }) {
  const changes = changesBetween(now, old)
  if (changes.length === 0)
    return <p>Its hooks are those that release {now.number} has: nothing would change for anybody.</p>
  return (
    <section>
      <h3>Against release {now.number}, which is the newest</h3>
      <ul className={styles.list}>
        {changes.map(({ name, words }) => (
          <li key={name}>
            {line(name)} <span className="muted">{words}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Only this hook, and with all checks and rings. */
function AsDraft({
  hookId,
  number,
  onClose,
}: {
  readonly hookId: number
  readonly number: number
  readonly onClose: () => void
}) {
  const navigate = useNavigate()
  const mayNot = useMay('HooksService/SaveDraft')
  const hook = useQuery(HooksService.method.getHook, { id: hookId })
  const revision = useQuery(HooksService.method.getRevision, { hookId, number })
  const save = useAct(HooksService.method.saveDraft, TOUCHED)
  const current = hook.data?.hook
  const content = revision.data?.revision?.content
  const because =
    mayNot ??
    (current?.draft ? 'This hook has a draft. Publish or discard it first.' : undefined) ??
    (current && content ? undefined : 'Not loaded yet.')
  return (
    <section className={styles.apart}>
      <h3>Or only this hook</h3>
      <p className="muted">
        Revision {number} becomes the draft, to be checked and published through the rings. Other hooks stay
        as they are.
      </p>
      {save.error ? (
        <p className={styles.strip} data-tone="deny" role="alert">
          {save.error.rawMessage}
        </p>
      ) : null}
      <Button
        because={because}
        busy={save.busy}
        onClick={async () => {
          const answer = await save.run({
            id: hookId,
            name: current!.name,
            draft: content!,
            baseVersion: current!.draftVersion,
          })
          if (!answer?.hook) return
          onClose()
          void navigate({ to: `/hooks/${hookId}/rev/draft`, search: { tab: 'dry-run' } as never })
        }}
      >
        Make revision {number} the draft
      </Button>
      {because ? <p className="muted">{because}</p> : null}
    </section>
  )
}
