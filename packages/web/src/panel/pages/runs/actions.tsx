// What can be done with a run.

import { callUnaryMethod, useTransport } from '@connectrpc/connect-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { type GetRunResponse, PanelService } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import button from '../../../parts/button.module.css'
import { pretty } from '../../../parts/path-text.js'
import { useCommands } from '../../../shell/commands.js'
import { Dialog } from '../../../shell/dialog.js'
import { useKeys } from '../../../shell/keys.js'
import { lines } from '../../../words/plain.js'
import { useCopy } from './copy.js'
import styles from './runs.module.css'

export interface ActionsProps {
  readonly id: string
  readonly run: GetRunResponse | undefined
  /** On its own page, the way there is not offered. */
  readonly isAlone?: boolean
}

export function Actions({ id, run, isAlone = false }: ActionsProps) {
  const transport = useTransport()
  const router = useRouter()
  const [isRaw, setRaw] = useState(false)
  const [said, copy] = useCopy()
  const fire = { from: `run:${id}` }
  const fireAgain = () => void router.navigate({ to: '/fire', search: fire } as never)
  const openAlone = () => void router.navigate({ to: '/runs/$id', params: { id } } as never)
  const copyLink = () => copy(`${location.origin}/runs/${encodeURIComponent(id)}`, 'The link is copied.')
  const copyTest = () => {
    let name = ''
    const text = callUnaryMethod(transport, PanelService.method.getTestCase, { runId: id }).then(found => {
      name = found.fileName
      return found.text
    })
    void text.then(
      () => copy(text, `Copied. Save it as ${name} and run holdfast test.`),
      () => copy(text, ''),
    )
  }
  const doings = [
    { keys: 'r', label: 'Fire again', run: fireAgain },
    { keys: 'c', label: 'Copy as test', run: copyTest },
    ...(isAlone ? [] : [{ keys: 'o', label: 'Open on its own page', run: openAlone }]),
  ]
  useKeys(doings.map(each => ({ ...each, group: 'Detail' })))
  useCommands([
    ...doings.map(each => ({ ...each, kind: 'this run' })),
    { label: 'Copy link', kind: 'this run', run: copyLink },
    { label: 'Raw record', kind: 'this run', run: () => setRaw(true) },
  ])
  return (
    <>
      <div className={styles.actions}>
        <Link to={'/fire' as never} search={fire as never} className={`${button.button} ${button.primary}`}>
          Fire again
        </Link>
        <Button onClick={copyTest}>Copy as test</Button>
        <Button onClick={() => setRaw(true)} busy={!run}>
          Raw
        </Button>
        <Button onClick={copyLink}>Copy link</Button>
      </div>
      <p className={said ? styles.sentence : 'hidden'} role="status">
        {said}
      </p>
      {isRaw && run ? (
        <Dialog title="The record as the log holds it" wide onClose={() => setRaw(false)}>
          <pre className={styles.raw} tabIndex={0} role="region" aria-label="Record">
            {lines(pretty(run.recordJson).slice(0, RAW_LETTERS))}
          </pre>
          <div className={styles.actions}>
            <Button onClick={() => copy(run.recordJson, 'The record is copied.')}>Copy all of it</Button>
            <Button onClick={() => setRaw(false)}>Close</Button>
          </div>
        </Dialog>
      ) : null}
    </>
  )
}

/** More than anybody reads; copying takes the rest. */
const RAW_LETTERS = 256 * 1024
