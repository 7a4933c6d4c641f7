// Records that wait to be sent to a team: `<queue>/active.jsonl`, one JSON object per line. Any number of processes
// append to it; one sender, elsewhere, takes the file away by renaming it and reads it at leisure.
//
// - One event is one write with O_APPEND, so lines never mix. It begins with a line break: a process that was killed
//   in the middle of its write leaves half a line, and only that half is lost. So empty lines mean nothing.
// - The sender may rename the file between our opening and our writing, and may have read it by then. So we look
//   afterwards whether the file is still the one under the name, and if not write again into the new one. What is
//   written twice has the same id; nothing is written into a file that nobody reads.
// - Nobody rotates here. A file of more than 64 MiB gets no more records, but for each event a short line
//   {"gap":{"from","to","count","reason":"queue-full"}} that says how many were left out: no process need know of
//   another, and nobody's count is lost when it is killed. Beyond 80 MiB even those end.
// - A deny and a run that failed open are on the disk before we go on.

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { RunRecord } from './record.js'

export interface Queue {
  /** Never throws; what went wrong is kept for problem(). */
  append(records: readonly RunRecord[], urgent: boolean): void
  problem(): string | null
}

const FULL_BYTES = 64 * 1024 * 1024
const LARGEST_BYTES = 80 * 1024 * 1024
/** How often in a row the file may be taken away under our hands. */
const TURNS = 10
// What is no file must neither hold us up nor lead us elsewhere.
const FLAGS =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_WRONLY |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0)

export function openQueue(folder: string): Queue {
  const path = join(folder, 'active.jsonl')
  let lost = 0
  let reason = ''
  const lose = (count: number, why: string) => {
    lost += count
    reason = why
  }
  return {
    append(records, urgent) {
      if (records.length === 0) return
      try {
        const isFull = write(folder, path, records, urgent)
        if (isFull) lose(records.length, 'it is full, as nothing is being sent')
      } catch (error) {
        lose(records.length, error instanceof Error ? error.message : String(error))
      }
    },
    problem: () =>
      lost === 0 ? null : `${lost} ${lost === 1 ? 'run' : 'runs'} not written to ${path}: ${reason}`,
  }
}

/** True when there was room only for saying that there was none. */
function write(folder: string, path: string, records: readonly RunRecord[], urgent: boolean): boolean {
  for (let turn = 0; turn < TURNS; turn++) {
    const fd = open(folder, path)
    try {
      const file = fstatSync(fd, { bigint: true })
      if (!file.isFile()) throw new Error('it is not a file')
      if (file.size > LARGEST_BYTES) return true
      const isFull = file.size > FULL_BYTES
      const lines = isFull ? [gapOf(records)] : records
      const data = Buffer.from(`\n${lines.map(line => JSON.stringify(line)).join('\n')}\n`)
      if (writeSync(fd, data) < data.length) throw new Error('there is no space left')
      const now = statSync(path, { bigint: true, throwIfNoEntry: false })
      if (now?.ino !== file.ino || now.dev !== file.dev) continue
      if (urgent) fdatasyncSync(fd)
      return isFull
    } finally {
      closeSync(fd)
    }
  }
  throw new Error('it was taken away again and again')
}

/** Only the folder itself is made: a team that was left is not to appear again. */
function open(folder: string, path: string): number {
  try {
    return openSync(path, FLAGS, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return openSync(path, FLAGS, 0o600)
}

const gapOf = (records: readonly RunRecord[]) => ({
  gap: {
    from: records[0]!.time,
    to: records.at(-1)!.time,
    count: records.length,
    reason: 'queue-full',
  },
})
