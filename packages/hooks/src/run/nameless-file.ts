// Files that never had a name, or lost it before they were written: nobody else can open, replace or find them.

import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uniqueId } from '../protocol/unique-id.js'

/** Memory first; the folder for temporary files if that has no space or does not exist. */
const folders = ['/dev/shm', tmpdir()]

/** A descriptor at the start of a file with this text, for reading and writing; undefined where none can be written. */
export function openNameless(
  text: string,
  platform: NodeJS.Platform,
  random: () => string = uniqueId,
): number | undefined {
  for (const folder of folders) {
    let fd: number | undefined
    try {
      fd =
        takeSpare(folder) ??
        (platform === 'linux' ? openTemporary(folder, random) : openUnlinked(folder, random))
      write(fd, text)
      return fd
    } catch {
      if (fd !== undefined) closeSync(fd)
    }
  }
  return undefined
}

const PIECE = 64 * 1024
/** Used for every piece: to fill new memory takes longer than to write the file. */
let scratch: Buffer | undefined

/** By position, so that the descriptor itself stays at the start. */
function write(fd: number, text: string): void {
  scratch ??= Buffer.allocUnsafeSlow(3 * PIECE)
  let position = 0
  for (let at = 0; at < text.length; ) {
    const isSplitPair = (text.charCodeAt(at + PIECE - 1) & 0xfc00) === 0xd800
    const end = at + PIECE - (isSplitPair ? 1 : 0)
    const length = scratch.write(text.slice(at, end))
    for (let done = 0; done < length; ) {
      const written = writeSync(fd, scratch, done, length - done, position)
      done += written
      position += written
    }
    at = end
  }
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
      spare ??= { folder, fd: openSync(folder, O_TMPFILE, 0o600) }
    } catch {
      // then the next one is opened when it is needed
    }
  })
}

/** Node has no name for it. Not every file system of Linux supports it. */
const O_TMPFILE = constants.O_RDWR | constants.O_DIRECTORY | 0o20000000

function openTemporary(folder: string, random: () => string): number {
  try {
    const fd = openSync(folder, O_TMPFILE, 0o600)
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
