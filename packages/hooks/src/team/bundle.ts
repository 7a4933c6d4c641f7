// One set of hooks in the store, compared with what was signed: its envelopes, its manifest and every script.

import { type BigIntStats, type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isFolder, readFile, reasonOf } from '../config/file.js'
import { type Envelope, type Expected, envelopeRejection, LIMITS, parseEnvelope, sha256 } from './envelope.js'
import { type LeasePayload, readLease } from './lease.js'
import { readPlain } from './place.js'
import {
  CLIENT_FILES,
  isFor,
  jsonBytes,
  killedManifest,
  manifestOf,
  type OperatingSystem,
  type ReleasePayload,
  readRelease,
  type SignedHook,
  scriptNamesProblem,
} from './release.js'
import { type KeptTrust, keysOf } from './root-metadata.js'
import { parseStrict } from './shape.js'

export interface Bundle {
  /** Of its folder in the store. */
  readonly name: string
  readonly release?: { readonly envelope: Envelope; readonly hash: string; readonly payload: ReleasePayload }
  readonly lease?: { readonly envelope: Envelope; readonly payload: LeasePayload }
  readonly killed: boolean
  /** The manifest and all scripts are as they were signed, and the folder contains nothing else. */
  readonly whole: boolean
}

export interface Viewer {
  readonly store: string
  readonly trust: KeptTrust
  readonly deviceId: string
  readonly system: OperatingSystem
  readonly platform: NodeJS.Platform
}

/** Why a set is not what was signed. */
export interface SetProblem {
  readonly problem: string
  /** The system denied access to a file that may be valid. */
  readonly isUnreadable?: boolean
}

export function readBundle(name: string, viewer: Viewer): Bundle {
  const { manifest, ...signed } = readSigned(name, viewer)
  const folder = join(viewer.store, name)
  const whole =
    !('problem' in manifest) &&
    !('problem' in checkFolder(folder, signed, viewer)) &&
    scriptsOf(signed, viewer).every(hook => !('problem' in checkScript(folder, hook, viewer)))
  return { ...signed, whole }
}

export interface SignedSet extends Omit<Bundle, 'whole'> {
  /** Exactly the bytes that the envelopes require, or why not. */
  readonly manifest: { readonly bytes: Buffer; readonly stats: BigIntStats } | SetProblem
}

/** A set without its scripts: the envelopes, and the manifest that follows from them. Only a killed set needs its lease. */
export function readSigned(name: string, viewer: Viewer, leases: 'all' | 'needed' = 'all'): SignedSet {
  const folder = join(viewer.store, name)
  const killed = isKilledName(name)
  if (!isFolder(folder)) return { name, killed: false, manifest: { problem: `${folder} is not a folder` } }
  const signed = readOne(folder, 'release', viewer.trust.releaseKeys, readRelease)
  const release = signed && isUsable(signed.payload, viewer.trust) ? signed : undefined
  const isNeeded = killed || leases === 'all'
  const lease = isNeeded ? readOne(folder, 'lease', viewer.trust.leaseKeys, readLease) : undefined
  const set = {
    name,
    ...(release && { release: { ...release, hash: sha256(release.envelope.payload) } }),
    ...(lease && { lease }),
    killed,
  }
  const expected = killed
    ? killedBy(lease?.payload, viewer)
    : release && manifestOf(release.payload, viewer.system)
  if (!expected) {
    const file = join(folder, killed ? 'lease.json' : 'release.json')
    const isUnreadable = readFile(file, LARGEST_ENVELOPE, 'no-links').kind === 'unreadable'
    return { ...set, manifest: { problem: `${file} is not signed by a key of the team`, isUnreadable } }
  }
  const file = join(folder, 'manifest.json')
  const found = readFile(file, LARGEST_MANIFEST, 'no-links')
  if (found.kind === 'read' && isWrittenFrom(expected, found.bytes))
    return { ...set, manifest: { bytes: expected, stats: found.stats } }
  const isUnreadable = found.kind === 'unreadable'
  return { ...set, manifest: { problem: `${file} is not the manifest of the signed release`, isUnreadable } }
}

/** The envelope contains the same hooks, and white space takes less than the signatures and base64. */
const LARGEST_MANIFEST = 4 * LIMITS.payload.release

type Written = { readonly hooks: readonly Record<string, unknown>[] }

/**
 * Whether a client wrote this manifest from the same release. An older client leaves out keys of hooks that it did not know.
 * The engine uses the expected bytes in any case.
 */
function isWrittenFrom(expected: Buffer, found: Buffer): boolean {
  if (found.equals(expected)) return true
  const parsed = parseStrict(found)
  // In the form in which clients write it: other white space is the change of another program.
  if (!parsed.ok || !jsonBytes(parsed.value).equals(found)) return false
  const { hooks, ...head } = JSON.parse(expected.toString('utf8')) as Written
  const { hooks: others, ...otherHead } = Object(parsed.value) as Partial<Written>
  if (JSON.stringify(head) !== JSON.stringify(otherHead)) return false
  return (
    Array.isArray(others) &&
    others.length === hooks.length &&
    hooks.every((hook, index) =>
      Object.entries(Object(others[index])).every(
        ([key, value]) => Object.hasOwn(hook, key) && JSON.stringify(hook[key]) === JSON.stringify(value),
      ),
    )
  )
}

/** Base64 and the signatures take more than the payload. */
const LARGEST_ENVELOPE = 2 * LIMITS.payload.release + 16 * 1024

const isUsable = ({ team_id, hooks }: ReleasePayload, { trust }: KeptTrust): boolean =>
  team_id === trust?.team_id && scriptNamesProblem(hooks) === undefined

const KILLED = 'killed-'
export const killedName = (leaseHash: string): string => `${KILLED}${leaseHash.slice(0, 16)}`
export const isKilledName = (name: string): boolean => name.startsWith(KILLED)

/** The manifest without hooks, if the lease orders this device to have none. */
const killedBy = (lease: LeasePayload | undefined, { deviceId }: Viewer): Buffer | undefined =>
  lease?.order === 'kill' && lease.device_id === deviceId
    ? killedManifest(lease.team_id, lease.release)
    : undefined

function readOne<T>(
  folder: string,
  type: Expected['type'],
  keys: readonly string[],
  read: (payload: Uint8Array) => { ok: true; value: T } | { ok: false },
): { envelope: Envelope; payload: T } | undefined {
  const file = readPlain(join(folder, `${type}.json`), LARGEST_ENVELOPE)
  const envelope = file && parseEnvelope(file)
  if (!envelope || envelopeRejection(envelope, { type, keys: keysOf(keys) })) return undefined
  const payload = read(envelope.payload)
  return payload.ok ? { envelope, payload: payload.value } : undefined
}

export interface ScriptHook extends SignedHook {
  readonly script_name: string
  readonly sha256: string
}

/** The hooks of a set whose scripts must be on this device. */
export const scriptsOf = (
  { release, killed }: Pick<Bundle, 'release' | 'killed'>,
  { system }: Pick<Viewer, 'system'>,
): ScriptHook[] =>
  killed || !release
    ? []
    : release.payload.hooks.filter(
        (hook): hook is ScriptHook => hook.script_name !== undefined && isFor(hook, system),
      )

/**
 * The folder as it was before it was listed, or the entry that does not belong to it. Interpreters load files that are
 * beside a script (`json.py`, `node_modules`, `package.json`), so a single extra one can replace what the script does.
 */
export function checkFolder(
  folder: string,
  set: Pick<Bundle, 'release' | 'killed'>,
  viewer: Pick<Viewer, 'system'>,
): { readonly stats: BigIntStats } | SetProblem {
  const expected = new Set([...CLIENT_FILES, ...scriptsOf(set, viewer).map(hook => hook.script_name)])
  try {
    const stats = lstatSync(folder, { bigint: true })
    const extra = readdirSync(folder, { withFileTypes: true }).find(
      (entry: Dirent) => !entry.isFile() || !expected.has(entry.name),
    )
    if (!extra) return { stats }
    return { problem: `${folder} contains ${extra.name}, which is not a file of the signed release` }
  } catch (error) {
    return { problem: `${folder} cannot be listed: ${reasonOf(error)}`, isUnreadable: true }
  }
}

/** The file as it was before its bytes were compared, or why it is not the signed one. */
export function checkScript(
  folder: string,
  { script_name, sha256: expected }: ScriptHook,
  { platform }: Pick<Viewer, 'platform'>,
): { readonly stats: BigIntStats } | SetProblem {
  const file = join(folder, script_name)
  const found = readFile(file, LIMITS.script, 'no-links')
  if (found.kind !== 'read' || sha256(found.bytes) !== expected) {
    return {
      problem: `${file} is not the script of the signed release`,
      isUnreadable: found.kind === 'unreadable',
    }
  }
  const canRun = platform === 'win32' || (found.stats.mode & 0o500n) === 0o500n
  return canRun ? { stats: found.stats } : { problem: `${file} may not be executed` }
}
