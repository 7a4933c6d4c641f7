// Where the daemon of a home folder listens, and whether a caller is in the same place: hooks that the daemon starts must
// see the files, users and networks that they would see if the caller started them.

import { lstatSync, mkdirSync, readlinkSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'

export const runFolder = (home: string): string => join(home, '.holdfast', 'run')
export const daemonLog = (home: string): string => join(home, '.holdfast', 'log', 'daemon.log')
export const socketIn = (folder: string): string => join(folder, 'daemon.sock')
export const proofIn = (folder: string, token: string): string => join(folder, `call-${token}`)

/** Of the address of a socket, with its zero byte. */
const LONGEST_SOCKET = process.platform === 'darwin' ? 104 : 108

/** Why no daemon can listen for this home folder; undefined if one can. */
export function placeProblem(home: string): string | undefined {
  // Named pipes have other rules of access, and there is no native client for Windows.
  if (process.platform === 'win32') return 'On Windows, each event starts Node.'
  const path = socketIn(runFolder(home))
  if (Buffer.byteLength(path) >= LONGEST_SOCKET) return `${path} is too long for a socket.`
  return undefined
}

/** Throws if another user may enter the folder, or if there is no home folder: a daemon must not create one. */
export function openRunFolder(home: string): string {
  const folder = runFolder(home)
  statSync(home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!isOwnFolder(folder)) throw new Error(`${folder} must be a folder that only you can open (mode 0700).`)
  return folder
}

export function isOwnFolder(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && stats.uid === process.getuid!() && (stats.mode & 0o077) === 0
}

/**
 * Whether the caller created a file beside the socket; removes it. A program in a sandbox may reach the socket, and must
 * not make the daemon start programs outside of the sandbox.
 */
export function takeProof(folder: string, token: string): boolean {
  if (!/^[0-9a-f]{32}$/.test(token)) return false
  const path = proofIn(folder, token)
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.uid !== process.getuid!()) return false
  try {
    unlinkSync(path)
    return true
  } catch {
    // The caller has stopped waiting.
    return false
  }
}

const NAMESPACES = ['mnt', 'user', 'pid', 'net', 'ipc']

/** As packages/cli/client writes it. */
export function ownPlace(): string {
  const spaces =
    process.platform === 'linux' ? NAMESPACES.map(name => `${readlinkSync(`/proc/self/ns/${name}`)} `) : []
  const { dev, ino } = statSync('/', { bigint: true })
  return `${spaces.join('')}${dev}:${ino} ${process.umask().toString(8)} ${process.getegid!()}`
}
