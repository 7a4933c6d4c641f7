// One line for each entry, from as many processes as there are.

import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const { O_APPEND, O_CREAT, O_RDWR } = constants

/** Adds one JSON line. The file and its folders are made when they are missing, for this person only. */
export function appendAudit(file: string, entry: Readonly<Record<string, unknown>>): void {
  const line = `${JSON.stringify(entry)}\n`
  const fd = open(file)
  try {
    // In one write the line cannot mix with another's. A line that a crash cut off is ended first.
    const bytes = Buffer.from(endsInLine(fd) ? line : `\n${line}`)
    if (writeSync(fd, bytes) !== bytes.length) throw new Error(`${file}: the line could not be written whole`)
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

/** A writer at work looks like a line that was cut off, for a moment: it is looked at again before it is believed. */
function endsInLine(fd: number): boolean {
  for (let look = 0; look < 10; look++) {
    const { size } = fstatSync(fd)
    const last = Buffer.alloc(1)
    if (size === 0 || readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === NEWLINE) return true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
  }
  return false
}

const NEWLINE = 0x0a
