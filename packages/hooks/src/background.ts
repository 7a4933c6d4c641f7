// Hooks with `async: true`: they run beside the agent, which does not wait for them. Their runs are recorded when they end.

import { decide } from './decide/decide.js'
import { clockMs } from './protocol/clock.js'
import { exitWith, type Plan, type Planned, type Ran, type Run } from './protocol/run.js'
import type { Verdict } from './protocol/verdict.js'

/**
 * Of one source. Bounds the processes that events leave behind which follow each other faster than their hooks run. A
 * source that uses all of its own takes none from others.
 */
const MOST_AT_ONCE = 16

export class Background {
  /** By rank. */
  private readonly running = new Map<number, number>()
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
    const hooks = plan.background.filter(one => this.take(one))
    const refused = plan.background.filter(one => !hooks.includes(one))
    try {
      const { runs, skipped } = await run({ ...plan, hooks, background: [] })
      const all = [...runs, ...refused.map(refuse)]
      return decide({ event: plan.event, runs: all, skipped, durationMs: clockMs() - began, denials: [] })
    } finally {
      for (const { hook } of hooks) this.running.set(hook.rank, this.running.get(hook.rank)! - 1)
    }
  }

  private take({ hook: { rank } }: Planned): boolean {
    const count = this.running.get(rank) ?? 0
    if (count < MOST_AT_ONCE) this.running.set(rank, count + 1)
    return count < MOST_AT_ONCE
  }
}

const FAILURE = {
  code: 'run/spawn',
  message: `It was not started: ${MOST_AT_ONCE} asynchronous hooks of its source were running.`,
} as const

const refuse = ({ hook }: Planned): Run => ({
  hook,
  exit: exitWith({ failure: FAILURE }),
  outcome: { kind: 'failed', failure: FAILURE },
  notes: [],
})
