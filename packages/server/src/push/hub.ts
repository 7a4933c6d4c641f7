// Change notifications inside one process: each topic has a number that rises with every change. Listeners query what
// changed. push/listen.ts carries the notifications between processes.

export const TOPICS = ['releases', 'hooks', 'devices', 'tokens', 'records', 'people'] as const
export type Topic = (typeof TOPICS)[number]

/** `subject`: the device or user that changed; empty when it may be any of them. */
export type Listener = (topic: Topic, epoch: number, subject: string) => void

export interface Hub {
  epoch(topic: Topic): number
  /** Call it after the transaction that made the change. */
  changed(topic: Topic, subject?: string): void
  subscribe(listener: Listener): () => void
  close(): void
}

export function openHub(): Hub {
  const epochs = new Map<Topic, number>(TOPICS.map(topic => [topic, 1]))
  const listeners = new Set<Listener>()
  return {
    epoch: topic => epochs.get(topic)!,
    changed(topic, subject = '') {
      const epoch = epochs.get(topic)! + 1
      epochs.set(topic, epoch)
      for (const listener of [...listeners]) listener(topic, epoch, subject)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () => listeners.clear(),
  }
}
