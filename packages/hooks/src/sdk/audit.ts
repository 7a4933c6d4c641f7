// An audit file of JSON lines, to which several processes append.

import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const { O_APPEND, O_CREAT, O_RDWR } = constants

/** Appends one JSON line. Creates the file and its folders if they are missing, readable by this user only. */
export function appendAudit(file: string, entry: Readonly<Record<string, unknown>>): void {
  const line = `${JSON.stringify(entry)}\n`
  const fd = open(file)
  try {
    // One write, so that lines of other processes do not mix with it. A line that a crash cut off is ended first.
    const bytes = Buffer.from(endsInLine(fd) ? line : `\n${line}`)
    if (writeSync(fd, bytes) !== bytes.length)
      throw new Error(`${file}: the line could not be written completely`)
  } finally {
    closeSync(fd)
  }
}

function open(file: string): number {
  try {
    return openSync(file, O_APPEND | O_CREAT | O_RDWR, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    return openSync(file, O_APPEND | O_CREAT | O_RDWR, 0o600)
  }
}

/** A line that another process is writing looks cut off for a moment, so the check is repeated. */
function endsInLine(fd: number): boolean {
  for (let attempt = 0; attempt < 10; attempt++) {
    const { size } = fstatSync(fd)
    const last = Buffer.alloc(1)
    if (size === 0 || readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === NEWLINE) return true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
  }
  return false
}

const NEWLINE = 0x0a
