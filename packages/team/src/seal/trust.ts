// Which keys count. A chain of versions, each signed by a root key of the one before and by one of its own, from the
// first, which is pinned by its fingerprint.

import { type Sealed, sha256 } from './bytes.js'
import { KEY_BYTES, keyProblem } from './keys.js'
import { LIMITS } from './limits.js'
import type { Refusal } from './refusals.js'
import { sealRefusal } from './seal.js'
import { fit, flag, hex, object, set, teamId, time, whole } from './shape.js'

/** In the names of the payload; keys in hex. */
export interface TrustPayload {
  readonly team_id: string
  readonly version: number
  readonly epoch: number
  readonly roots: readonly string[]
  readonly release_keys: readonly string[]
  readonly lease_keys: readonly string[]
  readonly kill_by_server: boolean
  readonly issued_at: string
}

const MOST_KEYS = 16
const key = hex(2 * KEY_BYTES)

const trust = object({
  team_id: teamId,
  version: whole(1),
  epoch: whole(0),
  roots: set(key, MOST_KEYS, 1),
  release_keys: set(key, MOST_KEYS),
  lease_keys: set(key, MOST_KEYS),
  kill_by_server: flag,
  issued_at: time,
})

export const writeTrust = (value: TrustPayload): Uint8Array => Buffer.from(JSON.stringify(value))

export const keysOf = (hexKeys: readonly string[]): Uint8Array[] =>
  hexKeys.map(value => new Uint8Array(Buffer.from(value, 'hex')))

/** Of the first version; what enrolment pins. */
export const fingerprintOf = (first: Sealed): string => sha256(first.payload)

/** As people compare it: the first 24 digits in groups of four. */
export const sayFingerprint = (fingerprint: string): string =>
  fingerprint.slice(0, 24).match(/.{4}/g)?.join(' ') ?? ''

export interface Walk {
  /** As far as it could be followed. */
  readonly trust: TrustPayload | undefined
  readonly taken: readonly Sealed[]
  readonly refusal?: Refusal
}

/** From what is known, or from the fingerprint, version by version. */
export function walkTrust(
  known: TrustPayload | undefined,
  fingerprint: string,
  chain: readonly Sealed[],
): Walk {
  const taken: Sealed[] = []
  let last = known
  if (chain.length > LIMITS.trustVersions) {
    const message = `There are ${chain.length} trust versions; at most ${LIMITS.trustVersions} are allowed.`
    return { trust: last, taken, refusal: { code: 'size', message } }
  }
  for (const sealed of chain) {
    const step = last ? followTrust(last, sealed) : firstTrust(fingerprint, sealed)
    if ('code' in step) return { trust: last, taken, refusal: step }
    last = step
    taken.push(sealed)
  }
  return { trust: last, taken }
}

function firstTrust(fingerprint: string, sealed: Sealed): TrustPayload | Refusal {
  // The fingerprint speaks for the bytes, so they may be read before their own keys are known.
  if (fingerprintOf(sealed) !== fingerprint) {
    const message = `The first trust version has the fingerprint ${sayFingerprint(fingerprintOf(sealed))}; pinned is ${sayFingerprint(fingerprint)}.`
    return { code: 'trust', message }
  }
  const own = readTrust(sealed)
  if ('code' in own) return own
  if (own.version !== 1) return gap(own.version, 1)
  return sealRefusal(sealed, { type: 'trust', keys: keysOf(own.roots) }) ?? own
}

function followTrust(last: TrustPayload, sealed: Sealed): TrustPayload | Refusal {
  const byOld = sealRefusal(sealed, { type: 'trust', keys: keysOf(last.roots) })
  if (byOld) return byOld
  const next = readTrust(sealed)
  if ('code' in next) return next
  const byNew = sealRefusal(sealed, { type: 'trust', keys: keysOf(next.roots) })
  if (byNew) return byNew
  if (next.team_id !== last.team_id) {
    return {
      code: 'team',
      message: `The trust is that of the team ${next.team_id}, and not of ${last.team_id}.`,
    }
  }
  if (next.version !== last.version + 1) return gap(next.version, last.version + 1)
  if (next.epoch < last.epoch)
    return { code: 'trust', message: `The trust version ${next.version} lowers the epoch.` }
  return next
}

export function readTrust(sealed: Sealed): TrustPayload | Refusal {
  if (sealed.payload.length > LIMITS.payload.trust)
    return { code: 'size', message: `A trust version has ${sealed.payload.length} bytes.` }
  const read = fit(trust, sealed.payload, 'trust')
  if (!read.ok) return { code: 'form', message: read.message }
  const { roots, release_keys, lease_keys } = read.value
  for (const raw of keysOf([...roots, ...release_keys, ...lease_keys])) {
    const problem = keyProblem(raw)
    if (problem)
      return { code: 'key', message: `The trust version ${read.value.version} is not safe: ${problem}.` }
  }
  return read.value
}

const gap = (version: number, expected: number): Refusal => ({
  code: 'trust',
  message: `The trust version ${version} was offered where ${expected} comes next.`,
})
