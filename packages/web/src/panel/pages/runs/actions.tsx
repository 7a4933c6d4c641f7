// The actions of a run.

import { callUnaryMethod, useTransport } from '@connectrpc/connect-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { PanelService } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import button from '../../../parts/button.module.css'
import { useCommands } from '../../../shell/commands.js'
import { useKeys } from '../../../shell/keys.js'
import { useCopy } from './copy.js'
import { RawRecord } from './raw.js'
import styles from './runs.module.css'

export interface ActionsProps {
  readonly id: string
  /** On its own page, which then is no action. */
  readonly isAlone?: boolean
}

export function Actions({ id, isAlone = false }: ActionsProps) {
  const transport = useTransport()
  const router = useRouter()
  const [isRaw, setRaw] = useState(false)
  const [said, copy] = useCopy()
  const fire = { from: `run:${id}` }
  const fireAgain = () => void router.navigate({ to: '/fire', search: fire })
  const openAlone = () => void router.navigate({ to: '/runs/$id', params: { id } })
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
  const actions = [
    { keys: 'r', label: 'Fire again', run: fireAgain },
    { keys: 'c', label: 'Copy as test', run: copyTest },
    ...(isAlone ? [] : [{ keys: 'o', label: 'Open as a page', run: openAlone }]),
  ]
  useKeys(actions.map(each => ({ ...each, group: 'Detail' })))
  useCommands([
    ...actions.map(each => ({ ...each, kind: 'this run' })),
    { label: 'Copy link', kind: 'this run', run: copyLink },
    { label: 'Raw record', kind: 'this run', run: () => setRaw(true) },
  ])
  return (
    <>
      <div className={styles.actions}>
        <Link to="/fire" search={fire} className={`${button.button} ${button.primary}`}>
          Fire again
        </Link>
        <Button onClick={copyTest}>Copy as test</Button>
        <Button onClick={() => setRaw(true)}>Raw</Button>
        <Button onClick={copyLink}>Copy link</Button>
      </div>
      <p className={said ? styles.sentence : 'hidden'} role="status">
        {said}
      </p>
      {isRaw ? (
        <RawRecord
          id={id}
          onCopy={text => copy(text, 'The record is copied.')}
          onClose={() => setRaw(false)}
        />
      ) : null}
    </>
  )
}
