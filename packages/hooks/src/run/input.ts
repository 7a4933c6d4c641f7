// The payload as a stdin that any hook can read. Node's own pipe is a socket, which a hook cannot open as
// /dev/stdin; an unlinked file can be opened, cannot break, and is as fast. Hooks of different sources never
// share a file: who can write to its own stdin must not reach what a higher source reads.

import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Input {
  readonly bytes: Buffer
  /** A descriptor at the start of the payload, owned by the caller; undefined where only a pipe will do. */
  open(rank: number): number | undefined
  close(): void
}

export function openInput(payload: unknown, platform: NodeJS.Platform, random: () => string): Input {
  const bytes = Buffer.from(JSON.stringify(payload))
  const files = new Map<number, number>()
  return {
    bytes,
    open(rank) {
      if (platform === 'win32') return undefined
      const shared = files.get(rank)
      if (shared !== undefined) return reopen(shared) ?? writeFile(bytes, random)
      const fd = writeFile(bytes, random)
      // Copies of large payloads are worth sparing; a small one is written as fast as it is opened again.
      if (fd !== undefined && platform === 'linux' && bytes.length > SHARE_FROM) {
        files.set(rank, fd)
        return reopen(fd) ?? writeFile(bytes, random)
      }
      return fd
    },
    close() {
      for (const fd of files.values()) closeSync(fd)
      files.clear()
    },
  }
}

const SHARE_FROM = 256 * 1024

/** Memory first; the folder for temporary files where there is no room or no such thing. */
const folders = ['/dev/shm', tmpdir()]

function writeFile(bytes: Buffer, random: () => string): number | undefined {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants
  for (const folder of folders) {
    const path = join(folder, `holdfast-${process.pid}-${random()}`)
    let fd: number | undefined
    try {
      fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
      unlinkSync(path)
      // Written by position, so that the descriptor itself stays at the start.
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at)
      return fd
    } catch {
      if (fd !== undefined) closeSync(fd)
    }
  }
  return undefined
}

function reopen(fd: number): number | undefined {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY)
  } catch {
    return undefined
  }
}
