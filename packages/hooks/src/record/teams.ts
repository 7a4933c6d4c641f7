// Which records go to which team.

import type { Team } from '../protocol/config.js'
import { isBlocked, type Verdict } from '../protocol/verdict.js'
import { openQueue, type Queue } from './queue.js'
import type { RunRecord } from './record.js'

/** A team that wants records: where they wait, and of which hooks. */
export interface WantedBy {
  readonly folder: string
  readonly records: Team['records']
  /** The manifest of its own hooks. */
  readonly file: string
}

export interface Teams {
  append(verdict: Verdict, records: readonly RunRecord[]): void
  problem(): string | null
}

export function openTeams(current: () => readonly WantedBy[] = () => []): Teams {
  const queues = new Map<string, Queue>()
  const queueIn = (folder: string): Queue => {
    const queue = queues.get(folder) ?? openQueue(folder)
    queues.set(folder, queue)
    return queue
  }
  return {
    append(verdict, records) {
      for (const team of current()) {
        const own = wanted(team, verdict, records)
        queueIn(team.folder).append(own, isBlocked(verdict) || own.some(record => record.failed_open))
      }
    },
    problem() {
      const problems = [...queues.values()].map(queue => queue.problem()).filter(text => text !== null)
      return problems.length > 0 ? problems.join('; ') : null
    },
  }
}

/** Records of another team's hooks lose their numbers, which mean other hooks and releases here. */
function wanted(team: WantedBy, { runs }: Verdict, records: readonly RunRecord[]): RunRecord[] {
  return records.flatMap((record, index) => {
    // A record without a run names the manifest that could not be loaded.
    const file = (runs[index]?.hook ?? record).file
    if (file === team.file || record.source === 'enterprise') return [record]
    if (team.records !== 'all') return []
    if (record.source !== 'team') return [record]
    const { hook_id: _, revision: __, release: ___, ...rest } = record
    return [rest]
  })
}
