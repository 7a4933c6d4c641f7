// The workers of a conversation.

export interface Worker {
  readonly id: string
  readonly type: string
  readonly task: string
  readonly since: number
}

/** A worker without a reported end does not keep its slot forever. */
const FORGOTTEN_MS = 15 * 60_000

/** The stored value may be anything, and so may its time. */
export const present = (kept: unknown, now = Date.now()): readonly Worker[] =>
  Array.isArray(kept) ? kept.filter(worker => now - (worker?.since ?? 0) < FORGOTTEN_MS) : []

/** The end of a subagent does not contain its id: the first match counts. */
export function without(workers: readonly Worker[], { id, type, task }: Omit<Worker, 'since'>) {
  const gone =
    workers.find(worker => id !== '' && worker.id === id) ??
    workers.find(worker => worker.type === type && (task === '' || worker.task === task))
  return workers.filter(worker => worker !== gone)
}
