// Listeners that follow events from start to end. An observer has no effect on an event: what it throws is dropped, and
// a hook starts whether or not the observer starts it.

import type { HookDefinition } from './protocol/config.js'
import type { EventName } from './protocol/events.js'
import { callListener } from './protocol/listener.js'
import type { Event } from './protocol/run.js'
import type { Verdict } from './protocol/verdict.js'

/** An event at its start: names and ids, without the contents of the payload. */
export interface StartedEvent {
  readonly event: EventName
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Null for an event that belongs to no conversation. */
  readonly conversationId: string | null
  readonly model: string | null
  readonly toolName: string | null
  readonly toolCallId: string | null
}

export interface EventObserver {
  /**
   * A hook is about to run. Call `start` before this function returns, for example inside the context of a span; a
   * function hook and the model of a prompt hook then run in that context.
   */
  run?(hook: HookDefinition, start: () => void): void
  /** The verdict is there; null if the call failed because of wrong use. */
  end?(verdict: Verdict | null): void
}

/** Called in the asynchronous context of the caller, before any hook runs. */
// biome-ignore lint/suspicious/noConfusingVoidType: a listener that only counts returns nothing.
export type OnEvent = (event: StartedEvent) => EventObserver | undefined | void

export type OnVerdict = (verdict: Verdict, event: StartedEvent) => void

/** One event, followed by all listeners that there were at its start. */
export interface Observation {
  start(event: Event, startedAt: number): void
  /** Calls `start` once and returns its result. */
  run<T>(hook: HookDefinition, start: () => T): T
  /** Only the first call counts. */
  end(verdict: Verdict | null): void
}

export class Observers {
  private readonly listeners = new Set<{ readonly listener: OnEvent }>()

  /** Returns the function that ends the subscription. The same listener may be added twice. */
  add(listener: OnEvent): () => void {
    const entry = { listener }
    this.listeners.add(entry)
    return () => void this.listeners.delete(entry)
  }

  /** Undefined without listeners, so that an event costs nothing more. */
  observe(): Observation | undefined {
    if (this.listeners.size === 0) return undefined
    const listeners = [...this.listeners]
    let observers: EventObserver[] = []
    return {
      start(event, startedAt) {
        const started = describe(event, startedAt)
        observers = listeners.flatMap(({ listener }) => callListener(() => listener(started)) ?? [])
      },
      run<T>(hook: HookDefinition, start: () => T): T {
        let result: (() => T) | undefined
        const startHook = () => {
          try {
            const value = start()
            result = () => value
          } catch (error) {
            result = () => {
              throw error
            }
          }
        }
        observers.reduceRight(
          (inner, observer) =>
            once(() => {
              callListener(() => observer.run?.(hook, inner))
              inner()
            }),
          once(startHook),
        )()
        return result!()
      },
      end(verdict) {
        const ended = observers
        observers = []
        for (const observer of ended) callListener(() => observer.end?.(verdict))
      },
    }
  }

  clear(): void {
    this.listeners.clear()
  }
}

export const onlyVerdicts =
  (listener: OnVerdict): OnEvent =>
  event => ({
    end: verdict => (verdict ? listener(verdict, event) : undefined),
  })

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}

function describe({ spec, fields }: Event, startedAt: number): StartedEvent {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
  return Object.freeze({
    event: spec.name,
    startedAt,
    conversationId: text(fields.conversation_id),
    model: text(fields.model),
    toolName: text(fields.tool_name),
    toolCallId: text(fields.tool_use_id),
  })
}
