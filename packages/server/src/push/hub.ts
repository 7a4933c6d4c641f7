// Who wants to hear that something changed. The number rises with every change; what changed is for the listener to
// ask. Between processes it is carried by the database (push/listen.ts).

export type Topic = 'releases' | 'hooks' | 'devices' | 'tokens' | 'records' | 'people'

export interface Hub {
  epoch(): number
  /** Said after the transaction that changed something. */
  changed(topic: Topic): void
  subscribe(listener: (topic: Topic, epoch: number) => void): () => void
  close(): void
}

export function openHub(): Hub {
  let epoch = 1
  const listeners = new Set<(topic: Topic, epoch: number) => void>()
  return {
    epoch: () => epoch,
    changed(topic) {
      epoch++
      for (const listener of [...listeners]) listener(topic, epoch)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () => listeners.clear(),
  }
}
