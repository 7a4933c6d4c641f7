// Records that wait to be sent to a team: `<queue>/active.jsonl`, one JSON object per line. Any number of processes
// append to it. One sender in another process renames the file and then reads it.
//
// - One event is one write with O_APPEND, so lines never mix. The write begins with a line break: if a process is killed
//   in the middle of it, only that half line is lost. Empty lines have no meaning.
// - The sender may rename and read the file between our opening and our writing. So we check afterwards whether the file
//   still has its name, and if not write again into the new one. A record that is written twice has the same id.
// - The file is not rotated. Beyond 64 MiB it gets, instead of the records of an event, a short line with their number:
//   {"gap":{"from","to","count","reason":"queue-full"}}. Processes share no state, so no count is lost if one is killed.
//   Beyond 80 MiB even those end.
// - A deny and a run that failed open are on the disk before the call returns.

import { closeSync, constants, fdatasyncSync, fstatSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { countLost, openForLines, toLines, writeLines } from './jsonl.js'
import type { RunRecord } from './record.js'

export interface Queue {
  /** Never throws; problem() returns the error. */
  append(records: readonly RunRecord[], urgent: boolean): void
  problem(): string | null
}

const FULL_BYTES = 64 * 1024 * 1024
const LARGEST_BYTES = 80 * 1024 * 1024
/** How often in a row the sender may rename the file between opening and writing. */
const TURNS = 10
const LINE_BREAK = Buffer.from('\n')

export function openQueue(folder: string): Queue {
  const path = join(folder, 'active.jsonl')
  const lost = countLost(path)
  return {
    append(records, urgent) {
      if (records.length === 0) return
      try {
        const isFull = write(folder, path, records, urgent)
        if (isFull) lost.add(records.length, 'it is full, as nothing is being sent')
      } catch (error) {
        lost.add(records.length, error)
      }
    },
    problem: lost.problem,
  }
}

/** True if there was space only for the gap. */
function write(folder: string, path: string, records: readonly RunRecord[], urgent: boolean): boolean {
  for (let turn = 0; turn < TURNS; turn++) {
    const fd = openForLines(path, () => makeFolder(folder), constants.O_NOFOLLOW ?? 0)
    try {
      const file = fstatSync(fd, { bigint: true })
      if (!file.isFile()) throw new Error('it is not a file')
      if (file.size > LARGEST_BYTES) return true
      const isFull = file.size > FULL_BYTES
      writeLines(fd, Buffer.concat([LINE_BREAK, toLines(isFull ? [gapOf(records)] : records)]))
      const now = statSync(path, { bigint: true, throwIfNoEntry: false })
      if (now?.ino !== file.ino || now.dev !== file.dev) continue
      if (urgent) fdatasyncSync(fd)
      return isFull
    } finally {
      closeSync(fd)
    }
  }
  throw new Error('the file was replaced repeatedly')
}

/** Only the folder itself: the folder of a team that the user left must not be created again. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const gapOf = (records: readonly RunRecord[]) => ({
  gap: {
    from: records[0]!.time,
    to: records.at(-1)!.time,
    count: records.length,
    reason: 'queue-full',
  },
})
