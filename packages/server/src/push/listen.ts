// What one process changed is told to the others through the database. A notification says only which topic; whoever
// was not connected when it came assumes that everything changed. Where LISTEN does not work, such as behind a pooler,
// the head of the admin actions is looked at instead: every change that devices must hear of moves it.

import pg from 'pg'
import type { Store } from '../store/open.js'
import { connectionTo, drop } from '../store/pool.js'
import type { Log } from '../team.js'
import { type Hub, openHub, TOPICS, type Topic } from './hub.js'

const CHANNEL = 'holdfast'
const CHECK_MS = 10_000
const ANSWER_MS = 5000
const LOOK_MS = 2000
const RETRY_MS = 1000
/** What happens all the time is told at most this often. */
const THROTTLE_MS = 1000
const FREQUENT: ReadonlySet<Topic> = new Set(['devices', 'records'])

export interface Listening extends Hub {
  /** Notifications do not come; changes are seen within seconds instead of at once. */
  isDegraded(): boolean
}

export function openListening(store: Store, database: string, log: Log): Listening {
  const hub = openHub()
  const own = `${process.pid}.${Math.random().toString(36).slice(2, 10)}`
  const throttled = new Map<Topic, NodeJS.Timeout>()
  let client: pg.Client | null = null
  let isClosed = false
  let isDegraded = true
  let heard = 0
  let head = -1

  const everything = () => {
    for (const topic of TOPICS) hub.changed(topic)
  }
  const tell = (topic: Topic | '', subject = '') => {
    store.db
      .selectNoFrom(({ fn, val }) =>
        fn('pg_notify', [val(CHANNEL), val(`${own} ${topic} ${subject}`)]).as('sent'),
      )
      .execute()
      .catch(error =>
        log.warn('a change could not be told to the other servers', { error: (error as Error).message }),
      )
  }

  async function connect(): Promise<void> {
    if (isClosed) return
    const fresh = new pg.Client({ ...connectionTo(database, 'holdfast listen'), query_timeout: ANSWER_MS })
    let isLost = false
    const lost = () => {
      if (isLost) return
      isLost = true
      if (client === fresh) client = null
      isDegraded = true
      drop(fresh)
      if (!isClosed) setTimeout(connect, RETRY_MS * (1 + Math.random())).unref()
    }
    fresh.on('error', lost)
    fresh.on('end', lost)
    fresh.on('notification', ({ payload = '' }) => {
      heard = Date.now()
      // Notifications that were sent without a listener are lost.
      if (isDegraded) everything()
      isDegraded = false
      const [from, topic, subject] = payload.split(' ')
      if (from !== own && TOPICS.includes(topic as Topic)) hub.changed(topic as Topic, subject)
    })
    try {
      await fresh.connect()
      await fresh.query(`listen ${CHANNEL}`)
      client = fresh
      check()
    } catch {
      lost()
    }
  }

  /** Sends a notification to itself. If it does not come back, the connection is dead, or leads to a pooler. */
  const check = () => {
    const checked = client
    if (!checked) return
    const asked = Date.now()
    tell('')
    setTimeout(() => {
      if (heard < asked && client === checked && !isClosed) drop(checked)
    }, ANSWER_MS).unref()
  }
  const look = async () => {
    if (!isDegraded || isClosed) return
    const row = await store.db.selectFrom('admin_head').select('seq').executeTakeFirst()
    const seq = row?.seq ?? 0
    if (head !== -1 && seq !== head) everything()
    head = seq
  }

  const timers = [
    setInterval(check, CHECK_MS).unref(),
    setInterval(() => void look().catch(() => {}), LOOK_MS).unref(),
  ]
  void connect()

  return {
    ...hub,
    isDegraded: () => isDegraded,
    changed(topic, subject) {
      hub.changed(topic, subject)
      if (!FREQUENT.has(topic)) return tell(topic, subject)
      if (throttled.has(topic)) return
      throttled.set(
        topic,
        setTimeout(() => {
          throttled.delete(topic)
          if (!isClosed) tell(topic)
        }, THROTTLE_MS).unref(),
      )
    },
    close() {
      isClosed = true
      for (const timer of [...timers, ...throttled.values()]) clearTimeout(timer)
      client?.end().catch(() => {})
      hub.close()
    },
  }
}
