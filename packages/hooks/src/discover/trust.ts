// Which hooks the user trusts. Trust is for a folder and a fingerprint, so a hook that changes must be trusted again.

import { copyFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { currentStamp, readFile, readStamp, realPath } from '../config/file.js'
import { rewrite } from '../lock.js'

export interface TrustStore {
  /** Its file, if it has one: the engine follows its changes. */
  readonly file?: string
  has(root: string, fingerprint: string): boolean | Promise<boolean>
  /** Whether any hook of this root is trusted (default: true). */
  knows?(root: string): boolean
  add(root: string, fingerprints: readonly string[]): void | Promise<void>
  /** (default: all fingerprints of this root) */
  remove(root: string, fingerprints?: readonly string[]): void | Promise<void>
}

type Trusted = Map<string, Set<string>>

export function memoryTrustStore(): TrustStore {
  const trusted: Trusted = new Map()
  return {
    has: (root, fingerprint) => trusted.get(realRoot(root))?.has(fingerprint) ?? false,
    knows: root => trusted.has(realRoot(root)),
    add: (root, fingerprints) => addTo(trusted, realRoot(root), fingerprints),
    remove: (root, fingerprints) => removeFrom(trusted, realRoot(root), fingerprints),
  }
}

/** A JSON file that only its owner can read. Several processes may write at once, and no entry is lost. */
export function fileTrustStore(file: string): TrustStore {
  let cached: { stamp: string; trusted: Trusted } | undefined
  /** Read again whenever the file has changed, because another process may have withdrawn trust. */
  const current = (): Trusted => {
    if (cached && cached.stamp === currentStamp(file)) return cached.trusted
    const result = readFile(file, LARGEST)
    const isRead = result.kind === 'read'
    cached = {
      stamp: readStamp(isRead ? result.stats : undefined),
      trusted: (isRead ? parse(result.bytes) : undefined) ?? new Map(),
    }
    return cached.trusted
  }
  const change = (edit: (trusted: Trusted) => void) =>
    rewrite(file, () => {
      const result = readFile(file, LARGEST)
      // It contains the trust of other projects, so a file that cannot be read is not replaced.
      if (result.kind !== 'read' && result.kind !== 'absent')
        throw new Error(result.kind === 'too-large' ? 'the file is larger than 16 MiB' : result.reason)
      const trusted = result.kind === 'read' ? parse(result.bytes) : new Map<string, Set<string>>()
      if (!trusted) copyFileSync(file, `${file}.broken`)
      const next: Trusted = trusted ?? new Map()
      edit(next)
      return textOf(next)
    })
  return {
    file,
    has: (root, fingerprint) => current().get(realRoot(root))?.has(fingerprint) ?? false,
    knows: root => current().has(realRoot(root)),
    add: (root, fingerprints) => change(trusted => addTo(trusted, realRoot(root), fingerprints)),
    remove: (root, fingerprints) => change(trusted => removeFrom(trusted, realRoot(root), fingerprints)),
  }
}

const LARGEST = 16 * 1024 * 1024

/** A folder has the same trust under each of its names. */
const realRoot = (root: string): string => realPath(resolve(root))

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

/** Undefined if the content is not valid; nothing is trusted then. */
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

function textOf(trusted: Trusted): string {
  const roots = Object.fromEntries([...trusted].map(([root, known]) => [root, [...known].sort()]))
  return `${JSON.stringify({ version: 1, roots }, null, 2)}\n`
}
