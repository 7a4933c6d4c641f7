// Who is at work in a conversation.

export interface Worker {
  readonly id: string
  readonly type: string
  readonly task: string
  readonly since: number
}

/** One that was never heard of again does not hold its place for ever. */
const FORGOTTEN_MS = 15 * 60_000

/** What was kept may be anything; so may be how long ago it was. */
export const present = (kept: unknown, now = Date.now()): readonly Worker[] =>
  Array.isArray(kept) ? kept.filter(worker => now - (worker?.since ?? 0) < FORGOTTEN_MS) : []

/** The end of a subagent does not say its id: then the first that fits is the one. */
export function without(workers: readonly Worker[], { id, type, task }: Omit<Worker, 'since'>) {
  const gone =
    workers.find(worker => id !== '' && worker.id === id) ??
    workers.find(worker => worker.type === type && (task === '' || worker.task === task))
  return workers.filter(worker => worker !== gone)
}
