// The background refresh: a stream that says when to look, polls for what it misses, and the queue that is emptied
// meanwhile. Nothing here gives up; everything waits longer instead.

import { loadEnrolment, placeOf } from '@holdfast/hooks/team'
import type { Around } from './around.js'
import { type SendResult, sendRecords } from './send.js'
import { readStream } from './stream.js'
import { type SyncResult, sync } from './sync.js'
import {
  afterLoss,
  backOff,
  EARLY_ENDS,
  EARLY_MS,
  firstWait,
  pollWait,
  sendWait,
  spread,
  WITHOUT_STREAM_MS,
} from './waits.js'

export interface WatchOptions {
  /** Right after a login nobody wants to wait. */
  readonly atOnce?: boolean
  readonly onSync?: (result: SyncResult) => void
  readonly onSend?: (result: SendResult) => void
}

export interface Watching {
  /** Resolves when nothing is running any more. */
  stop(): Promise<void>
}

export function watchTeam(around: Around, teamId: string, options: WatchOptions = {}): Watching {
  const stopping = new AbortController()
  const { signal } = stopping
  const alarm = openAlarm(around, signal)
  let hasStream = true

  const poll = async () => {
    alarm.setFor(options.atOnce ? 0 : firstWait(around.random()))
    let failures = 0
    while (await alarm.ring()) {
      const result = await sync(around, teamId, { signal })
      if (signal.aborted) return
      options.onSync?.(result)
      if (result.problem?.code === 'enrolment') return
      failures = result.kind === 'failed' ? failures + 1 : 0
      const usual = pollWait(around.random(), hasStream)
      const wait = failures > 0 ? Math.min(usual, 1000 + backOff(failures, around.random())) : usual
      // Whoever asks to be left alone is, whatever the stream says meanwhile.
      if (result.waitMs !== undefined) alarm.holdFor(result.waitMs)
      alarm.setFor(result.waitMs ?? wait)
    }
  }

  const listen = async () => {
    let epoch: number | undefined
    let [attempts, early] = [0, 0]
    while (!signal.aborted) {
      const enrolment = loadEnrolment(placeOf(around.home, teamId))
      if (!enrolment) return
      const end = await readStream(
        around,
        enrolment,
        message => {
          if (message.epoch !== epoch) alarm.setFor(spread(message.spreadMs, around.random()))
          epoch = message.epoch
          hasStream = true
        },
        signal,
      )
      if (signal.aborted) return
      const isEarly = (end.heard || end.ended === 'silence') && end.livedMs < EARLY_MS
      early = isEarly ? early + 1 : end.heard ? 0 : early
      attempts = end.heard && !isEarly ? 0 : attempts + 1
      let wait = end.waitMs ?? (end.heard ? afterLoss(around.random()) : backOff(attempts, around.random()))
      if (early >= EARLY_ENDS || end.ended === 'unauthorized') {
        hasStream = false
        early = 0
        wait = end.ended === 'unauthorized' ? pollWait(around.random(), true) : WITHOUT_STREAM_MS
        alarm.setFor(pollWait(around.random(), false))
      }
      await around.sleep(wait, signal)
    }
  }

  const send = async () => {
    let failures = 0
    while (!signal.aborted) {
      const usual = sendWait(around.random())
      await around.sleep(failures > 0 ? usual + backOff(failures, around.random()) : usual, signal)
      if (signal.aborted) return
      const result = await sendRecords(around, teamId, { signal })
      if (signal.aborted) return
      options.onSend?.(result)
      if (result.problem?.code === 'enrolment') return
      failures = result.kind === 'failed' ? failures + 1 : 0
      if (result.waitMs !== undefined) await around.sleep(result.waitMs, signal)
    }
  }

  const running = Promise.allSettled([poll(), listen(), send()])
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

interface Alarm {
  /** Rings after so long, or earlier if it was set so before. */
  setFor(ms: number): void
  /** Does not ring earlier than this. */
  holdFor(ms: number): void
  /** Resolves with false when all is over. */
  ring(): Promise<boolean>
}

function openAlarm({ now, sleep }: Around, signal: AbortSignal): Alarm {
  let at = Number.POSITIVE_INFINITY
  let notBefore = 0
  let moved = new AbortController()
  return {
    setFor(ms) {
      const next = now() + ms
      // Timers stand still while a machine sleeps: one that should have rung must not be waited for.
      if (next >= at && now() < at) return
      at = Math.min(at, next)
      moved.abort()
    },
    holdFor(ms) {
      notBefore = now() + ms
    },
    async ring() {
      while (!signal.aborted && now() < Math.max(at, notBefore)) {
        moved = new AbortController()
        const left = Math.max(at, notBefore) - now()
        await sleep(Math.min(left, 2 ** 31 - 1), AbortSignal.any([signal, moved.signal]))
      }
      at = Number.POSITIVE_INFINITY
      return !signal.aborted
    },
  }
}
