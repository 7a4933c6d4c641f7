// Change notifications between server processes, through LISTEN and NOTIFY. A notification names only the topic; a process
// that was not connected assumes that everything changed. Where LISTEN does not work, such as behind a pooler, the process
// polls the head of the audit log: every change that devices must receive moves it.

import { readHead } from '../store/admin-actions.js'
import { type Listener, openListener } from '../store/listen.js'
import type { Store } from '../store/open.js'
import { notify } from '../store/pool.js'
import type { Log } from '../team.js'
import { type Hub, openHub, TOPICS, type Topic } from './hub.js'

const CHANNEL = 'holdfast'
const CHECK_MS = 10_000
const ANSWER_MS = 5000
const POLL_MS = 2000
const RETRY_MS = 1000
/** Frequent changes are announced at most this often. */
const THROTTLE_MS = 1000
const FREQUENT: ReadonlySet<Topic> = new Set(['devices', 'records'])

export interface Listening extends Hub {
  /** Notifications do not arrive; changes are noticed within seconds instead of at once. */
  isDegraded(): boolean
}

export function openListening(store: Store, database: string, log: Log): Listening {
  const hub = openHub()
  const own = `${process.pid}.${Math.random().toString(36).slice(2, 10)}`
  const throttled = new Map<Topic, NodeJS.Timeout>()
  let client: Listener | null = null
  let isClosed = false
  let isDegraded = true
  let receivedAt = 0
  let head = -1

  const announceAll = () => {
    for (const topic of TOPICS) hub.changed(topic)
  }
  const announce = (topic: Topic | '', subject = '') => {
    notify(store.db, CHANNEL, `${own} ${topic} ${subject}`).catch(error =>
      log.warn('a change was not announced to the other servers', { error: (error as Error).message }),
    )
  }

  const connect = () => {
    if (isClosed) return
    const fresh = openListener(database, {
      channel: CHANNEL,
      onMessage(payload) {
        receivedAt = Date.now()
        // Notifications that were sent without a listener are lost.
        if (isDegraded) announceAll()
        isDegraded = false
        const [from, topic, subject] = payload.split(' ')
        if (from !== own && TOPICS.includes(topic as Topic)) hub.changed(topic as Topic, subject)
      },
      onLost() {
        if (client === fresh) client = null
        isDegraded = true
        if (!isClosed) setTimeout(connect, RETRY_MS * (1 + Math.random())).unref()
      },
    })
    void fresh.isListening.then(isListening => {
      if (!isListening) return
      client = fresh
      check()
    })
  }

  /** Sends a notification to itself. If it does not come back, the connection is dead, or leads to a pooler. */
  const check = () => {
    const checked = client
    if (!checked) return
    const sentAt = Date.now()
    announce('')
    setTimeout(() => {
      if (receivedAt < sentAt && client === checked && !isClosed) checked.drop()
    }, ANSWER_MS).unref()
  }
  const pollHead = async () => {
    if (!isDegraded || isClosed) return
    const { seq } = await readHead(store.db)
    if (head !== -1 && seq !== head) announceAll()
    head = seq
  }

  const timers = [
    setInterval(check, CHECK_MS).unref(),
    setInterval(() => void pollHead().catch(() => {}), POLL_MS).unref(),
  ]
  connect()

  return {
    ...hub,
    isDegraded: () => isDegraded,
    changed(topic, subject) {
      hub.changed(topic, subject)
      if (!FREQUENT.has(topic)) return announce(topic, subject)
      if (throttled.has(topic)) return
      throttled.set(
        topic,
        setTimeout(() => {
          throttled.delete(topic)
          if (!isClosed) announce(topic)
        }, THROTTLE_MS).unref(),
      )
    },
    close() {
      isClosed = true
      for (const timer of [...timers, ...throttled.values()]) clearTimeout(timer)
      client?.close()
      hub.close()
    },
  }
}
