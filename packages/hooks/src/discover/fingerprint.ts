// Content hashes of the files that the hooks of one source may run. Hashing is bounded, never waits for a pipe or device,
// and gives way to the event loop, because the files belong to a project that is not trusted yet.

import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  read,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Draft } from '../config/entry.js'
import {
  ageless,
  currentStamp,
  listFolder,
  readFile,
  readStamp,
  reasonOf,
  statOf,
  storeReading,
} from '../config/file.js'
import { matcherText } from '../config/matcher.js'
import { Turns } from '../config/turns.js'
import type { Dialect, Script } from '../protocol/config.js'

const MOST_FILES = 2000
const MOST_BYTES = 64 * 1024 * 1024
/** Files, folders, links and absent paths. All are compared before each event. */
const MOST_PATHS = 5000
/** Words of commands that are looked up. Most are not paths. */
const MOST_LOOKUPS = 20_000
const LARGEST_PACKAGE = 1024 * 1024
const CHUNK_BYTES = 256 * 1024
/** Larger files are read in the thread pool, because a slow disk would block the event loop. */
const SMALL_BYTES = 16 * 1024

/** Why the files of a source cannot be covered. */
export class CoverageError extends Error {}

let crypto: typeof import('node:crypto') | undefined

/** Call before the first hash. node:crypto takes milliseconds to load, and most processes need no hash. */
export async function loadHash(): Promise<void> {
  crypto ??= await import('node:crypto')
}

const sha256 = (data: string): string => crypto!.createHash('sha256').update(data).digest('hex')

/** Files that were hashed, and folders that were listed, when they were verified, by path. */
export type KnownFiles = ReadonlyMap<string, { readonly stats: BigIntStats; readonly sha256: string }>

/** Paths from the root of the project, and the digests of what is there. */
export type Digests = readonly (readonly [string, string])[]

/** Hashes the files of one source. Each path is read once, and the limits apply to all of them together. */
export class Hasher {
  private readonly digests = new Map<string, string>()
  private readonly stamps = new Map<string, string>()
  private readonly turns = new Turns()
  private files = 0
  private bytes = 0
  private lookups = 0

  /** `own`: the configuration file of the source. Its definitions are covered, so its layout does not count. */
  constructor(
    private readonly own: string,
    private readonly known: KnownFiles = new Map(),
  ) {}

  /** Every path that was examined, with its stamp: a different stamp means that it must be hashed again. */
  get paths(): readonly Script[] {
    return [...this.stamps].map(([path, stamp]) => Object.freeze({ path, stamp }))
  }

  /** The digest of a file, or of a folder with everything in it. An absent path has a digest, too. */
  async digest(path: string): Promise<string> {
    await this.turns.giveWay()
    return this.visit(path, [])
  }

  /** For a path that does not matter while it is absent: undefined then, and its later creation is not noticed. */
  async digestIfPresent(path: string): Promise<string | undefined> {
    if (!this.digests.has(path) && ++this.lookups > MOST_LOOKUPS)
      throw new CoverageError(`its commands have more than ${MOST_LOOKUPS} different words`)
    await this.turns.giveWay()
    return statOf(path) ? this.visit(path, []) : undefined
  }

  /** Of the names in a folder, without their content. */
  digestNames(folder: string): string {
    const stats = this.known.get(folder)?.stats ?? statOf(folder)
    storeReading(folder, stats)
    this.stamps.set(folder, readStamp(stats))
    return sha256(JSON.stringify(listFolder(folder).toSorted()))
  }

  /**
   * Of a package.json above the scripts: whether Node reads `.js` files as modules. With another type a guard ends before it
   * can deny, and so it does if the file is broken. All other changes of the file are normal, and do not end trust.
   */
  digestModuleType(path: string): string | undefined {
    const file = readFile(path, LARGEST_PACKAGE)
    this.stamps.set(path, readStamp('stats' in file ? file.stats : undefined))
    if (file.kind === 'absent') return undefined
    if (file.kind !== 'read') throw new CoverageError(`${path} cannot be read, or is larger than 1 MiB`)
    const text = file.bytes.toString('utf8')
    try {
      const { type } = JSON.parse(text) as { readonly type?: unknown }
      return type === undefined ? undefined : `type ${JSON.stringify(type)}`
    } catch {
      return `broken ${sha256(text)}`
    }
  }

  /** `above`: the folders that led here, to end loops of links. */
  private async visit(path: string, above: readonly string[]): Promise<string> {
    const cached = this.digests.get(path)
    if (cached !== undefined) return cached
    const digest = await this.read(path, above)
    this.digests.set(path, digest)
    return digest
  }

  private async read(path: string, above: readonly string[]): Promise<string> {
    if (this.stamps.size >= MOST_PATHS) throw new CoverageError(`it covers more than ${MOST_PATHS} paths`)
    try {
      const known = this.known.get(path)
      const entry = known?.stats ?? lstatSync(path, { bigint: true, throwIfNoEntry: false })
      const stats = entry?.isSymbolicLink() ? statOf(path) : entry
      storeReading(path, stats)
      this.stamps.set(path, readStamp(stats))
      const target = entry?.isSymbolicLink() ? readlinkSync(path) : ''
      if (!stats) return `absent ${target}`
      if (stats.isDirectory()) return `folder ${target} ${await this.readFolder(path, above)}`
      if (!stats.isFile()) return `special ${target}`
      return `file ${target} ${known?.sha256 ?? (await this.readFile(path))}`
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
      await this.turns.giveWay()
      lines.push(JSON.stringify([name, await this.visit(child, inside)]))
    }
    return sha256(lines.join('\n'))
  }

  private async readFile(path: string): Promise<string> {
    if (++this.files > MOST_FILES) throw tooManyFiles()
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const { size } = fstatSync(fd)
      if (this.bytes + size > MOST_BYTES) throw tooManyBytes()
      const hash = crypto!.createHash('sha256')
      const chunk = Buffer.allocUnsafe(Math.min(size + 1, CHUNK_BYTES))
      for (;;) {
        const length = size > SMALL_BYTES ? await readChunk(fd, chunk) : readSync(fd, chunk)
        if (length === 0) return hash.digest('hex')
        this.bytes += length
        if (this.bytes > MOST_BYTES) throw tooManyBytes()
        hash.update(chunk.subarray(0, length))
        await this.turns.giveWay()
      }
    } finally {
      closeSync(fd)
    }
  }
}

const readChunk = (fd: number, chunk: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    read(fd, chunk, 0, chunk.length, null, (error, length) => (error ? reject(error) : resolve(length)))
  })

const tooManyFiles = () => new CoverageError(`it covers more than ${MOST_FILES} files`)
const tooManyBytes = () =>
  new CoverageError(`its files are larger than ${MOST_BYTES / 1024 / 1024} MiB together`)

/** Of the definition and the content of the files that it may run. */
export function fingerprintOf(draft: Draft, dialect: Dialect, digests: Digests): string {
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
    ...(draft.async ? ['async'] : []),
    ...(draft.url === undefined ? [] : [draft.url, draft.headers ?? null]),
  ]
  return sha256(JSON.stringify([definition, digests]))
}

/** Whether a path still is what it was when it was hashed. Cheap enough for every event. */
export const isUnchanged = ({ path, stamp }: Script): boolean => currentStamp(path) === stamp

/** For the end of the process, when a file that changed a moment ago cannot be read again. */
export const isUnchangedAtEnd = ({ path, stamp }: Script): boolean => currentStamp(path) === ageless(stamp)
