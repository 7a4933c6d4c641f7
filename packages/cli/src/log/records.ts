// Reads the log of runs: one JSON object per line, newest last, over all of its files.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { RunRecord } from '@holdfast/hooks'

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

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code
