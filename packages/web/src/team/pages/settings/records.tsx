import { ConnectError } from '@connectrpc/connect'
import { useMutation, useQuery } from '@connectrpc/connect-query'
import { AuditService } from '@holdfast/team/messages'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Confirm } from '../../../parts/confirm.js'
import { Copy } from '../../../parts/copy.js'
import { Done, TextField, Wrong } from '../../../parts/fields.js'
import { Loading, Region } from '../../../parts/states.js'
import { askAgain } from '../../../shell/touched.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { useServer } from '../../server.js'
import { Section } from './section.js'
import styles from './section.module.css'

export function Records() {
  const retention = useQuery(AuditService.method.getRetention, {})
  const { server, because } = useServer()
  const [changed, setChanged] = useState('')
  // All sections appear at once, so that none moves.
  if (retention.isLoading || server.isLoading) return <Loading />
  return (
    <>
      <Section
        title="Retention"
        about="The number of days that the server keeps records of runs. Admin actions are never deleted, since their hash chain needs all of them."
      >
        <Region of={retention}>
          {({ recordDays, floorDays, shortening, hold }) => (
            <>
              {hold ? (
                <p>
                  Legal hold by {line(hold.setBy)} since {whole(hold.setAt)}: {line(hold.reason)}. No record
                  is deleted.
                </p>
              ) : null}
              {shortening ? (
                <p>
                  {line(shortening.requestedBy)} asked to keep records for{' '}
                  {count(shortening.recordDays, 'day')}, and a second admin confirmed it. It takes effect on{' '}
                  {whole(shortening.dueAt)}.
                </p>
              ) : null}
              <Retention key={recordDays} now={recordDays} floor={floorDays} onChanged={setChanged} />
            </>
          )}
        </Region>
        {changed ? <Done>{changed}</Done> : null}
      </Section>
      <Section title="Rollout" about="Rings, waiting times and limits are on the page of the releases.">
        <Link to="/rollout" search={{ tab: 'settings' }}>
          Rings and limits
        </Link>
      </Section>
      <Section
        title="Exports"
        about={
          <>
            <Link to="/audit">Audit</Link> exports records as JSON lines, CSV or OTLP. The server can also
            forward each record to a collector with OTLP over HTTP.
          </>
        }
      >
        <Region of={server} loading={because ? <p className="muted">{because}</p> : <Loading />}>
          {({ otlpUrl }) =>
            otlpUrl ? (
              <p>
                Records are forwarded to <code>{line(otlpUrl)}</code>.
              </p>
            ) : (
              <>
                <p>Records are not forwarded. To forward them, start the server with</p>
                <Copy label="the option" text="holdfast serve --otlp http://127.0.0.1:4318/v1/logs" />
              </>
            )
          }
        </Region>
      </Section>
    </>
  )
}

function Retention({
  now,
  floor,
  onChanged,
}: {
  readonly now: number
  readonly floor: number
  /** Resets the form to the new figure, and keeps the message. */
  readonly onChanged: (words: string) => void
}) {
  const may = useMay('AuditService/SetRetention')
  const queries = useQueryClient()
  const [text, setText] = useState(String(now))
  const [isAsking, setAsking] = useState(false)
  const save = useMutation(AuditService.method.setRetention)
  const days = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0
  const wrong =
    days < 1 || days > 3650 ? 'Days are 1 to 3,650.' : days === now ? 'This is the current value.' : undefined
  const go = async () => {
    const { shortening } = await save.mutateAsync({ recordDays: days })
    onChanged(
      shortening
        ? `Confirmed. The server keeps ${count(now, 'day')} until ${whole(shortening.dueAt)}.`
        : `Saved: ${count(days, 'day')} instead of ${count(now, 'day')}.`,
    )
    setAsking(false)
    askAgain(queries, ['GetRetention'])
  }
  return (
    <>
      <form
        className={styles.form}
        onSubmit={event => {
          event.preventDefault()
          if (may !== undefined || wrong !== undefined) return
          // Fewer days delete records permanently.
          if (days < now) setAsking(true)
          else void go().catch(() => {})
        }}
      >
        <TextField
          label="Keep records for"
          type="number"
          min={1}
          max={3650}
          value={text}
          onChange={setText}
          because={may}
          unit="days"
        />
        <Button type="submit" because={may ?? wrong} busy={save.isPending}>
          Save
        </Button>
        <Wrong>{save.error && !isAsking ? ConnectError.from(save.error).rawMessage : ''}</Wrong>
      </form>
      {isAsking ? (
        <Confirm
          title={`Keep records for ${count(days, 'day')} only?`}
          action={
            days < floor ? `Request ${count(days, 'day')}` : `Delete records older than ${count(days, 'day')}`
          }
          onClose={() => setAsking(false)}
          onConfirm={go}
        >
          <p>
            Records that are older than {count(days, 'day')} are deleted{' '}
            {days < floor
              ? 'seven days after another admin confirms the request.'
              : 'within an hour. Export them first if you need them.'}
          </p>
        </Confirm>
      ) : null}
    </>
  )
}
