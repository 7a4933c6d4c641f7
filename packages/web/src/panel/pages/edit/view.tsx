// One file in the editor: completion by its schema, problems while typing, and a review before it is saved.

import { Code, ConnectError } from '@connectrpc/connect'
import { useMutation, useQuery } from '@connectrpc/connect-query'
import { keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type GetFileResponse, PanelService, type Source } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import { CopyButton } from '../../../parts/copy.js'
import { loadDiff } from '../../../parts/diff.js'
import { Editor } from '../../../parts/editor/editor.js'
import type { Schema } from '../../../parts/editor/schema.js'
import { AskBeforeLeaving } from '../../../parts/leave.js'
import { Notice } from '../../../parts/notice.js'
import { Page } from '../../../parts/page.js'
import { useKeys } from '../../../shell/keys.js'
import { askAgain } from '../../../shell/touched.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { clock } from '../../../words/time.js'
import { sourceWords } from '../hooks/shown.js'
import { Conflict } from './conflict.js'
import { type Draft, draftOf, dropDraft, keepDraft } from './drafts.js'
import styles from './edit.module.css'
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

  // The file on disk changed: it replaces unedited text, and is compared with edited text.
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
      // Text that was typed during the save is still unsaved.
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
  const refused = failed ? describeFailure(failed) : null
  const write = (baseHash: string) => save.mutate({ sourceId: source.id, text: draft.text, baseHash })
  const review = () => {
    if (!isDirty || !source.canEdit || isMerging) return
    save.reset()
    if (isOther) setMerging(true)
    else setReviewing(true)
  }
  useKeys([{ keys: 'mod+s', label: 'Review and save', group: 'Editor', run: review }])

  return (
    <Page
      fixed
      title={`Edit ${sourceWords(source.kind).toLowerCase()} hooks`}
      figures={
        <>
          <span className={`mono ${styles.name}`}>{line(source.shown)}</span>
          <span role="status">
            {source.canEdit
              ? isDirty
                ? 'Not saved yet'
                : savedAt
                  ? `Saved at ${clock(savedAt)}. Changed hooks do not run until you trust them.`
                  : file.hash
                    ? 'Saved'
                    : 'Saving creates this file.'
              : 'Read-only: a team delivers this file, another program owns it, or you lack the permission to write it.'}
          </span>
        </>
      }
      actions={
        source.canEdit && !isMerging ? (
          <>
            {isDirty ? <CopyButton text={draft.text} label="the text" /> : null}
            <Button
              disabled={!isDirty}
              onClick={() => setDraft(before => ({ ...before, text: before.base }))}
            >
              Undo all changes
            </Button>
            <Button kind="primary" because={isDirty ? undefined : 'No changes.'} onClick={review}>
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
            <Notice tone="ask" role="alert">
              The file changed on disk while you edited it.{' '}
              <Button onClick={() => setMerging(true)}>Compare</Button>
            </Notice>
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
            failed={checked.error && !checked.data ? 'The check failed.' : null}
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

/** The text stays in the editor, also when the session has ended. */
function describeFailure({ code, rawMessage }: ConnectError): string {
  if (code === Code.Unauthenticated || code === Code.Unavailable || code === Code.Unknown)
    return `Not saved: the panel does not respond. Your text is kept here; copy it, or open a new link with holdfast ui. (${rawMessage})`
  return rawMessage
}
