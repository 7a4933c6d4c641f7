// One firing at a time: with a key, so that one press runs once, a clock, and an abort signal.

import { ConnectError } from '@connectrpc/connect'
import { callUnaryMethod, useTransport } from '@connectrpc/connect-query'
import { useEffect, useRef, useState } from 'react'
import { type FireResponse, PanelService, type Planned } from '../../../gen/holdfast/panel/v1/panel_pb.js'

export interface Shot {
  readonly event: string
  readonly payloadJson: string
  readonly profiles: readonly string[]
  readonly planned: readonly Planned[]
}

export type Firing =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly since: number }
  | { readonly kind: 'done'; readonly answer: FireResponse; readonly at: number; readonly shot: Shot }
  | { readonly kind: 'failed'; readonly error: ConnectError }
  | { readonly kind: 'cancelled' }

export function useFiring(onFailed: () => void) {
  const transport = useTransport()
  const [firing, setFiring] = useState<Firing>({ kind: 'idle' })
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  const fire = async (shot: Shot) => {
    // A second press can precede the next draw.
    if (running.current) return
    const controller = new AbortController()
    running.current = controller
    setFiring({ kind: 'running', since: performance.now() })
    const { event, payloadJson, planned, profiles } = shot
    const request = {
      event,
      payloadJson,
      profiles: [...profiles],
      seen: planned.map(({ hookId, fingerprint }) => ({ id: hookId, fingerprint })),
      key: crypto.randomUUID(),
    }
    try {
      const answer = await callUnaryMethod(transport, PanelService.method.fire, request, {
        signal: controller.signal,
      })
      setFiring({ kind: 'done', answer, at: Date.now(), shot })
    } catch (error) {
      if (controller.signal.aborted) setFiring({ kind: 'cancelled' })
      else {
        setFiring({ kind: 'failed', error: ConnectError.from(error) })
        onFailed()
      }
    } finally {
      running.current = null
    }
  }
  return { firing, fire, cancel: () => running.current?.abort() }
}

/** Counts while something runs. */
export function useClock(since: number | undefined): number {
  const [now, setNow] = useState(0)
  useEffect(() => {
    if (since === undefined) return
    setNow(performance.now())
    const timer = setInterval(() => setNow(performance.now()), 100)
    return () => clearInterval(timer)
  }, [since])
  return since === undefined ? 0 : Math.max(0, now - since)
}
