// A hook is written here: its script beside its options. What is typed is kept in this tab until it is saved as a draft.

import { Code } from '@connectrpc/connect'
import { useQuery } from '@connectrpc/connect-query'
import { type Hook, HooksService } from '@holdfast/team/messages'
import { Link, useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../parts/button.js'
import buttonStyles from '../../../parts/button.module.css'
import { Page } from '../../../parts/page.js'
import { Empty, Region } from '../../../parts/states.js'
import { useCommands } from '../../../shell/commands.js'
import { Dialog } from '../../../shell/dialog.js'
import { useKeys } from '../../../shell/keys.js'
import { useUnsaved } from '../../../shell/unsaved.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useAct } from '../../act.js'
import { useMay } from '../../context.js'
import { hook as hookRoute, newHook } from '../../routes.js'
import { Discard } from './discard.js'
import styles from './edit.module.css'
import { type Events, firstEvent, useEvents } from './events.js'
import { contentOf, EMPTY, type Form, formOf, isSame } from './form.js'
import { Merge } from './merge.js'
import { Options } from './options.js'
import { type Problem, Problems, useProblems } from './problems.js'
import { Script } from './script.js'
import { Templates } from './templates-list.js'

export function NewHook() {
  const navigate = newHook.useNavigate()
  const events = useEvents()
  return (
    <Region of={events}>
      {({ events }) => (
        <Editing
          hook={undefined}
          events={events}
          start={{ ...EMPTY, event: firstEvent(events) }}
          onCreated={id => void navigate({ to: `/hooks/${id}`, replace: true } as never)}
        />
      )}
    </Region>
  )
}

export function EditHook() {
  const { id } = hookRoute.useParams()
  const number = Number(id)
  const events = useEvents()
  const asked = useQuery(HooksService.method.getHook, { id: number }, { enabled: Number.isInteger(number) })
  if (!Number.isInteger(number)) {
    return <Empty title="There is no such hook">The address names no number.</Empty>
  }
  return (
    <Region of={asked}>
      {({ hook }) => (
        <Region of={events}>
          {({ events }) => (
            <Editing key={id} hook={hook!} events={events} start={formOf(hook!)} onCreated={() => {}} />
          )}
        </Region>
      )}
    </Region>
  )
}

interface EditingProps {
  /** As it is on the server now; undefined for a new one. */
  readonly hook: Hook | undefined
  readonly events: Events
  readonly start: Form
  readonly onCreated: (id: number) => void
}

function Editing({ hook, events, start, onCreated }: EditingProps) {
  const [base, setBase] = useState({ form: start, version: hook?.draftVersion ?? 0 })
  const [form, setForm] = useState(start)
  const [conflict, setConflict] = useState<Hook>()
  const [isDiscarding, setDiscarding] = useState(false)
  const [saved, setSaved] = useState<readonly Problem[]>()
  const isCreated = useRef(false)
  const mayNot = useMay('HooksService/SaveDraft')
  const isDirty = !isSame(base.form, form)
  const isNew = hook === undefined
  const save = useAct(HooksService.method.saveDraft, ['ListHooks', 'GetHook', 'ListAdminActions'])
  const latest = useQuery(HooksService.method.getHook, { id: hook?.id ?? 0 }, { enabled: false })
  const problems =
    useProblems(form, hook?.id ?? 0, mayNot === undefined && (isDirty || !isNew)) ?? saved ?? []
  const set = (change: Partial<Form>) => setForm(before => ({ ...before, ...change }))
  useUnsaved(isDirty)
  const leaving = useBlocker({
    shouldBlockFn: () => isDirty && !isCreated.current,
    enableBeforeUnload: false,
    withResolver: true,
  })

  // Who has typed nothing sees what is there now; who has is told, and keeps what is theirs.
  const isBehind = hook !== undefined && hook.draftVersion > base.version
  useEffect(() => {
    if (!isBehind || isDirty || !hook) return
    setBase({ form: formOf(hook), version: hook.draftVersion })
    setForm(formOf(hook))
  }, [isBehind, isDirty, hook])

  const send = async (wanted: Form, version: number) => {
    if (mayNot !== undefined) return
    const answer = await save.run({
      id: hook?.id ?? 0,
      name: wanted.name,
      draft: contentOf(wanted),
      baseVersion: version,
    })
    if (!answer?.hook) return
    const form = formOf(answer.hook)
    setSaved(answer.problems)
    setBase({ form, version: answer.hook.draftVersion })
    setForm(form)
    setConflict(undefined)
    if (isNew) {
      isCreated.current = true
      onCreated(answer.hook.id)
    }
  }
  const saveNow = () => void send(form, base.version)
  const isStale = save.error?.code === Code.Aborted
  const look = async () => {
    const { data } = await latest.refetch()
    save.forget()
    if (data?.hook) setConflict(data.hook)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal.
  useEffect(() => {
    if (isStale) void look()
  }, [isStale])

  const saveable = mayNot ?? (isDirty ? undefined : isNew ? 'Nothing is written yet.' : 'Nothing is changed.')
  useKeys([
    ...(mayNot
      ? []
      : [
          {
            keys: 'mod+s',
            label: 'Save the draft',
            group: 'Hook',
            run: () => (isDirty && !conflict ? saveNow() : undefined),
          },
        ]),
  ])
  useCommands(mayNot ? [] : [{ label: 'Save the draft', kind: 'command', keys: 'mod+s', run: saveNow }])
  const title = isNew ? 'New hook' : line(hook.name)
  const draftText = isNew
    ? 'Not saved yet'
    : hook.draft
      ? `Draft, version ${base.version}, saved ${ago(hook.changedAt)} by ${line(hook.changedBy || 'somebody')}`
      : hook.revision > 0
        ? `Revision ${hook.revision}${hook.isPublished ? ', in force' : ', taken out of the release'}; no draft`
        : 'Empty: nothing was written yet'

  if (conflict) {
    return (
      <Merge
        base={base.form}
        mine={form}
        theirs={conflict}
        busy={save.busy}
        error={save.error?.code === Code.Aborted ? undefined : save.error?.rawMessage}
        onSave={merged => void send(merged, conflict.draftVersion)}
        onTakeTheirs={() => {
          setBase({ form: formOf(conflict), version: conflict.draftVersion })
          setForm(formOf(conflict))
          setConflict(undefined)
        }}
        onBack={() => setConflict(undefined)}
      />
    )
  }
  return (
    <Page
      title={title}
      figures={
        <span title={hook ? whole(hook.changedAt) : undefined}>
          {draftText}
          {isDirty ? ' · not saved yet' : ''}
        </span>
      }
      actions={
        <>
          {hook?.draft ? (
            <Button kind="danger" because={mayNot} onClick={() => setDiscarding(true)}>
              Discard the draft
            </Button>
          ) : null}
          {!isNew && (hook.draft || hook.revision > 0) ? (
            <Link
              className={buttonStyles.button}
              to={`/hooks/${hook.id}/rev/${hook.draft ? 'draft' : hook.revision}`}
            >
              {hook.draft ? 'Review and publish' : `Revision ${hook.revision}`}
            </Link>
          ) : null}
          <Button kind="primary" because={saveable} busy={save.busy} onClick={saveNow}>
            Save the draft
          </Button>
        </>
      }
      tools={
        <>
          {isBehind && isDirty ? (
            <p className={styles.strip} role="status">
              {line(hook.changedBy || 'Somebody')} saved version {hook.draftVersion} of this draft while you
              were writing.{' '}
              <Button kind="quiet" onClick={() => void look()}>
                Compare and merge
              </Button>
            </p>
          ) : null}
          {save.error && !isStale ? <NotSaved error={save.error} /> : null}
          {mayNot ? (
            <p className={styles.strip}>You can read this hook, and not change it. {mayNot}</p>
          ) : null}
        </>
      }
    >
      {isNew && !isDirty ? <Templates onChoose={template => setForm(template.form(form.event))} /> : null}
      <div className={styles.sides}>
        <Script form={form} set={set} problems={problems} readOnly={mayNot !== undefined} onSave={saveNow} />
        <div className={styles.options}>
          <Problems problems={problems} />
          <Options
            events={events}
            form={form}
            set={set}
            problems={problems}
            readOnly={mayNot !== undefined}
          />
        </div>
      </div>
      {isDiscarding && hook ? (
        <Discard
          hook={hook}
          onClose={() => setDiscarding(false)}
          onDone={after => {
            setBase({ form: formOf(after), version: after.draftVersion })
            setForm(formOf(after))
            setSaved(undefined)
            setDiscarding(false)
          }}
        />
      ) : null}
      {leaving.status === 'blocked' ? (
        <Dialog title="Leave without saving?" onClose={() => leaving.reset()}>
          <p className="muted">What you changed in “{title}” is only here, in this tab.</p>
          <div className={styles.buttons}>
            <Button kind="primary" onClick={() => leaving.reset()}>
              Stay here
            </Button>
            <Button kind="danger" onClick={() => leaving.proceed()}>
              Leave, and lose it
            </Button>
          </div>
        </Dialog>
      ) : null}
    </Page>
  )
}

function NotSaved({ error }: { readonly error: { readonly code: Code; readonly rawMessage: string } }) {
  if (error.code === Code.Unauthenticated) {
    return (
      <p className={styles.strip} data-tone="deny" role="alert">
        Your session has ended. What you wrote is kept here:{' '}
        <a href="/sign-in" target="_blank" rel="noreferrer">
          sign in in another tab
        </a>
        , then save again.
      </p>
    )
  }
  return (
    <p className={styles.strip} data-tone="deny" role="alert">
      Not saved. {error.rawMessage || 'The server did not answer. What you wrote is kept here; save again.'}
    </p>
  )
}
