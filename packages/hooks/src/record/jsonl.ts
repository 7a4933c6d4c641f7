// The log as a file: one JSON object per line. Several processes may write to the same file: each event is one write with
// O_APPEND, so that lines never mix. The process that holds the lock rotates, after it has checked the size again.

import { closeSync, constants, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
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

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code
