// Content hashes of the files that hooks of one source may run. Hashing is bounded, never waits for a pipe or device,
// and gives way to the event loop, because the files belong to a project that nobody has trusted yet.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs'
import { join, relative, sep } from 'node:path'
import { clockMs } from '../protocol/clock.js'
import type { Dialect, Script } from '../protocol/config.js'
import type { Draft } from './draft.js'
import { matcherText } from './matcher.js'
import { reasonOf } from './read.js'
import { ABSENT, ageless, readStamp, rememberReading, stampOf, statOf } from './stamps.js'

const MOST_FILES = 2000
const MOST_BYTES = 64 * 1024 * 1024
/** Words of commands that are looked up. Most are not paths. */
const MOST_LOOKUPS = 20_000
/** Work between two turns of the event loop. */
const TURN_MS = 8
const CHUNK_BYTES = 256 * 1024

/** Why the files of a source cannot be covered. */
export class CoverageError extends Error {}

let crypto: typeof import('node:crypto') | undefined

/** Call before the first hash. Loaded late, because node:crypto takes milliseconds and most runs need no hash. */
export async function loadHash(): Promise<void> {
  crypto ??= await import('node:crypto')
}

export const sha256 = (data: string | Buffer): string =>
  crypto!.createHash('sha256').update(data).digest('hex')

/** Hashes the files of one source. Each path is read once, and the limits hold for all of them together. */
export class Hasher {
  private readonly digests = new Map<string, string>()
  private readonly stamps = new Map<string, string>()
  private files = 0
  private bytes = 0
  private lookups = 0
  private turnBegan = clockMs()

  /** `own`: the configuration file of the source. Its definitions are covered, so its layout does not count. */
  constructor(private readonly own: string) {}

  /** Every path that was looked at, with its stamp: a different stamp means that it must be hashed again. */
  get paths(): readonly Script[] {
    return [...this.stamps].map(([path, stamp]) => Object.freeze({ path, stamp }))
  }

  /** The digest of a file, or of a folder with everything in it. An absent path has a digest, too. */
  async digest(path: string): Promise<string> {
    await this.giveWay()
    return this.visit(path, [])
  }

  /** The same for a path that does not matter while it is absent: undefined then, and its later creation is not noticed. */
  async digestIfPresent(path: string): Promise<string | undefined> {
    if (!this.digests.has(path) && ++this.lookups > MOST_LOOKUPS)
      throw new CoverageError(`its commands have more than ${MOST_LOOKUPS} different words`)
    await this.giveWay()
    return statOf(path) ? this.visit(path, []) : undefined
  }

  /** `above`: the folders that led here, to end loops of links. */
  private async visit(path: string, above: readonly string[]): Promise<string> {
    const known = this.digests.get(path)
    if (known !== undefined) return known
    const digest = await this.read(path, above)
    this.digests.set(path, digest)
    return digest
  }

  private async read(path: string, above: readonly string[]): Promise<string> {
    try {
      const entry = lstatSync(path, { bigint: true, throwIfNoEntry: false })
      const stats = entry?.isSymbolicLink() ? statOf(path) : entry
      rememberReading(path, stats)
      this.stamps.set(path, readStamp(stats))
      const target = entry?.isSymbolicLink() ? readlinkSync(path) : ''
      if (!stats) return `absent ${target}`
      if (stats.isDirectory()) return `folder ${target} ${await this.readFolder(path, above)}`
      if (!stats.isFile()) return `special ${target}`
      return `file ${target} ${await this.readFile(path)}`
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
      throw new CoverageError(`${path} cannot be read: ${reasonOf(error)}`)
    }
  }

  private async readFolder(path: string, above: readonly string[]): Promise<string> {
    const real = realpathSync.native(path)
    if (above.includes(real)) return 'loop'
    const names: string[] = []
    const folder = opendirSync(path)
    try {
      for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
        names.push(entry.name)
        if (this.files + names.length > MOST_FILES) throw tooManyFiles()
      }
    } finally {
      folder.closeSync()
    }
    const inside = [...above, real]
    const lines: string[] = []
    for (const name of names.sort()) {
      const child = join(path, name)
      if (child === this.own) continue
      await this.giveWay()
      lines.push(JSON.stringify([name, await this.visit(child, inside)]))
    }
    return sha256(lines.join('\n'))
  }

  private async readFile(path: string): Promise<string> {
    if (++this.files > MOST_FILES) throw tooManyFiles()
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      if (this.bytes + fstatSync(fd).size > MOST_BYTES) throw tooManyBytes()
      const hash = crypto!.createHash('sha256')
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      for (let length = readSync(fd, chunk); length > 0; length = readSync(fd, chunk)) {
        this.bytes += length
        if (this.bytes > MOST_BYTES) throw tooManyBytes()
        hash.update(chunk.subarray(0, length))
        await this.giveWay()
      }
      return hash.digest('hex')
    } finally {
      closeSync(fd)
    }
  }

  private async giveWay(): Promise<void> {
    if (clockMs() - this.turnBegan < TURN_MS) return
    await new Promise(resolve => setImmediate(resolve))
    this.turnBegan = clockMs()
  }
}

const tooManyFiles = () => new CoverageError(`it covers more than ${MOST_FILES} files`)
const tooManyBytes = () =>
  new CoverageError(`its files are larger than ${MOST_BYTES / 1024 / 1024} MiB together`)

/** What a hook is: its definition and the content of the files that it may run. */
export function fingerprintOf(
  draft: Draft,
  dialect: Dialect,
  digests: readonly (readonly [string, string])[],
): string {
  const definition = [
    draft.event,
    draft.type,
    draft.command ?? null,
    draft.prompt ?? null,
    draft.model ?? null,
    matcherText(draft.matcher),
    draft.timeoutMs,
    draft.failClosed ?? null,
    draft.loopLimit,
    dialect,
  ]
  return sha256(JSON.stringify([definition, digests]))
}

/** The same on every machine that has the project, wherever it is. */
export const fromRoot = (root: string, path: string): string => relative(root, path).replaceAll(sep, '/')

/** Whether a path still is what it was when it was hashed. Cheap enough to ask before each run. */
export const isUnchanged = ({ path, stamp }: Script): boolean => {
  const stats = statOf(path)
  return (stats ? stampOf(stats) : ABSENT) === stamp
}

/** The same at the end of the process, when a file that changed a moment ago cannot be read again. */
export const isUnchangedAtEnd = ({ path, stamp }: Script): boolean =>
  isUnchanged({ path, stamp: ageless(stamp) })
