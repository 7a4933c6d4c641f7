// New records of a log as they are written, until the person interrupts or nobody reads any more.

import { type RunRecord, readRecords } from '@holdfast/hooks'

const LOOK_MS = 200
/** More runs than this between two looks are told of when they are read as a whole. */
const AT_ONCE = 1000

/** Records are found by their ids, which grow: a file that was set aside and begun anew changes nothing. */
export function follow(file: string, tell: (fresh: readonly RunRecord[]) => boolean): Promise<void> {
  let last = newest(readRecords(file, { limit: 1 }).records) ?? ''
  return new Promise(resolve => {
    const look = setInterval(() => {
      const fresh = readRecords(file, { limit: AT_ONCE }).records.filter(({ id }) => id > last)
      last = newest(fresh) ?? last
      if (fresh.length > 0 && !tell(fresh)) stop()
    }, LOOK_MS)
    const stop = () => {
      clearInterval(look)
      resolve()
    }
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  })
}

const newest = (records: readonly RunRecord[]): string | undefined =>
  records.reduce<string | undefined>(
    (best, { id }) => (best === undefined || id > best ? id : best),
    undefined,
  )
