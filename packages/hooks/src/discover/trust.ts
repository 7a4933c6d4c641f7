// Who said yes to which hooks. Trust belongs to a folder and a fingerprint, so a hook that changes asks again.

import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  openSync,
  closeSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readFile } from './read.js'

export interface TrustStore {
  has(root: string, fingerprint: string): boolean | Promise<boolean>
  add(root: string, fingerprints: readonly string[]): void | Promise<void>
  /** Without fingerprints: all of this root. */
  remove(root: string, fingerprints?: readonly string[]): void | Promise<void>
}

type Trusted = Map<string, Set<string>>

export function memoryTrustStore(): TrustStore {
  const trusted: Trusted = new Map()
  return {
    has: (root, fingerprint) => trusted.get(realRoot(root))?.has(fingerprint) ?? false,
    add: (root, fingerprints) => addTo(trusted, realRoot(root), fingerprints),
    remove: (root, fingerprints) => removeFrom(trusted, realRoot(root), fingerprints),
  }
}

/** A JSON file that only its owner can read. Two processes may write at once; neither loses what it adds. */
export function fileTrustStore(file: string): TrustStore {
  let cached: { stamp: string; trusted: Trusted } | undefined
  const current = (): Trusted => {
    const result = readFile(file, LARGEST)
    if (result.kind !== 'read') return new Map()
    const stamp = `${result.stats.size}-${result.stats.mtimeNs}-${result.stats.ino}`
    if (cached?.stamp !== stamp) cached = { stamp, trusted: parse(result.bytes) ?? new Map() }
    return cached.trusted
  }
  const change = async (edit: (trusted: Trusted) => void) => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const release = await lock(`${file}.lock`)
    try {
      const result = readFile(file, LARGEST)
      const trusted = result.kind === 'read' ? parse(result.bytes) : new Map<string, Set<string>>()
      if (!trusted) copyFileSync(file, `${file}.broken`)
      const next: Trusted = trusted ?? new Map()
      edit(next)
      replace(file, next)
    } finally {
      release()
    }
  }
  return {
    has: (root, fingerprint) => current().get(realRoot(root))?.has(fingerprint) ?? false,
    add: (root, fingerprints) => change(trusted => addTo(trusted, realRoot(root), fingerprints)),
    remove: (root, fingerprints) => change(trusted => removeFrom(trusted, realRoot(root), fingerprints)),
  }
}

const LARGEST = 16 * 1024 * 1024

/** The same folder under another name is the same folder. */
const realRoot = (root: string): string => {
  try {
    return realpathSync.native(root)
  } catch {
    return resolve(root)
  }
}

const addTo = (trusted: Trusted, root: string, fingerprints: readonly string[]) => {
  const known = trusted.get(root) ?? new Set()
  for (const fingerprint of fingerprints) known.add(fingerprint)
  if (known.size > 0) trusted.set(root, known)
}

const removeFrom = (trusted: Trusted, root: string, fingerprints?: readonly string[]) => {
  const known = trusted.get(root)
  for (const fingerprint of fingerprints ?? []) known?.delete(fingerprint)
  if (!fingerprints || known?.size === 0) trusted.delete(root)
}

/** Undefined when the content is not ours; nothing is trusted then. */
function parse(bytes: Buffer): Trusted | undefined {
  try {
    const { roots } = JSON.parse(bytes.toString('utf8')) as { roots: Record<string, unknown> }
    if (typeof roots !== 'object' || roots === null || Array.isArray(roots)) return undefined
    const trusted: Trusted = new Map()
    for (const [root, list] of Object.entries(roots)) {
      if (!Array.isArray(list)) return undefined
      trusted.set(root, new Set(list.filter(item => typeof item === 'string')))
    }
    return trusted
  } catch {
    return undefined
  }
}

function replace(file: string, trusted: Trusted) {
  const roots = Object.fromEntries([...trusted].map(([root, known]) => [root, [...known].sort()]))
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(temporary, `${JSON.stringify({ version: 1, roots }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

const PATIENCE_MS = 5000
/** No writer needs this long; who holds the lock longer has died. */
const STALE_MS = 3000

async function lock(file: string): Promise<() => void> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      closeSync(openSync(file, 'wx', 0o600))
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || Date.now() > until) throw error
    }
    takeAwayStale(file)
    await wait(5 + Math.random() * 10)
  }
}

/** Renamed first, so that of two who find a stale lock only one removes it. */
function takeAwayStale(file: string) {
  try {
    if (Date.now() - statSync(file).mtimeMs < STALE_MS) return
    const away = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
    renameSync(file, away)
    rmSync(away, { force: true })
  } catch {
    // somebody else was faster
  }
}
