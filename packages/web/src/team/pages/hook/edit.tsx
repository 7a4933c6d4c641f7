// The editor of a hook: its script beside its options. Changes stay in this tab until they are saved as a draft.

import { Code } from '@connectrpc/connect'
import { useQuery } from '@connectrpc/connect-query'
import { type Hook, HooksService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../parts/button.js'
import buttonStyles from '../../../parts/button.module.css'
import { AskBeforeLeaving } from '../../../parts/leave.js'
import { Notice } from '../../../parts/notice.js'
import { Page } from '../../../parts/page.js'
import { Empty, Region } from '../../../parts/states.js'
import { useCommands } from '../../../shell/commands.js'
import { useKeys } from '../../../shell/keys.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useAct } from '../../act.js'
import { useMay } from '../../context.js'
import { toHook, toRevision } from '../../links.js'
import { LiveTable } from '../../live.js'
import { liveSentence } from '../../live-words.js'
import { hook as hookRoute, newHook } from '../../routes.js'
import { Discard } from './discard.js'
import styles from './edit.module.css'
import { type Events, eventBefore, useEvents } from './events.js'
import { contentOf, EMPTY, type Form, formOf, isSame } from './form.js'
import { Merge } from './merge.js'
import { Options } from './options.js'
import { type Problem, Problems, useProblems } from './problems.js'
import { Script } from './script.js'
import { NextStep, PublishSteps } from './steps.js'
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
          start={{ ...EMPTY, event: eventBefore(events, 'command') }}
          onCreated={id => void navigate({ ...toHook(id), replace: true })}
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
    return <Empty title="There is no such hook">The address must contain a number.</Empty>
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
  // Without unsaved changes the page shows the newest draft; with some it offers to merge.
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

  const saveable = mayNot ?? (isDirty ? undefined : isNew ? 'The hook is empty.' : 'No changes.')
  useKeys([
    ...(mayNot
      ? []
      : [
          {
            keys: 'mod+s',
            label: 'Save draft',
            group: 'Hook',
            run: () => (isDirty && !conflict ? saveNow() : undefined),
          },
        ]),
  ])
  useCommands(mayNot ? [] : [{ label: 'Save draft', kind: 'command', keys: 'mod+s', run: saveNow }])
  const title = isNew ? 'New hook' : line(hook.name)
  const draftText = isNew
    ? 'New draft'
    : hook.draft
      ? `Draft, version ${base.version}, saved ${ago(hook.changedAt)} by ${line(hook.changedBy || 'somebody')}`
      : hook.revision > 0
        ? `No draft. ${hook.live ? liveSentence(hook.live) : ''}`
        : 'Empty'

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
          {isDirty ? ' · unsaved changes' : ''}
        </span>
      }
      actions={
        <>
          {hook && hook.revision > 0 ? (
            <Link className={buttonStyles.button} to="/audit" search={{ hook: `#${hook.id}`, range: '7d' }}>
              Records
            </Link>
          ) : null}
          {hook?.draft ? (
            <Button kind="quiet" because={mayNot} onClick={() => setDiscarding(true)}>
              Discard draft
            </Button>
          ) : null}
          {hook && !hook.draft && hook.revision > 0 ? (
            <Link className={buttonStyles.button} {...toRevision(hook.id, hook.revision)}>
              Revision {hook.revision}
            </Link>
          ) : null}
          {hook?.draft && !isDirty ? (
            <NextStep hook={hook} at="write" />
          ) : (
            <Button kind="primary" because={saveable} busy={save.busy} onClick={saveNow}>
              Save draft
            </Button>
          )}
        </>
      }
      tools={
        <>
          <PublishSteps hook={hook} at="write" />
          {isBehind && isDirty ? (
            <Notice tone="accent" role="status">
              {line(hook.changedBy || 'Somebody')} saved version {hook.draftVersion} of this draft while you
              edited it.{' '}
              <Button kind="quiet" onClick={() => void look()}>
                Compare and merge
              </Button>
            </Notice>
          ) : null}
          {save.error && !isStale ? <NotSaved error={save.error} /> : null}
          {mayNot ? <Notice>Read only. {mayNot}</Notice> : null}
        </>
      }
    >
      {isNew && !isDirty ? (
        <Templates
          onChoose={template => setForm({ ...template.form, event: eventBefore(events, template.subject) })}
        />
      ) : null}
      <div className={styles.sides}>
        <Script form={form} set={set} problems={problems} readOnly={mayNot !== undefined} onSave={saveNow} />
        <div className="stack-loose">
          <Problems problems={problems} />
          <Options
            events={events}
            form={form}
            set={set}
            problems={problems}
            readOnly={mayNot !== undefined}
          />
          {hook?.live && hook.revision > 0 ? <LiveTable hookId={hook.id} live={hook.live} /> : null}
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
      <AskBeforeLeaving isDirty={() => isDirty && !isCreated.current} />
    </Page>
  )
}

function NotSaved({ error }: { readonly error: { readonly code: Code; readonly rawMessage: string } }) {
  if (error.code === Code.Unauthenticated) {
    return (
      <Notice tone="deny" role="alert">
        Your session has expired. Your changes are kept in this tab:{' '}
        <a href="/sign-in" target="_blank" rel="noreferrer">
          sign in in another tab
        </a>
        , then save again.
      </Notice>
    )
  }
  return (
    <Notice tone="deny" role="alert">
      Not saved.{' '}
      {error.rawMessage || 'The server did not answer. Your changes are kept in this tab; save again.'}
    </Notice>
  )
}
