// The payload as a stdin that any hook can read. Node's own pipe is a socket, which a hook cannot open as
// /dev/stdin; a file without a name can be opened, cannot break, and is as fast. Hooks of different sources never
// share a file: a hook that writes to its own stdin must not change the input of a higher source.

import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyFields, payloadText } from '../protocol/payload.js'

export interface Input {
  readonly bytes: Buffer
  /** A descriptor at the start of the payload, owned by the caller; undefined where only a pipe will do. */
  open(rank: number): number | undefined
  close(): void
}

export function openInput(payload: AnyFields, platform: NodeJS.Platform, random: () => string): Input {
  const bytes = Buffer.from(payloadText(payload))
  const files = new Map<number, number>()
  return {
    bytes,
    open(rank) {
      if (platform === 'win32') return undefined
      const shared = files.get(rank)
      if (shared !== undefined) return reopen(shared) ?? writeFile(bytes, platform, random)
      const fd = writeFile(bytes, platform, random)
      // Copies of large payloads are worth sparing; a small one is written as fast as it is opened again.
      if (fd !== undefined && platform === 'linux' && bytes.length > SHARE_FROM) {
        files.set(rank, fd)
        return reopen(fd) ?? writeFile(bytes, platform, random)
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

function writeFile(bytes: Buffer, platform: NodeJS.Platform, random: () => string): number | undefined {
  for (const folder of folders) {
    let fd: number | undefined
    try {
      fd =
        takeSpare(folder) ??
        (platform === 'linux' ? openNameless(folder, random) : openUnlinked(folder, random))
      // Written by position, so that the descriptor itself stays at the start.
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at)
      return fd
    } catch {
      if (fd !== undefined) closeSync(fd)
    }
  }
  return undefined
}

/** The next file is opened in advance, right after the last one was taken. */
let spare: { folder: string; fd: number } | undefined

function takeSpare(folder: string): number | undefined {
  if (spare?.folder !== folder) return undefined
  const { fd } = spare
  spare = undefined
  openSpareLater(folder)
  return fd
}

function openSpareLater(folder: string): void {
  setImmediate(() => {
    try {
      spare ??= { folder, fd: openSync(folder, NAMELESS, 0o600) }
    } catch {
      // then the next one is opened when it is needed
    }
  })
}

/** O_TMPFILE, which Node has no name for: a file that never had one. Not every file system of Linux knows it. */
const NAMELESS = constants.O_RDWR | constants.O_DIRECTORY | 0o20000000

function openNameless(folder: string, random: () => string): number {
  try {
    const fd = openSync(folder, NAMELESS, 0o600)
    openSpareLater(folder)
    return fd
  } catch {
    return openUnlinked(folder, random)
  }
}

function openUnlinked(folder: string, random: () => string): number {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants
  const path = join(folder, `holdfast-${process.pid}-${random()}`)
  const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  unlinkSync(path)
  return fd
}

function reopen(fd: number): number | undefined {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY)
  } catch {
    return undefined
  }
}
