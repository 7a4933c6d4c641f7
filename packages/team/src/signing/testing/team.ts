// For tests: a team with its keys, and what its server would sign.

import { createHash } from 'node:crypto'
import {
  accept,
  type Envelope,
  fingerprintOf,
  generateKeys,
  type LeasePayload,
  NO_MARK,
  type Offer,
  type ReleasePayload,
  type SignedHook,
  type Standing,
  sha256,
  signEnvelope,
  type TrustPayload,
  verifyTrustChain,
  writeLease,
  writeRelease,
  writeTrust,
} from '../../index.js'

export const NOW = Date.parse('2030-06-15T12:00:00.000Z')
export const DAY = 24 * 60 * 60 * 1000
export const at = (ms: number) => new Date(ms).toISOString()
export const DEVICE = '0123456789abcdef0123456789abcdef'
export const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
export const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))
export const sum = (text: string) => createHash('sha256').update(text).digest('hex')

export const keys = () => generateKeys()
export type Keys = ReturnType<typeof keys>

export function commandHook(change: Partial<SignedHook> = {}, script = '#!/bin/sh\necho {}\n'): SignedHook {
  return {
    id: 1,
    revision: 1,
    name: 'guard',
    hook_step: 'beforeShellExecution',
    type: 'command',
    mode: 'enforce',
    operating_systems: [],
    script_name: 'guard.sh',
    sha256: sum(script),
    size: Buffer.byteLength(script),
    ...change,
  }
}

export interface TestTeam {
  readonly root: Keys
  readonly recovery: Keys
  readonly releaseKey: Keys
  readonly leaseKey: Keys
  readonly first: TrustPayload
  readonly chain: Envelope[]
  readonly fingerprint: string
  trust(): TrustPayload
  /** A next trust version, signed by the given keys or by the root. */
  next(change: Partial<TrustPayload>, ...signers: Uint8Array[]): Envelope
  release(change?: Partial<ReleasePayload>, ...signers: Uint8Array[]): Envelope
  lease(release: Envelope | undefined, change?: Partial<LeasePayload>, ...signers: Uint8Array[]): Envelope
  standing(change?: Partial<Standing>): Standing
}

export function testTeam(id = 'acme'): TestTeam {
  const [root, recovery, releaseKey, leaseKey] = [keys(), keys(), keys(), keys()]
  const first: TrustPayload = {
    team_id: id,
    version: 1,
    epoch: 0,
    roots: [hexOf(root.publicKey), hexOf(recovery.publicKey)],
    release_keys: [hexOf(releaseKey.publicKey)],
    lease_keys: [hexOf(leaseKey.publicKey)],
    kill_by_server: true,
    issued_at: at(NOW - 30 * DAY),
  }
  const chain = [signEnvelope('trust', writeTrust(first), root.privateKey)]
  const fingerprint = fingerprintOf(chain[0]!)
  let seq = 0
  const trust = () => verifyTrustChain(undefined, fingerprint, chain).trust!
  return {
    root,
    recovery,
    releaseKey,
    leaseKey,
    first,
    chain,
    fingerprint,
    trust,
    next(change, ...signers) {
      const last = trust()
      const value = { ...last, version: last.version + 1, issued_at: at(NOW), ...change }
      return signEnvelope('trust', writeTrust(value), ...(signers.length > 0 ? signers : [root.privateKey]))
    },
    release(change = {}, ...signers) {
      const value: ReleasePayload = {
        team_id: id,
        epoch: 0,
        release: 1,
        trust_version: 1,
        issued_at: at(NOW - DAY),
        expires_at: at(NOW + 365 * DAY),
        records: 'managed',
        hooks: [],
        may_revert_to: [],
        ...change,
      }
      return signEnvelope(
        'release',
        writeRelease(value),
        ...(signers.length > 0 ? signers : [releaseKey.privateKey]),
      )
    },
    lease(release, change = {}, ...signers) {
      const payload = release
        ? (JSON.parse(Buffer.from(release.payload).toString()) as ReleasePayload)
        : undefined
      const value: LeasePayload = {
        team_id: id,
        device_id: DEVICE,
        seq: ++seq,
        issued_at: at(NOW),
        not_after: at(NOW + 7 * DAY),
        release: payload?.release ?? 0,
        release_hash: release ? sha256(release.payload) : '',
        ring: 'all',
        order: 'take',
        ...change,
      }
      return signEnvelope(
        'lease',
        writeLease(value),
        ...(signers.length > 0 ? signers : [leaseKey.privateKey]),
      )
    },
    standing: (change = {}) => ({
      deviceId: DEVICE,
      system: 'Linux',
      now: NOW,
      trust: trust(),
      mark: NO_MARK,
      scriptOf: () => undefined,
      ...change,
    }),
  }
}

/** 'ok', or the code of the refusal. */
export function verdict(standing: Standing, offer: Partial<Offer>): string {
  const result = accept(standing, { scripts: [], ...offer })
  return result.ok ? 'ok' : result.refusal.code
}

/** What the device knows after it has taken an offer. */
export function take(standing: Standing, offer: Partial<Offer>): Standing {
  const result = accept(standing, { scripts: [], ...offer })
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.message}`)
  const { mark, release } = result.accepted
  const inForce = release ? { hash: release.hash, release: release.payload } : standing.inForce
  return { ...standing, mark, inForce }
}
