// Sends every record to a collector. The work list is written together with the records, and an item is removed when
// the collector has confirmed it: neither a restart nor a collector that is away for days loses any.

import { withTimeLimit } from '@holdfast/hooks/protocol'
import { deleteFromOutbox, nextInOutbox, recordsById } from '../../store/records.js'
import type { Team } from '../../team.js'
import { addNames, noNames } from '../names.js'
import { logsOf } from './logs.js'

const TIMEOUT_MS = 30_000
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000
const REST_MS = 1000
/** A stop waits this long for the current response: the batch would be sent again otherwise. */
const LAST_ANSWER_MS = 5000

/** The collector that receives every record, over OTLP/HTTP. */
export interface Collector {
  /** With its path: http://127.0.0.1:4318/v1/logs. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface Sender {
  stop(): Promise<void>
}

/** Rejections that no retry can change. */
const HOPELESS: ReadonlySet<number> = new Set([400, 413, 422])

export function startSender(team: Team, collector: Collector, restMs = REST_MS): Sender {
  const stopped = new AbortController()
  const givenUp = new AbortController()
  let waitMs = FIRST_WAIT_MS
  let isTrouble = false

  const round = async (lost: AbortSignal): Promise<number> => {
    try {
      while (!stopped.signal.aborted && !lost.aborted) {
        if (!(await sendNext(team, collector, givenUp.signal))) break
        waitMs = FIRST_WAIT_MS
        if (isTrouble) team.log.info('records are sent on again', { to: collector.url })
        isTrouble = false
      }
      return restMs
    } catch (error) {
      if (stopped.signal.aborted) return 0
      const wait =
        error instanceof RetryError && error.waitMs !== null ? error.waitMs : waitMs * (0.5 + Math.random())
      if (!isTrouble)
        team.log.warn('records cannot be sent on', { to: collector.url, error: (error as Error).message })
      isTrouble = true
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
      return Math.min(wait, LONGEST_WAIT_MS)
    }
  }
  const run = async () => {
    while (!stopped.signal.aborted) {
      // One process sends for all; the others check whether it still does.
      const rest = await team.store.alone('otlp', round).catch(error => {
        team.log.error('sending on failed', { error: (error as Error).message })
        return LONGEST_WAIT_MS
      })
      await pause(rest ?? restMs * 5, stopped.signal)
    }
  }
  const running = run()
  return {
    async stop() {
      stopped.abort()
      const late = setTimeout(() => givenUp.abort(), LAST_ANSWER_MS)
      await running
      clearTimeout(late)
    },
  }
}

class RetryError extends Error {
  constructor(
    message: string,
    readonly waitMs: number | null,
  ) {
    super(message)
  }
}

/** False if there is nothing to send. */
async function sendNext(team: Team, collector: Collector, signal: AbortSignal): Promise<boolean> {
  const { db } = team.store
  const next = await nextInOutbox(db)
  if (!next) return false
  const { reader } = team.records
  const days = [...new Set(next.places.map(([day]) => day))]
  const perDay = days.map(day => next.places.filter(place => place[0] === day).map(([, id]) => id))
  const records = await Promise.all(days.map((day, index) => recordsById(reader, [day], perDay[index]!)))
  if (records.some(({ length }) => length > 0)) {
    const found = records.flat()
    const names = await addNames(reader, noNames(), found)
    await post(team, collector, JSON.stringify(logsOf(found, names, team.id)), signal)
  }
  await deleteFromOutbox(db, next.id)
  return true
}

async function post(
  { log }: Team,
  { url, headers }: Collector,
  body: string,
  signal: AbortSignal,
): Promise<void> {
  const { response, said } = await withTimeLimit(TIMEOUT_MS, signal, async limited => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'error',
      signal: limited,
    })
    return { response, said: (await response.text()).slice(0, 500) }
  })
  if (response.ok) {
    const rejected = rejectedIn(said)
    if (rejected > 0) log.warn('a collector did not take all records', { to: url, rejected, said })
    return
  }
  if (HOPELESS.has(response.status)) {
    log.error('a collector refused records; they are not sent again', {
      to: url,
      status: response.status,
      said,
    })
    return
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  throw new RetryError(
    `It answered ${response.status}: ${said}`,
    Number.isFinite(seconds) ? seconds * 1000 : null,
  )
}

function rejectedIn(said: string): number {
  try {
    return Number(JSON.parse(said)?.partialSuccess?.rejectedLogRecords ?? 0)
  } catch {
    return 0
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
