// The only file here that changes the disk. Modes are set regardless of the umask, links are not followed, and data
// that must survive a crash is synced before anything refers to it.

import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export interface DiskOptions {
  readonly platform: NodeJS.Platform
  /** A unique name. */
  readonly random: () => string
  /** Called before each change, for tests that interrupt a sync at every step. */
  readonly onStep?: ((step: string) => void) | undefined
}

export interface Disk {
  /** Creates it if necessary, and removes a link or a file in its place. */
  folder(path: string): void
  /** Fails if the name exists. */
  create(path: string, bytes: Uint8Array, mode: number): void
  /** Atomic for all readers, and durable. */
  replace(path: string, bytes: Uint8Array, mode: number): void
  append(path: string, bytes: Uint8Array): void
  move(from: string, to: string): void
  /** The target is relative to the folder of the link. */
  link(path: string, target: string): void
  remove(path: string): void
  sync(folder: string): void
}

/** Prefix of incomplete files, which any process may remove. */
export const UNFINISHED = '.new-'
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0
const NEW = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | O_NOFOLLOW

export function openDisk({ platform, random, onStep = () => {} }: DiskOptions): Disk {
  const beside = (path: string) => join(dirname(path), `${UNFINISHED}${random()}`)
  const isWindows = platform === 'win32'

  const write = (path: string, flags: number, bytes: Uint8Array, mode: number) => {
    const fd = openSync(path, flags, mode)
    try {
      if (!isWindows) fchmodSync(fd, mode)
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      onStep(`sync ${path}`)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  }

  const disk: Disk = {
    folder(path) {
      const found = lstatSync(path, { throwIfNoEntry: false })
      const there = found?.isDirectory() ? found : undefined
      if (found && !there) disk.remove(path)
      if (!there) {
        if (!existsSync(dirname(path))) disk.folder(dirname(path))
        onStep(`folder ${path}`)
        mkdirSync(path, { mode: 0o700 })
      }
      if (!isWindows && (there?.mode ?? 0) % 0o1000 !== 0o700) chmodSync(path, 0o700)
      if (!there) disk.sync(dirname(path))
    },
    create(path, bytes, mode) {
      onStep(`create ${path}`)
      write(path, NEW, bytes, mode)
    },
    replace(path, bytes, mode) {
      const half = beside(path)
      try {
        disk.create(half, bytes, mode)
        // A folder in the place of a file cannot be replaced in one step.
        if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) disk.remove(path)
        disk.move(half, path)
      } catch (error) {
        rmSync(half, { force: true })
        throw error
      }
      disk.sync(dirname(path))
    },
    append(path, bytes) {
      onStep(`append ${path}`)
      const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | O_NOFOLLOW
      write(path, flags, bytes, 0o600)
    },
    move(from, to) {
      onStep(`move ${to}`)
      renameSync(from, to)
    },
    link(path, target) {
      const half = beside(path)
      onStep(`link ${path}`)
      // On Windows every user may create junctions, and only some symbolic links.
      symlinkSync(isWindows ? resolve(dirname(path), target) : target, half, isWindows ? 'junction' : 'dir')
      const there = lstatSync(path, { throwIfNoEntry: false })
      // A folder in the place of the link cannot be replaced in one step, and Windows replaces no junction.
      if (there?.isDirectory()) disk.move(path, beside(path))
      else if (there && isWindows) unlinkSync(path)
      disk.move(half, path)
      disk.sync(dirname(path))
    },
    remove(path) {
      onStep(`remove ${path}`)
      rmSync(path, { recursive: true, force: true })
    },
    sync(folder) {
      // Windows has no handle for it.
      if (isWindows) return
      onStep(`sync ${folder}`)
      const fd = openSync(folder, constants.O_RDONLY)
      try {
        fsyncSync(fd)
      } finally {
        closeSync(fd)
      }
    },
  }
  return disk
}
