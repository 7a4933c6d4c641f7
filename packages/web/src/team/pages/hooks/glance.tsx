// One hook beside the list: its options, its state on devices, and links.

import { useQuery } from '@connectrpc/connect-query'
import { type Hook, HooksService, RolloutService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import buttonStyles from '../../../parts/button.module.css'
import { Confirm } from '../../../parts/confirm.js'
import { Facts } from '../../../parts/facts.js'
import { TextField } from '../../../parts/fields.js'
import { Region } from '../../../parts/states.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useCall } from '../../act.js'
import { useMay } from '../../context.js'
import { toHook, toRevision } from '../../links.js'
import { LiveTable } from '../../live.js'
import styles from './hooks.module.css'
import { ModeWord, systemsOf } from './looks.js'
import { contentIn } from './sort.js'

export function Glance({ hook }: { readonly hook: Hook }) {
  const content = contentIn(hook)
  const revisions = useQuery(HooksService.method.listRevisions, { hookId: hook.id, pageSize: 5 })
  const mayNotPublish = useMay('RolloutService/Publish')
  const [isRemoving, setRemoving] = useState(false)
  return (
    <div className="stack-loose">
      <div className="row">
        <Link className={buttonStyles.button} {...toHook(hook.id)}>
          Open the editor
        </Link>
        {hook.draft ? (
          <Link className={buttonStyles.button} {...toRevision(hook.id, 'draft')}>
            Review and publish
          </Link>
        ) : hook.revision > 0 ? (
          <Link className={buttonStyles.button} {...toRevision(hook.id, hook.revision)}>
            Revision {hook.revision}
          </Link>
        ) : null}
        {(hook.live?.released ?? 0) > 0 ? (
          <Button kind="danger" because={mayNotPublish} onClick={() => setRemoving(true)}>
            Remove from the release
          </Button>
        ) : null}
      </div>
      <Facts
        facts={[
          ['Event', line(content?.hookStep ?? '–')],
          ['Matcher', <code key="matcher">{content?.matcher ? line(content.matcher) : 'all'}</code>],
          content?.type === 'prompt'
            ? ['Prompt', line(content.prompt) || '–']
            : ['Script', <code key="script">{line(content?.scriptName ?? '') || '–'}</code>],
          ['Mode', <ModeWord key="mode" content={content} />],
          ['Systems', systemsOf(content)],
          [
            'Last change',
            <span key="change" title={whole(hook.changedAt)}>
              {ago(hook.changedAt)} by {line(hook.changedBy || 'somebody')}
            </span>,
          ],
        ]}
      />
      {hook.live ? <LiveTable hookId={hook.id} live={hook.live} /> : null}
      <section>
        <h3>Revisions</h3>
        <Region of={revisions}>
          {({ revisions }) =>
            revisions.length === 0 ? (
              <p className="muted">It was never published.</p>
            ) : (
              <ul className={styles.revisions}>
                {revisions.map(({ number, note, author, at }) => (
                  <li key={number}>
                    <Link {...toRevision(hook.id, number)}>Revision {number}</Link>
                    <span>{line(note) || <span className="faint">no note</span>}</span>
                    <span className="muted" title={`${whole(at)}, ${author}`}>
                      {ago(at)}
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Region>
      </section>
      {isRemoving ? <Remove hook={hook} onClose={() => setRemoving(false)} /> : null}
    </div>
  )
}

function Remove({ hook, onClose }: { readonly hook: Hook; readonly onClose: () => void }) {
  const settings = useQuery(RolloutService.method.getRolloutSettings, {})
  const publish = useCall(RolloutService.method.publish, [
    'ListHooks',
    'GetHook',
    'ListReleases',
    'GetRolloutSettings',
  ])
  const [note, setNote] = useState('')
  const [first] = settings.data?.next ?? []
  const where = first ? ` to ring ${line(first.ring)}, ${count(first.devices, 'device')}` : ''
  return (
    <Confirm
      title={`Remove “${line(hook.name)}” from the release`}
      action={`Publish a release without it${where}`}
      onClose={onClose}
      onConfirm={() => publish({ remove: [hook.id], note }).then(onClose)}
    >
      <p className="muted">
        A new release without it is delivered through the rings. The hook, its revisions and its draft stay
        here, and can be published again.
      </p>
      <TextField label="Note for readers of the release" value={note} onChange={setNote} />
    </Confirm>
  )
}
