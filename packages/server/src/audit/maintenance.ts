// Scheduled work on records: sums are added up, partitions for the next days are created, old ones are removed, and
// records are exported if a collector is configured.

import type { Team } from '../team.js'
import { type Collector, type Sender, startSender } from './otlp/sender.js'
import { prepareRecords, pruneRecords } from './retention.js'

const FOLD_MS = 10_000
const TIDY_MS = 3_600_000

export interface Maintenance {
  stop(): Promise<void>
}

export function startMaintenance(team: Team, collector?: Collector): Maintenance {
  let isStopped = false
  const atWork = new Set<Promise<void>>()
  const every = (ms: number, name: string, work: () => Promise<unknown>) => {
    let isBusy = false
    const round = () => {
      if (isBusy || isStopped) return
      isBusy = true
      const done: Promise<void> = work()
        .catch(error => team.log.error(`${name} failed`, { error: (error as Error).message }))
        .then(() => {
          isBusy = false
          atWork.delete(done)
        })
      atWork.add(done)
    }
    round()
    return setInterval(round, ms).unref()
  }
  const timers = [
    every(FOLD_MS, 'adding up', () => team.store.alone('fold', () => team.records.fold())),
    every(TIDY_MS, 'tidying up', async () => {
      await prepareRecords(team)
      await pruneRecords(team, () => isStopped)
    }),
  ]
  const sender: Sender | null = collector ? startSender(team, collector) : null
  return {
    async stop() {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      await sender?.stop()
      await Promise.allSettled(atWork)
    },
  }
}
