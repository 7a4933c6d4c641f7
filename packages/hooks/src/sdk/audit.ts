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
    writeSync(fd, Buffer.from(endsInLine(fd) ? line : `\n${line}`))
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

function endsInLine(fd: number): boolean {
  const { size } = fstatSync(fd)
  if (size === 0) return true
  const last = Buffer.alloc(1)
  return readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === 0x0a
}
