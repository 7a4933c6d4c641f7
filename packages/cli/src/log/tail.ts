// A log as it grows: each call returns the records since the last one, with their positions, so that one record can be
// read again later without reading the rest. Files are identified by their content, because rotation changes all names.

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { RunRecord } from '@holdfast/hooks'
import { MAX_LINE, readLine } from './records.js'

/** Of one line: the file, and where in it. */
export interface Place {
  readonly file: string
  readonly offset: number
  readonly length: number
}

export interface Tail {
  /** Oldest first, one at a time. A line that is not finished yet comes when it is. */
  read(onRecord: (record: RunRecord, place: Place) => void): void
  /** In the same order; null where the file has been removed since. */
  recordsAt(places: readonly Place[]): (RunRecord | null)[]
  /** The number of lines so far that are not records. */
  skipped(): number
}

type OnRecord = Parameters<Tail['read']>[0]

interface Known {
  offset: number
  /** Inside a line that is too long. */
  isLost: boolean
}

const CHUNK = 1024 * 1024
/** Enough to hold the id of the first record, which no other file begins with. */
const BEGINNING = 64
/** During a rotation one number can be absent for a moment. */
const ABSENT_IN_A_ROW = 2

/** Begins no further back than `most` bytes before the end. */
export function openTail(path: string, most = Number.POSITIVE_INFINITY): Tail {
  let known = new Map<string, Known>()
  let last = { ino: 0n, size: -1n }
  let isFirst = true
  let skipped = 0

  /** Every file of the log, newest first, open. */
  const openAll = (): Opened[] => {
    const files: Opened[] = []
    for (let number = 0, absent = 0; absent < ABSENT_IN_A_ROW; number++) {
      const file = openFile(number === 0 ? path : `${path}.${number}`)
      if (file) files.push(file)
      absent = file ? 0 : absent + 1
    }
    return files
  }

  const take = ({ fd, name, size }: Opened, state: Known, onRecord: OnRecord) => {
    let buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(1, size - state.offset)))
    let length = 0
    for (let at = state.offset; at < size; ) {
      if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
      const count = readSync(fd, buffer, length, Math.min(buffer.length - length, size - at), at)
      if (count === 0) break
      at += count
      const used = takeLines(buffer.subarray(0, length + count), name, state, onRecord)
      buffer.copyWithin(0, used, length + count)
      length += count - used
      if (length <= MAX_LINE) continue
      // Something without line breaks is no log.
      if (!state.isLost) skipped++
      state.isLost = true
      state.offset += length
      length = 0
    }
  }

  /** How many of the bytes are complete lines. */
  const takeLines = (bytes: Buffer, file: string, state: Known, onRecord: OnRecord): number => {
    let start = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      if (!state.isLost && end > start) {
        const { record, torn } = readLine(bytes.toString('utf8', start, end))
        if (torn) skipped++
        if (record) onRecord(record, { file, offset: state.offset, length: end - start })
      }
      state.isLost = false
      state.offset += end + 1 - start
      start = end + 1
    }
    return start
  }

  return {
    read(onRecord) {
      const now = statSync(path, { bigint: true, throwIfNoEntry: false })
      // Nearly always: nothing was written.
      if (!isFirst && (now?.ino ?? 0n) === last.ino && (now?.size ?? -1n) === last.size) return
      const files = openAll()
      try {
        const next = new Map<string, Known>()
        let room = isFirst ? most : Number.POSITIVE_INFINITY
        for (const { name, size } of files) {
          const before = known.get(name)
          // Reading that begins in the middle of a line skips the rest of that line.
          const start = Math.max(0, size - room - 1)
          const state = before && before.offset <= size ? before : { offset: start, isLost: start > 0 }
          next.set(name, state)
          room = Math.max(0, room - size)
        }
        for (const file of files.toReversed()) take(file, next.get(file.name)!, onRecord)
        known = next
        isFirst = false
        last = { ino: now?.ino ?? 0n, size: now?.size ?? -1n }
      } finally {
        for (const { fd } of files) closeSync(fd)
      }
    },
    recordsAt(places) {
      const files = openAll()
      try {
        const byName = new Map(files.map(({ name, fd }) => [name, fd]))
        const records: (RunRecord | null)[] = []
        // Neighbouring lines are read together: a call for each costs more than their content.
        for (let from = 0, to = 0; from < places.length; from = to) {
          to = endOfBlock(places, from)
          const [first, last] = [places[from]!, places[to - 1]!]
          const fd = byName.get(first.file)
          const bytes = Buffer.alloc(fd === undefined ? 0 : last.offset + last.length - first.offset)
          if (fd !== undefined) readSync(fd, bytes, 0, bytes.length, first.offset)
          for (const { offset, length } of places.slice(from, to)) {
            const start = offset - first.offset
            records.push(
              fd === undefined ? null : readLine(bytes.toString('utf8', start, start + length)).record,
            )
          }
        }
        return records
      } finally {
        for (const { fd } of files) closeSync(fd)
      }
    },
    skipped: () => skipped,
  }
}

/** Bytes between two lines that are read although not needed. */
const LARGEST_GAP = 8 * 1024

function endOfBlock(places: readonly Place[], from: number): number {
  const { file, offset } = places[from]!
  for (let to = from + 1; to < places.length; to++) {
    const [before, next] = [places[to - 1]!, places[to]!]
    const gap = next.offset - before.offset - before.length
    const isNear = next.file === file && gap >= 0 && gap <= LARGEST_GAP
    if (!isNear || next.offset + next.length - offset > CHUNK) return to
  }
  return places.length
}

interface Opened {
  readonly fd: number
  readonly name: string
  readonly size: number
}

/** Undefined when there is no such file, or none that can be read. */
function openFile(path: string): Opened | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = fstatSync(fd, { bigint: true })
      if (!stats.isFile()) throw new Error('not a file')
      const beginning = Buffer.alloc(BEGINNING)
      const count = readSync(fd, beginning, 0, BEGINNING, 0)
      return { fd, name: `${stats.ino}:${beginning.toString('latin1', 0, count)}`, size: Number(stats.size) }
    } catch (error) {
      closeSync(fd)
      throw error
    }
  } catch {
    return undefined
  }
}
