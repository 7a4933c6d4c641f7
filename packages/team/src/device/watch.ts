// The background refresh: syncs, held polls between them, and the queue of records. It never stops retrying, with
// growing delays.

import { loadEnrolment, placeOf } from '@holdfast/hooks/team'
import type { Around } from './around.js'
import { type Fetched, fetchHooks } from './offered.js'
import { CallError } from './rpc.js'
import { type SendResult, sendRecords } from './send.js'
import { type PolledSync, type SyncResult, syncPolled } from './sync.js'
import {
  afterLoss,
  backOff,
  EARLY_MS,
  firstWait,
  HOLD_SECONDS,
  MOST_EARLY,
  pollWait,
  sendWait,
  WITHOUT_HOLD_MS,
} from './waits.js'

export interface WatchOptions {
  /** Right after a login the user should not wait. */
  readonly atOnce?: boolean
  readonly onSync?: (result: SyncResult) => void
  readonly onSend?: (result: SendResult) => void
}

export interface Watching {
  /** Resolves when all work has ended. */
  stop(): Promise<void>
}

export function watchTeam(around: Around, teamId: string, options: WatchOptions = {}): Watching {
  const stopping = new AbortController()
  const { signal } = stopping
  const awaitChange = openHolder(around, teamId, signal)

  const refresh = async () => {
    await around.sleep(options.atOnce ? 0 : firstWait(around.random()), signal)
    let failures = 0
    let fetched: Fetched | undefined
    while (!signal.aborted) {
      const result = await syncPolled(around, teamId, { signal, fetched })
      if (signal.aborted) return
      options.onSync?.(result)
      if (result.problem?.code === 'enrolment') return
      failures = result.kind === 'failed' ? failures + 1 : 0
      const wait = Math.min(pollWait(around.random(), true), 1000 + backOff(failures, around.random()))
      fetched = undefined
      if (failures > 0) await around.sleep(result.waitMs ?? wait, signal)
      else fetched = await awaitChange(result)
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

  const running = Promise.allSettled([refresh(), send()])
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/**
 * Resolves to a changed offer of the server, or to undefined when a complete sync is due. Neither takes the lock of the
 * team nor touches its files.
 */
function openHolder(around: Around, teamId: string, signal: AbortSignal) {
  const { now, random, sleep } = around
  let [early, attempts, withoutUntil] = [0, 0, 0]

  const wasEarly = async (waitMs: number) => {
    if (++early < MOST_EARLY) return sleep(waitMs, signal)
    early = 0
    withoutUntil = now() + WITHOUT_HOLD_MS
  }
  let last = Number.NEGATIVE_INFINITY

  return async ({ kind, poll }: PolledSync): Promise<Fetched | undefined> => {
    // An offer that came at once and changed nothing: a proxy drops the etag, or it is not compared.
    if (kind !== 'updated' && now() - last < EARLY_MS) await wasEarly(afterLoss(random()))
    last = Number.NEGATIVE_INFINITY
    const isHeld = () => poll !== undefined && now() >= withoutUntil
    const until = now() + pollWait(random(), isHeld())
    while (!signal.aborted && now() < until) {
      if (!poll || !isHeld()) {
        await sleep(Math.min(until - now(), pollWait(random(), false)), signal)
        return undefined
      }
      const enrolment = loadEnrolment(placeOf(around.home, teamId))
      if (!enrolment) return undefined
      const began = now()
      const isEarly = () => now() - began < EARLY_MS
      try {
        const answer = await fetchHooks(around, enrolment, poll.request, {
          etag: poll.etag,
          holdSeconds: HOLD_SECONDS,
          signal,
        })
        attempts = 0
        if (answer.kind === 'answer') {
          if (isEarly()) last = now()
          return { request: poll.request, answer }
        }
        if (isEarly()) await wasEarly(afterLoss(random()))
        else early = 0
      } catch (error) {
        // The sync reports a token that is no longer accepted.
        if (signal.aborted || !(error instanceof CallError) || error.code === 'unauthorized') return undefined
        const usual = attempts === 0 ? afterLoss(random()) : backOff(attempts, random())
        // Several devices may be delayed until the same second.
        const wait = error.waitMs === undefined ? usual : error.waitMs + 1000 * random()
        attempts++
        // Held and then cut off, as proxies do, or an unreadable response.
        if (!isEarly() && error.waitMs === undefined) await wasEarly(wait)
        else await sleep(wait, signal)
      }
    }
    return undefined
  }
}
