// New records of a log as they are written, until the person interrupts or nobody reads any more.

import { openTail, type RunRecord } from '@holdfast/hooks'

const LOOK_MS = 200

export function follow(file: string, tell: (fresh: readonly RunRecord[]) => boolean): Promise<void> {
  const tail = openTail(file, 0)
  tail.read(() => {})
  return new Promise(resolve => {
    const look = setInterval(() => {
      const fresh: RunRecord[] = []
      tail.read(record => fresh.push(record))
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
