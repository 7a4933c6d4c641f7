// The log as a file: one JSON object per line. Several processes may write to the same file: each event is one write with
// O_APPEND, so that lines never mix. The process that holds the lock rotates, after it has checked the size again.

import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { type Held, tryLock } from '../lock.js'
import type { RunRecord } from './record.js'

export interface JsonlOptions {
  readonly path: string
  /** A file that would grow beyond this is rotated first. */
  readonly maxBytes?: number
  /** Files in all: with 3, runs.jsonl, runs.jsonl.1 and runs.jsonl.2. */
  readonly keep?: number
}

export interface Jsonl {
  /** Never throws; problem() returns the error. */
  append(records: readonly RunRecord[]): void
  problem(): string | null
}

const MAX_BYTES = 5 * 1024 * 1024
const KEEP = 3

export function openJsonl({ path, maxBytes = MAX_BYTES, keep = KEEP }: JsonlOptions): Jsonl {
  const lost = countLost(path)
  const makeFolder = () => void mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return {
    append(records) {
      if (records.length === 0) return
      try {
        const data = toLines(records)
        const size = sizeOf(path)
        if (size > 0 && size + data.length > maxBytes) rotate(path, data.length, maxBytes, keep)
        const fd = openForLines(path, makeFolder)
        try {
          writeLines(fd, data)
        } finally {
          closeSync(fd)
        }
      } catch (error) {
        lost.add(records.length, error)
      }
    },
    problem: lost.problem,
  }
}

export const toLines = (values: readonly unknown[]): Buffer =>
  Buffer.from(values.map(value => `${JSON.stringify(value)}\n`).join(''))

// A pipe in the place of the file must not block the host until a process reads it.
const FLAGS = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | (constants.O_NONBLOCK ?? 0)

export function openForLines(path: string, makeFolder: () => void, flags = 0): number {
  try {
    return openSync(path, FLAGS | flags, 0o600)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    makeFolder()
    return openSync(path, FLAGS | flags, 0o600)
  }
}

/** In one write, so that lines of several processes never mix. */
export function writeLines(fd: number, data: Buffer): void {
  if (writeSync(fd, data) < data.length) throw new Error('there is no space left')
}

/** How many records could not be written, and why the last of them. */
export function countLost(path: string) {
  let count = 0
  let reason = ''
  return {
    add(records: number, error: unknown): void {
      count += records
      reason = error instanceof Error ? error.message : String(error)
    },
    problem: () =>
      count === 0 ? null : `${count} ${count === 1 ? 'run' : 'runs'} not written to ${path}: ${reason}`,
  }
}

/** Renames the file. A process that finds the lock taken continues to write without rotating. */
function rotate(path: string, extra: number, maxBytes: number, keep: number): void {
  let held: Held | undefined
  try {
    held = tryLock(`${path}.lock`)
    // Another process may have rotated between our first look and the lock.
    if (!held || sizeOf(path) + extra <= maxBytes) return
    if (keep <= 1) rmSync(path, { force: true })
    for (let number = keep - 1; number >= 1; number--) {
      renameIfThere(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`)
    }
  } catch {
    // A failed rename must not overwrite files or lose the record: the file just grows longer.
  } finally {
    held?.release()
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

export interface ReadResult {
  /** Newest last. */
  readonly records: readonly RunRecord[]
  /** Lines that are truncated, or are not records. */
  readonly skipped: number
  /** Why a file could not be read; a missing file is not a problem. */
  readonly problem: string | null
}

/** The newest records over all files of a log. Reads backwards, and no further than necessary. */
export function readRecords(path: string, { limit = 100 }: { limit?: number } = {}): ReadResult {
  const records: RunRecord[] = []
  const { each, status } = openLog(path)
  if (limit > 0) {
    for (const record of each) {
      records.push(record)
      if (records.length >= limit) break
    }
  }
  return { records: records.reverse(), ...status() }
}

export interface OpenLog {
  /** Newest first, one at a time: a caller that has enough stops reading. */
  readonly each: Iterable<RunRecord>
  /** The number of skipped lines so far. */
  status(): Omit<ReadResult, 'records'>
}

/** A log of any size, to search in. */
export function openLog(path: string): OpenLog {
  let skipped = 0
  let problem: string | null = null
  function* read(): Generator<RunRecord> {
    // A rotation while reading shows the same lines twice.
    const seen = new Set<string>()
    let missing = 0
    // During a rotation one number can be absent for a moment.
    for (let number = 0; missing < 2; number++) {
      try {
        for (const line of linesBackwards(number === 0 ? path : `${path}.${number}`)) {
          if (line.length === 0) continue
          const { record, torn } = readLine(line)
          if (torn) skipped++
          if (!record || seen.has(record.id)) continue
          seen.add(record.id)
          yield record
        }
        missing = 0
      } catch (error) {
        missing++
        if (codeOf(error) !== 'ENOENT') problem ??= error instanceof Error ? error.message : String(error)
      }
    }
  }
  return { each: { [Symbol.iterator]: read }, status: () => ({ skipped, problem }) }
}

/** A truncated write has no line break, so the next record follows on the same line. */
export function readLine(line: string): { record: RunRecord | null; torn: boolean } {
  const record = parseRecord(line)
  if (record) return { record, torn: false }
  const start = line.lastIndexOf('{"id":"')
  return { record: start > 0 ? parseRecord(line.slice(start)) : null, torn: true }
}

function parseRecord(line: string): RunRecord | null {
  try {
    const value = JSON.parse(line) as Partial<RunRecord> | null
    const isRecord =
      typeof value?.id === 'string' &&
      typeof value.time === 'string' &&
      typeof value.event === 'string' &&
      typeof value.outcome === 'string' &&
      typeof value.request === 'object'
    return isRecord ? (value as RunRecord) : null
  } catch {
    return null
  }
}

const CHUNK = 64 * 1024
/** No record is longer; a file without line breaks is not a log. */
export const MAX_LINE = 4 * 1024 * 1024

function* linesBackwards(path: string): Generator<string> {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    let rest: Buffer = Buffer.alloc(0)
    for (let end = fstatSync(fd).size; end > 0; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK, end))
      end -= chunk.length
      readSync(fd, chunk, 0, chunk.length, end)
      rest = Buffer.concat([chunk, rest])
      for (let at = rest.lastIndexOf(10); at !== -1; at = rest.lastIndexOf(10)) {
        yield rest.toString('utf8', at + 1)
        rest = rest.subarray(0, at)
      }
      if (rest.length > MAX_LINE) throw new Error(`${path} is not a log: a line is longer than 4 MiB`)
    }
    if (rest.length > 0) yield rest.toString('utf8')
  } finally {
    closeSync(fd)
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code
