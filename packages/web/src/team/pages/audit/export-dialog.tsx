// Exports the filtered records. The dialog shows the progress and can cancel.

import { ConnectError, createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { AuditService } from '@holdfast/team/messages'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Wrong } from '../../../parts/fields.js'
import { Dialog } from '../../../shell/dialog.js'
import { bytes, count } from '../../../words/number.js'
import type { AskedFilter } from './audit-filter.js'
import styles from './export.module.css'
import { openSink } from './save.js'

const FORMATS = [
  {
    name: 'jsonl',
    label: 'JSON lines',
    about: 'One record per line, as the device sent it.',
    ending: 'jsonl',
  },
  {
    name: 'csv',
    label: 'CSV',
    about: 'One row for each record, without the payload, for spreadsheets.',
    ending: 'csv',
  },
  {
    name: 'otlp',
    label: 'OTLP',
    about: 'Log records in batches, for collectors and observability tools.',
    ending: 'otlp.jsonl',
  },
] as const

type Way =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running'; readonly bytes: number }
  | { readonly kind: 'done'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly message: string }

export function ExportDialog({
  filter,
  total,
  onClose,
}: {
  readonly filter: AskedFilter
  readonly total: number | undefined
  readonly onClose: () => void
}) {
  const transport = useTransport()
  const [format, setFormat] = useState<(typeof FORMATS)[number]>(FORMATS[0])
  const [way, setWay] = useState<Way>({ kind: 'ready' })
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])

  const run = async () => {
    const stopping = new AbortController()
    stop.current = stopping
    const { signal } = stopping
    setWay({ kind: 'running', bytes: 0 })
    const day = new Date().toISOString().slice(0, 10)
    const sink = await openSink(
      `holdfast-audit-${day}.${format.ending}`,
      format.name === 'csv' ? 'text/csv' : 'application/jsonl',
    )
    let size = 0
    let shownAt = 0
    try {
      const lines = createClient(AuditService, transport).exportRecords(
        { filter, format: format.name },
        { signal },
      )
      for await (const part of lines) {
        await sink.write(part.lines)
        size += part.lines.length
        if (performance.now() - shownAt < 100) continue
        shownAt = performance.now()
        setWay({ kind: 'running', bytes: size })
      }
      await sink.done()
      setWay({ kind: 'done', bytes: size })
    } catch (error) {
      await sink.drop()
      setWay(
        signal.aborted
          ? { kind: 'ready' }
          : { kind: 'failed', message: ConnectError.from(error).rawMessage || 'The server did not respond.' },
      )
    }
  }
  const isRunning = way.kind === 'running'
  return (
    <Dialog title="Export records" onClose={onClose}>
      <div className="stack-loose">
        <p>
          {total === undefined ? 'All records' : count(total, 'record')} of the current filter and time,
          oldest first.
        </p>
        <fieldset className={styles.formats} disabled={isRunning}>
          <legend className="hidden">Format</legend>
          {FORMATS.map(each => (
            <label key={each.name}>
              <input
                type="radio"
                name="format"
                checked={each === format}
                onChange={() => {
                  setFormat(each)
                  setWay({ kind: 'ready' })
                }}
              />
              <span>
                {each.label}
                <span className={styles.about}>{each.about}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <p role="status" className={styles.way}>
          {way.kind === 'running' ? `${bytes(way.bytes)} so far` : null}
          {way.kind === 'done' ? `Exported ${bytes(way.bytes)} to your downloads.` : null}
        </p>
        {isRunning ? <progress className={styles.progress} aria-label="Export" /> : null}
        <Wrong>{way.kind === 'failed' ? way.message : ''}</Wrong>
        <div className={styles.actions}>
          {isRunning ? (
            <Button onClick={() => stop.current?.abort()}>Cancel the export</Button>
          ) : (
            <Button onClick={onClose}>Close</Button>
          )}
          <Button kind="primary" busy={isRunning} onClick={() => void run()}>
            {way.kind === 'done' ? 'Export again' : `Export as ${format.label}`}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
