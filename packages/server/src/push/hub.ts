// Who wants to hear that something changed. A number for each topic rises with every change; what changed is for the
// listener to ask. Between processes it is carried by the database (push/listen.ts).

export const TOPICS = ['releases', 'hooks', 'devices', 'tokens', 'records', 'people'] as const
export type Topic = (typeof TOPICS)[number]

export interface Hub {
  epoch(topic: Topic): number
  /** Said after the transaction that changed something. */
  changed(topic: Topic): void
  subscribe(listener: (topic: Topic, epoch: number) => void): () => void
  close(): void
}

export function openHub(): Hub {
  const epochs = new Map<Topic, number>(TOPICS.map(topic => [topic, 1]))
  const listeners = new Set<(topic: Topic, epoch: number) => void>()
  return {
    epoch: topic => epochs.get(topic)!,
    changed(topic) {
      const epoch = epochs.get(topic)! + 1
      epochs.set(topic, epoch)
      for (const listener of [...listeners]) listener(topic, epoch)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () => listeners.clear(),
  }
}
