// Makes a release from a draft, and from other drafts that are published with it.

import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { type Hook, HooksService, KeysService, RolloutService } from '@holdfast/team/messages'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Check, Choices, Field } from '../../../parts/fields.js'
import { Refused } from '../../../parts/notice.js'
import { BY_TOKEN } from '../../../shell/by-token.js'
import { useCommands } from '../../../shell/commands.js'
import { useKeys } from '../../../shell/keys.js'
import { line } from '../../../words/plain.js'
import { useAct } from '../../act.js'
import { useMay, useTeam } from '../../context.js'
import { toRelease } from '../../links.js'
import { because, labelOf } from './publish-words.js'
import styles from './revision.module.css'

export function Publish({ hook }: { readonly hook: Hook }) {
  const { me } = useTeam()
  const navigate = useNavigate()
  const mayNot = useMay('RolloutService/Publish')
  const settings = useQuery(RolloutService.method.getRolloutSettings, {})
  const trust = useQuery(KeysService.method.getTrust, {})
  const others = useOtherDrafts(hook.id)
  const publish = useAct(RolloutService.method.publish, [
    'ListHooks',
    'GetHook',
    'ListRevisions',
    'ListReleases',
    'GetRelease',
    'GetRolloutSettings',
    'ListAdminActions',
  ])
  const [note, setNote] = useState('')
  const [isAtOnce, setAtOnce] = useState(false)
  const [along, setAlong] = useState<ReadonlySet<number>>(new Set())
  const reasonId = useId()
  const all = [hook, ...others.filter(({ id }) => along.has(id))]
  const plan = settings.data
  const isElsewhere =
    trust.data?.keys.some(
      ({ use, kept, retired }) => use === 'release' && !retired && kept === 'elsewhere',
    ) ?? false
  const reason = because({ mayNot, hooks: all, userId: me.member?.userId ?? '', plan })
  const label = labelOf({ hooks: all, plan, isAtOnce, isElsewhere })
  const run = async () => {
    if (reason !== undefined) return
    const answer = await publish.run({
      drafts: all.map(({ id, draftVersion }) => ({ hookId: id, draftVersion })),
      note: note.trim(),
      skipRings: isAtOnce,
    })
    if (answer?.release) void navigate(toRelease(answer.release.number))
  }
  useKeys(mayNot ? [] : [{ keys: 'mod+enter', label: 'Publish', group: 'Hook', run: () => void run() }])
  useCommands(mayNot || reason !== undefined ? [] : [{ label, kind: 'command', run: () => void run() }])
  return (
    <section className={styles.publish} aria-label="Publish">
      <h2>Publish</h2>
      <Field label="Note" hint="What changed and why. The note is stored with the release.">
        {ids => (
          <textarea
            {...ids}
            value={note}
            maxLength={1000}
            disabled={mayNot !== undefined}
            onChange={event => setNote(event.target.value)}
          />
        )}
      </Field>
      {others.length > 0 ? (
        <Choices label="Other drafts to publish with it">
          <div className={styles.others} role="group" aria-label="Other drafts" tabIndex={0}>
            {others.map(other => (
              <Check
                key={other.id}
                checked={along.has(other.id)}
                disabled={mayNot !== undefined}
                onChange={isOn =>
                  setAlong(before => {
                    const after = new Set(before)
                    if (isOn) after.add(other.id)
                    else after.delete(other.id)
                    return after
                  })
                }
              >
                {line(other.name)} <span className="muted">{other.fit ? 'tested' : 'not tested'}</span>
              </Check>
            ))}
          </div>
        </Choices>
      ) : null}
      <Check checked={isAtOnce} disabled={mayNot !== undefined} onChange={setAtOnce}>
        Skip rings: publish to all devices at once
      </Check>
      <Refused
        error={publish.error}
        otherwise="The server did not answer. Check Rollout before you try again."
      />
      <Button
        kind="primary"
        className={styles.wide!}
        because={reason}
        busy={publish.busy}
        aria-describedby={reason ? reasonId : undefined}
        onClick={() => void run()}
      >
        {label}
      </Button>
      {reason ? (
        <p id={reasonId} className="muted">
          {reason}
        </p>
      ) : null}
    </section>
  )
}

function useOtherDrafts(id: number): readonly Hook[] {
  const all = useInfiniteQuery(HooksService.method.listHooks, { pageSize: 200, pageToken: '' }, BY_TOKEN)
  useEffect(() => {
    if (all.hasNextPage && !all.isFetching) void all.fetchNextPage()
  }, [all.hasNextPage, all.isFetching, all.fetchNextPage])
  return all.data?.pages.flatMap(({ hooks }) => hooks).filter(one => one.draft && one.id !== id) ?? []
}
