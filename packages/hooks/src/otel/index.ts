// Spans for OpenTelemetry: one for each event, below it one for each run of a hook.

import {
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import type { EventObserver, Hooks, StartedEvent } from '../index.js'
import type { Run } from '../protocol/run.js'
import { ATTRIBUTES, attributesOf } from './attributes.js'

export interface TraceOptions {
  /** (default: the provider that is registered with the OpenTelemetry API) */
  tracerProvider?: TracerProvider
}

/**
 * Traces the events of this engine. The span of an event is a child of the span that is active when the event is fired;
 * functions and models of hooks run with the span of their run as the active one. Returns the function that ends tracing.
 */
export function traceHooks(hooks: Pick<Hooks, 'onEvent'>, { tracerProvider }: TraceOptions = {}): () => void {
  // Asked for at each event: a provider may be registered later.
  const tracer = () => (tracerProvider ?? trace).getTracer('@holdfast/hooks')
  return hooks.onEvent(event => traceEvent(event, tracer(), context.active()))
}

interface StartedRun {
  readonly id: string
  readonly span: Span
  /** By performance.now(), which is also the clock of spans. */
  readonly startedAt: number
}

function traceEvent(event: StartedEvent, tracer: Tracer, caller: Context): EventObserver {
  const attributes = attributesOf(ATTRIBUTES.eventStart, event)
  const span = tracer.startSpan(`hooks ${event.event}`, { kind: SpanKind.INTERNAL, attributes }, caller)
  const inside = trace.setSpan(caller, span)
  const runs: StartedRun[] = []
  const startRun = (hook: Run['hook']): StartedRun => {
    const name = `hook ${hook.source} ${hook.type}`
    const options = { kind: SpanKind.INTERNAL, attributes: attributesOf(ATTRIBUTES.runStart, hook) }
    return { id: hook.id, startedAt: performance.now(), span: tracer.startSpan(name, options, inside) }
  }
  return {
    run(hook, start) {
      const started = startRun(hook)
      runs.push(started)
      context.with(trace.setSpan(inside, started.span), start)
    },
    end(verdict) {
      for (const run of verdict?.runs ?? []) {
        // A hook runs once in each round. One that changed before its start did not run, and failed.
        const at = runs.findIndex(({ id }) => id === run.hook.id)
        endRun(at >= 0 ? runs.splice(at, 1)[0]! : startRun(run.hook), run)
      }
      for (const { span } of runs) span.end()
      span.setAttributes(attributesOf(ATTRIBUTES.eventEnd, verdict))
      if (!verdict || verdict.isCancelled) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

function endRun({ span, startedAt }: StartedRun, run: Run): void {
  span.setAttributes(attributesOf(ATTRIBUTES.runEnd, run))
  const { outcome, exit } = run
  // The code and not the message, which may quote a command.
  if (outcome.kind !== 'silent' && outcome.failure)
    span.setStatus({ code: SpanStatusCode.ERROR, message: outcome.failure.code })
  span.end(Math.min(startedAt + exit.durationMs, performance.now()))
}
