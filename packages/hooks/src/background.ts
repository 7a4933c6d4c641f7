// Hooks with `async: true`: they run beside the agent, which does not wait for them. Their runs are recorded when they end.

import { decide } from './decide/decide.js'
import { clockMs } from './protocol/clock.js'
import type { Event, Exit, Plan, Planned, Ran, Run } from './protocol/run.js'
import type { Verdict } from './protocol/verdict.js'

/** Bounds the processes that events leave behind which follow each other faster than their hooks run. */
const MOST_AT_ONCE = 16

export class Background {
  private running = 0
  private readonly pending = new Set<Promise<void>>()

  add(work: Promise<void>): void {
    this.pending.add(work)
    void work.then(() => this.pending.delete(work))
  }

  async idle(): Promise<void> {
    while (this.pending.size > 0) await Promise.all(this.pending)
  }

  /** Resolves with a verdict that decides nothing, for the record. */
  async run(plan: Plan, run: (plan: Plan) => Promise<Ran>): Promise<Verdict> {
    const began = clockMs()
    const hooks = plan.background.slice(0, Math.max(0, MOST_AT_ONCE - this.running))
    this.running += hooks.length
    try {
      const { runs, skipped } = await run({ ...plan, hooks, background: [] })
      const all = [...runs, ...plan.background.slice(hooks.length).map(refuse)]
      return verdictOf(plan.event, all, skipped, clockMs() - began)
    } finally {
      this.running -= hooks.length
    }
  }
}

const verdictOf = (
  event: Event,
  runs: readonly Run[],
  skipped: Ran['skipped'],
  durationMs: number,
): Verdict => decide({ event, runs, skipped, durationMs, denials: [] })

const FAILURE = {
  code: 'run/spawn',
  message: `It was not started: ${MOST_AT_ONCE} asynchronous hooks were running.`,
} as const
const NOT_STARTED: Exit = {
  code: null,
  signal: null,
  stdout: '',
  stderr: '',
  durationMs: 0,
  failure: FAILURE,
}

const refuse = ({ hook }: Planned): Run => ({
  hook,
  exit: NOT_STARTED,
  outcome: { kind: 'failed', failure: FAILURE },
  notes: [],
})
