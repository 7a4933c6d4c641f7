// One file in the editor: completion by its schema, problems as one types, and a look at the change before it is saved.

import { Code, ConnectError } from '@connectrpc/connect'
import { useMutation, useQuery } from '@connectrpc/connect-query'
import { keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type GetFileResponse, PanelService, type Source } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import { CopyButton } from '../../../parts/code.js'
import { loadDiff } from '../../../parts/diff.js'
import { Editor } from '../../../parts/editor/editor.js'
import type { Schema } from '../../../parts/editor/schema.js'
import { Page } from '../../../parts/page.js'
import { useKeys } from '../../../shell/keys.js'
import { askAgain } from '../../../shell/touched.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { clock } from '../../../words/time.js'
import { Conflict } from './conflict.js'
import { type Draft, draftOf, dropDraft, keepDraft } from './drafts.js'
import styles from './edit.module.css'
import { AskBeforeLeaving } from './leave.js'
import { Problems } from './problems.js'
import { SaveDialog } from './save.js'
import { useSettled } from './soon.js'

const CHECK_AFTER_MS = 250

export interface EditFileProps {
  readonly source: Source
  readonly file: GetFileResponse
  readonly line?: number | undefined
}

export function EditFile({ source, file, line: first }: EditFileProps) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState<Draft>(
    () => draftOf(source.id) ?? { base: file.text, hash: file.hash, text: file.text },
  )
  const [isReviewing, setReviewing] = useState(false)
  const [isMerging, setMerging] = useState(false)
  const [savedAt, setSavedAt] = useState<number>()
  const [goTo, setGoTo] = useState(first)
  const isDirty = draft.text !== draft.base
  const dirty = useRef(isDirty)
  dirty.current = isDirty
  const schema = useMemo(() => JSON.parse(file.schemaJson || '{}') as Schema, [file.schemaJson])

  useEffect(() => void loadDiff(), [])
  const change = (text: string) => setDraft(before => ({ ...before, text }))
  useEffect(() => keepDraft(source.id, draft), [source.id, draft])

  // The file on disk is another one now: taken over where nothing would be lost, else shown beside what was typed.
  const isOther = file.hash !== draft.hash
  useEffect(() => {
    if (!isOther || dirty.current) return
    setDraft({ base: file.text, hash: file.hash, text: file.text })
  }, [isOther, file])

  const settled = useSettled(draft.text, CHECK_AFTER_MS)
  const checked = useQuery(
    PanelService.method.checkFile,
    { sourceId: source.id, text: settled },
    { placeholderData: keepPreviousData },
  )
  const problems = checked.data?.problems ?? file.problems
  const errors = problems.filter(({ severity }) => severity === 'error').length

  const save = useMutation(PanelService.method.saveFile, {
    onSuccess: ({ hash }, { text = '' }) => {
      // What was typed while it was being saved is still to be saved.
      setDraft(before => ({ base: text, hash, text: before.text }))
      setReviewing(false)
      setMerging(false)
      setSavedAt(Date.now())
      askAgain(queries, ['ListSources', 'GetHook', 'GetFile', 'Explain', 'GetCompat'])
    },
    onError: error => {
      if (ConnectError.from(error).code !== Code.Aborted) return
      setReviewing(false)
      setMerging(true)
      askAgain(queries, ['GetFile'])
    },
  })
  const failed = save.error ? ConnectError.from(save.error) : null
  const refused = failed ? words(failed) : null
  const write = (baseHash: string) => save.mutate({ sourceId: source.id, text: draft.text, baseHash })
  const review = () => {
    if (!isDirty || !source.canEdit || isMerging) return
    save.reset()
    if (isOther) setMerging(true)
    else setReviewing(true)
  }
  useKeys([{ keys: 'mod+s', label: 'Look at the change and save', group: 'Editor', run: review }])

  return (
    <Page
      fixed
      title={<span className={styles.name}>{line(source.shown)}</span>}
      figures={
        <span role="status">
          {source.canEdit
            ? isDirty
              ? 'Not saved yet'
              : savedAt
                ? `Saved at ${clock(savedAt)}. Hooks that changed wait until they are trusted.`
                : file.hash
                  ? 'As on disk'
                  : 'There is no such file yet; saving writes it.'
            : 'It cannot be edited here: it is delivered, belongs to another program, or may not be written by you.'}
        </span>
      }
      actions={
        source.canEdit && !isMerging ? (
          <>
            {isDirty ? <CopyButton text={draft.text} label="Copy what is typed" /> : null}
            <Button
              disabled={!isDirty}
              onClick={() => setDraft(before => ({ ...before, text: before.base }))}
            >
              Undo all changes
            </Button>
            <Button kind="primary" because={isDirty ? undefined : 'Nothing is changed.'} onClick={review}>
              Review and save
            </Button>
          </>
        ) : null
      }
    >
      {isMerging ? (
        <Conflict
          shown={source.shown}
          disk={file.text}
          mine={draft.text}
          onChange={change}
          isBusy={save.isPending}
          refused={failed && failed.code !== Code.Aborted ? refused : null}
          onSave={() => write(file.hash)}
          onTakeDisk={() => {
            setDraft({ base: file.text, hash: file.hash, text: file.text })
            setMerging(false)
          }}
        />
      ) : (
        <div className={styles.edit}>
          {isOther && isDirty ? (
            <div className={styles.notice} role="alert">
              <span>The file changed on disk while you edited it.</span>
              <Button onClick={() => setMerging(true)}>Compare the two</Button>
            </div>
          ) : null}
          <Editor
            className={styles.editor}
            label={source.shown}
            text={draft.text}
            onChange={source.canEdit ? change : undefined}
            readOnly={!source.canEdit}
            language="json"
            schema={schema}
            problems={problems}
            line={goTo}
            onSave={review}
            focus={source.canEdit}
          />
          <Problems
            problems={problems}
            errors={errors}
            isOld={settled !== draft.text || checked.isPlaceholderData}
            failed={checked.error && !checked.data ? 'The check did not answer.' : null}
            onGo={at => {
              setGoTo(undefined)
              setTimeout(() => setGoTo(at))
            }}
          />
        </div>
      )}
      {isReviewing ? (
        <SaveDialog
          shown={source.shown}
          before={draft.base}
          after={draft.text}
          errors={errors}
          isNew={draft.hash === ''}
          isBusy={save.isPending}
          refused={refused}
          onSave={() => write(draft.hash)}
          onClose={() => setReviewing(false)}
        />
      ) : null}
      <AskBeforeLeaving isDirty={() => dirty.current} onLeave={() => dropDraft(source.id)} />
      <span className="hidden" role="status">
        {isDirty && errors > 0 ? count(errors, 'error') : ''}
      </span>
    </Page>
  )
}

/** A session that ended takes nothing along: the text stays here. */
function words({ code, rawMessage }: ConnectError): string {
  if (code === Code.Unauthenticated || code === Code.Unavailable || code === Code.Unknown)
    return `Not saved: the panel does not answer this page any more. Your text is kept here; copy it, or open a new link with holdfast ui. (${rawMessage})`
  return rawMessage
}
