// The dialog for a roll back: its changes and devices, before anything is done.

import { useQuery } from '@connectrpc/connect-query'
import { HooksService, type Release, RolloutService } from '@holdfast/team/messages'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Confirm } from '../../../parts/confirm.js'
import { TextField } from '../../../parts/fields.js'
import { Refused } from '../../../parts/notice.js'
import { Region } from '../../../parts/states.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { useAct, useCall } from '../../act.js'
import { useMay } from '../../context.js'
import { toRelease, toRevision } from '../../links.js'
import styles from './rollout.module.css'
import { TOUCHED } from './steps.js'
import { changesBetween } from './words.js'

export interface RollBackProps {
  readonly to: number
  /** The revision that the user chose: it alone can become the draft instead. */
  readonly revision?: { readonly hookId: number; readonly number: number }
  readonly onClose: () => void
}

export function RollBack({ to, revision, onClose }: RollBackProps) {
  const releases = useQuery(RolloutService.method.listReleases, { pageSize: 20 })
  const old = useQuery(RolloutService.method.getRelease, { number: to })
  const settings = useQuery(RolloutService.method.getRolloutSettings, {})
  const navigate = useNavigate()
  const back = useCall(RolloutService.method.rollBack, TOUCHED)
  const [text, setText] = useState('')
  const now = releases.data?.releases.find(({ state }) => state === 'rolling' || state === 'done')
  const next = (releases.data?.releases[0]?.number ?? 0) + 1
  const note = text.trim() || `Back to release ${to}`
  return (
    <Confirm
      title={`Roll back to release ${to}`}
      action={`Roll back to release ${to}, ${count(settings.data?.devices ?? 0, 'device')}`}
      onClose={onClose}
      onConfirm={async () => {
        const { release } = await back({ to, note })
        onClose()
        if (release) void navigate(toRelease(release.number))
      }}
      foot={revision ? <AsDraft {...revision} onClose={onClose} /> : null}
    >
      <p className="muted">
        Creates release {next} with the hooks of release {to}. It skips the rings: all devices receive it at
        once.
      </p>
      <Region of={old}>{({ release }) => (now ? <What now={now} old={release!} /> : null)}</Region>
      <TextField
        label="Note"
        value={text}
        maxLength={1000}
        placeholder={`Back to release ${to}`}
        onChange={setText}
      />
    </Confirm>
  )
}

function What({ now, old }: { readonly now: Release; readonly old: Release }) {
  const changes = changesBetween(now, old)
  if (changes.length === 0) return <p>Release {now.number} has the same hooks: nothing would change.</p>
  return (
    <section>
      <h3>Compared with release {now.number}, the newest</h3>
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

/** Restores only this hook, with all checks and rings. */
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
      <h3>Restore only this hook</h3>
      <p className="muted">
        Revision {number} becomes the draft. Test it and publish it through the rings. Other hooks do not
        change.
      </p>
      <Refused error={save.error} />
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
          void navigate({ ...toRevision(hookId, 'draft'), search: { tab: 'test' } })
        }}
      >
        Make revision {number} the draft
      </Button>
      {because ? <p className="muted">{because}</p> : null}
    </section>
  )
}
