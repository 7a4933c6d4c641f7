// One set of hooks in the store, looked at with suspicion: its seal, its manifest and every script.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { type Sealed, sha256 } from '../seal/bytes.js'
import { type LeasePayload, readLease } from '../seal/lease.js'
import { LIMITS } from '../seal/limits.js'
import { scriptNamesProblem } from '../seal/names.js'
import { isFor, type OperatingSystem, type ReleasePayload, readRelease } from '../seal/release.js'
import { type Expected, sealRefusal } from '../seal/seal.js'
import { keysOf } from '../seal/trust.js'
import { parseSeal } from '../seal/written.js'
import type { KeptTrust } from './kept-trust.js'
import { killedManifest, manifestOf } from './manifest.js'
import { isFolder, readPlain } from './read.js'
import { isKilledName } from './set.js'

export interface Bundle {
  /** Of its folder in the store. */
  readonly name: string
  readonly release?: { readonly sealed: Sealed; readonly hash: string; readonly payload: ReleasePayload }
  readonly lease?: { readonly sealed: Sealed; readonly payload: LeasePayload }
  readonly killed: boolean
  /** Everything is there as it was signed. */
  readonly whole: boolean
}

export interface Viewer {
  readonly store: string
  readonly trust: KeptTrust
  readonly deviceId: string
  readonly system: OperatingSystem
  readonly platform: NodeJS.Platform
}

export function readBundle(name: string, viewer: Viewer): Bundle {
  const folder = join(viewer.store, name)
  const nothing = { name, killed: false, whole: false }
  if (!isFolder(folder)) return nothing
  const signed = readOne(folder, 'release', viewer.trust.releaseKeys, readRelease)
  const release = signed && scriptNamesProblem(signed.payload.hooks) === undefined ? signed : undefined
  const lease = readOne(folder, 'lease', viewer.trust.leaseKeys, readLease)
  const seals = {
    ...(release && { release: { ...release, hash: sha256(release.sealed.payload) } }),
    ...(lease && { lease }),
  }
  const manifest = readPlain(join(folder, 'manifest.json'), 4 * LIMITS.payload.release)
  if (isKilledName(name)) {
    const isOurs = lease?.payload.order === 'kill' && lease.payload.device_id === viewer.deviceId
    const { team_id = '', release: number = 0 } = lease?.payload ?? {}
    const whole = isOurs && manifest?.equals(killedManifest(team_id, number)) === true
    return { name, ...seals, killed: true, whole }
  }
  if (!release) return { ...nothing, ...seals }
  const isSame = manifest?.equals(manifestOf(release.payload, viewer.system)) === true
  return { name, ...seals, killed: false, whole: isSame && hasScripts(folder, release.payload, viewer) }
}

function readOne<T>(
  folder: string,
  type: Expected['type'],
  keys: readonly string[],
  read: (payload: Uint8Array) => { ok: true; value: T } | { ok: false },
): { sealed: Sealed; payload: T } | undefined {
  const file = readPlain(join(folder, `${type}.json`), 2 * LIMITS.payload[type] + 16 * 1024)
  const sealed = file && parseSeal(file)
  if (!sealed || sealRefusal(sealed, { type, keys: keysOf(keys) })) return undefined
  const payload = read(sealed.payload)
  return payload.ok ? { sealed, payload: payload.value } : undefined
}

const hasScripts = (folder: string, release: ReleasePayload, { system, platform }: Viewer): boolean =>
  release.hooks.every(hook => {
    if (hook.script_name === undefined || !isFor(hook, system)) return true
    const file = join(folder, hook.script_name)
    const bytes = readPlain(file, LIMITS.script)
    if (!bytes || sha256(bytes) !== hook.sha256) return false
    return platform === 'win32' || ((lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o500) === 0o500
  })

/** The bytes with this sum, from any set that has them. */
export function findScript(
  bundles: readonly Bundle[],
  { store }: Viewer,
  wanted: string,
): Uint8Array | undefined {
  for (const { name, release } of bundles) {
    for (const hook of release?.payload.hooks ?? []) {
      if (hook.sha256 !== wanted || hook.script_name === undefined) continue
      const bytes = readPlain(join(store, name, hook.script_name), LIMITS.script)
      if (bytes && sha256(bytes) === wanted) return new Uint8Array(bytes)
    }
  }
  return undefined
}
