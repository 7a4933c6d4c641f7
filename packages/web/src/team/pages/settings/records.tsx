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
  return (
    <>
      <Section
        title="Retention"
        about="How long records of what hooks did are kept. Admin actions are kept for good, as their chain would break."
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
                  {count(shortening.recordDays, 'day')}.{' '}
                  {shortening.dueAt === ''
                    ? 'Another admin must confirm it by saving the same number.'
                    : `It takes effect on ${whole(shortening.dueAt)}.`}
                </p>
              ) : null}
              <Retention key={recordDays} now={recordDays} floor={floorDays} onChanged={setChanged} />
            </>
          )}
        </Region>
        {changed ? <Done>{changed}</Done> : null}
      </Section>
      <Section
        title="Rollout"
        about="The rings, how long a release soaks in each, and the limits that halt it stand with the releases themselves."
      >
        <Link to={'/rollout' as never}>To the rollout</Link>
      </Section>
      <Section
        title="Exports"
        about={
          <>
            What is filtered in <Link to="/audit">Audit</Link> can be taken away as JSON lines or as OTLP.
            Every record can also be sent on as it comes in, to a collector that speaks OTLP over HTTP.
          </>
        }
      >
        <Region of={server} loading={because ? <p className="muted">{because}</p> : <Loading />}>
          {({ otlpUrl }) =>
            otlpUrl ? (
              <p>
                Records are sent on to <code>{line(otlpUrl)}</code>.
              </p>
            ) : (
              <>
                <p>Records are sent on nowhere. To send them on, start the server with</p>
                <Copy label="The option" text="holdfast serve --otlp http://127.0.0.1:4318/v1/logs" />
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
  /** This form begins anew with the new figure; what it said stays. */
  readonly onChanged: (words: string) => void
}) {
  const may = useMay('AuditService/SetRetention')
  const queries = useQueryClient()
  const [text, setText] = useState(String(now))
  const [isAsking, setAsking] = useState(false)
  const save = useMutation(AuditService.method.setRetention)
  const days = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0
  const wrong =
    days < 1 || days > 3650 ? 'Days are 1 to 3,650.' : days === now ? 'That is what it is now.' : undefined
  const go = async () => {
    const { shortening } = await save.mutateAsync({ recordDays: days })
    onChanged(
      shortening
        ? `Still kept for ${count(now, 'day')}: below ${count(floor, 'day')}, another admin must confirm it.`
        : `Kept for ${count(days, 'day')} now; before it was ${count(now, 'day')}.`,
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
          // Fewer days throw records away, which nothing brings back.
          if (days < now) setAsking(true)
          else void go().catch(() => {})
        }}
      >
        <TextField
          label="Records are kept for"
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
            days < floor
              ? `Ask to keep records for ${count(days, 'day')}`
              : `Delete what is older than ${count(days, 'day')}`
          }
          onClose={() => setAsking(false)}
          onConfirm={go}
        >
          <p>
            Records that are older than {count(days, 'day')} are deleted{' '}
            {days < floor
              ? 'seven days after another admin has confirmed it.'
              : 'within the hour. Export them first if anybody needs them.'}
          </p>
        </Confirm>
      ) : null}
    </>
  )
}
