// Records that wait to be sent. The engine appends to active.jsonl; only the sender moves that file away, and from then
// on its name and byte offsets number the records. A small file beside it holds the offset up to which they are stored.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { jsonBytes, listFolder, readJson } from '@holdfast/hooks/team'
import type { Disk } from './disk.js'

export interface Segment {
  readonly id: string
  readonly file: string
  readonly size: number
  /** Everything before this offset is stored, or was dropped. */
  readonly done: number
  /** When it was last written to, or moved away. */
  readonly touchedMs: number
}

const ACTIVE = 'active.jsonl'
const SEGMENT = /^([0-9a-f-]{36})\.jsonl$/
/** When a file is set aside for sending. */
const ROTATE_BYTES = 4 * 1024 * 1024
const ROTATE_MS = 60_000
/** A delayed writer may still append to a file after it was moved. */
const LINGER_MS = 10 * 60_000

/** Oldest first. */
export const segmentsOf = (folder: string): Segment[] =>
  listFolder(folder)
    .flatMap(name => {
      const id = SEGMENT.exec(name)?.[1]
      return id === undefined ? [] : (readSegment(folder, id) ?? [])
    })
    .sort((a, b) => a.touchedMs - b.touchedMs || (a.id < b.id ? -1 : 1))

function readSegment(folder: string, id: string): Segment | undefined {
  const file = join(folder, `${id}.jsonl`)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile()) return undefined
  const { done } = readJson(ackFile(folder, id)) ?? {}
  const isOffset = Number.isSafeInteger(done) && (done as number) >= 0
  return {
    id,
    file,
    size: stats.size,
    // A lost or wrong note only causes sending again.
    done: isOffset ? Math.min(done as number, stats.size) : 0,
    touchedMs: Math.max(stats.mtimeMs, stats.ctimeMs),
  }
}

const ackFile = (folder: string, id: string) => join(folder, `${id}.ack`)

export const noteDone = (folder: string, disk: Disk, id: string, done: number): void =>
  disk.replace(ackFile(folder, id), jsonBytes({ done }), 0o600)

/** Moves the active file away if it is large or old enough, or on request. */
export function rotate(folder: string, disk: Disk, unique: string, now: number, isUrgent: boolean): void {
  const active = join(folder, ACTIVE)
  const stats = lstatSync(active, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size === 0) return
  if (!isUrgent && stats.size < ROTATE_BYTES && now - stats.birthtimeMs < ROTATE_MS) return
  disk.move(active, join(folder, `${unique}.jsonl`))
}

/** Segments that are stored and cannot grow any more. */
export function dropDone(folder: string, disk: Disk, now: number): void {
  for (const segment of segmentsOf(folder))
    if (segment.done >= segment.size) dropIfStill(folder, disk, segment, now)
}

export function dropIfStill(folder: string, disk: Disk, { id, file, touchedMs }: Segment, now: number): void {
  if (now - touchedMs < LINGER_MS) return
  disk.remove(file)
  disk.remove(ackFile(folder, id))
}

/** The number of waiting lines, of all writers. */
export function countQueued(folder: string): number {
  const active = lstatSync(join(folder, ACTIVE), { throwIfNoEntry: false })
  const waiting = active?.isFile() ? countLines(join(folder, ACTIVE), 0, active.size) : 0
  return segmentsOf(folder).reduce((sum, { file, done, size }) => sum + countLines(file, done, size), waiting)
}

/** Empty lines do not count. A file that vanished meanwhile has none. */
function countLines(file: string, from: number, to: number): number {
  let [count, before] = [0, NEWLINE]
  try {
    for (const chunk of chunksOf(file, from, to)) {
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
        if ((at > 0 ? chunk[at - 1] : before) !== NEWLINE) count++
      }
      before = chunk.at(-1) ?? NEWLINE
    }
  } catch {
    return count
  }
  return count
}

const CHUNK = 1024 * 1024
export const NEWLINE = 10

export function* chunksOf(file: string, from: number, to: number): Generator<Buffer> {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const end = Math.min(to, fstatSync(fd).size)
    for (let at = from; at < end; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - at))
      const read = readSync(fd, chunk, 0, chunk.length, at)
      if (read === 0) return
      at += read
      yield chunk.subarray(0, read)
    }
  } finally {
    closeSync(fd)
  }
}
