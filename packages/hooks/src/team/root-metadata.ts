// The keys of a team: root metadata as a chain of versions. Each version is signed by a threshold of the root keys of the
// version before, and of its own; the first is pinned by its fingerprint.

import { join } from 'node:path'
import {
  type Envelope,
  type EnvelopeRefusal,
  envelopeRejection,
  KEY_BYTES,
  keyProblem,
  LIMITS,
  parseEnvelope,
  sha256,
  signersOf,
} from './envelope.js'
import { type Place, readPlain } from './place.js'
import { fit, flag, hex, object, set, teamId, time, type Value, whole } from './shape.js'

const MOST_KEYS = 16
const key = hex(2 * KEY_BYTES)

const trust = object(
  {
    team_id: teamId,
    version: whole(1),
    epoch: whole(0),
    roots: set(key, MOST_KEYS, 1),
    release_keys: set(key, MOST_KEYS),
    lease_keys: set(key, MOST_KEYS),
    kill_by_server: flag,
    issued_at: time,
  },
  { root_threshold: whole(1), kill_satisfies_required: flag },
)

/**
 * In the names of the payload; keys in hex. `root_threshold`: how many root keys must sign the next version (default: 1).
 * `kill_by_server`: whether a lease may order devices to run no hooks. `kill_satisfies_required`: whether a killed set
 * satisfies an engine that requires the team (default: false).
 */
export type TrustPayload = Value<typeof trust>

export const thresholdOf = ({ root_threshold = 1 }: TrustPayload): number => root_threshold

export const keysOf = (hexKeys: readonly string[]): Uint8Array[] =>
  hexKeys.map(value => new Uint8Array(Buffer.from(value, 'hex')))

/** Of the first version, as pinned at enrolment. */
export const fingerprintOf = (first: Envelope): string => sha256(first.payload)

/** For people to compare: the first 24 digits in groups of four. */
export const formatFingerprint = (fingerprint: string): string =>
  fingerprint.slice(0, 24).match(/.{4}/g)?.join(' ') ?? ''

export interface VerifiedChain {
  /** The last version that could be verified. */
  readonly trust: TrustPayload | undefined
  readonly taken: readonly Envelope[]
  /** The payloads of `taken`. */
  readonly versions: readonly TrustPayload[]
  readonly refusal?: EnvelopeRefusal
}

/** Verifies version by version, from the known version or from the fingerprint. */
export function verifyTrustChain(
  known: TrustPayload | undefined,
  fingerprint: string,
  chain: readonly Envelope[],
): VerifiedChain {
  const taken: Envelope[] = []
  const versions: TrustPayload[] = []
  const result = (refusal?: EnvelopeRefusal): VerifiedChain => ({
    trust: versions.at(-1) ?? known,
    taken,
    versions,
    ...(refusal && { refusal }),
  })
  if (chain.length > LIMITS.trustVersions) {
    const message = `There are ${chain.length} versions of the root metadata; at most ${LIMITS.trustVersions} are allowed.`
    return result({ code: 'size', message })
  }
  for (const envelope of chain) {
    const last = versions.at(-1) ?? known
    const step = last ? followTrust(last, envelope) : firstTrust(fingerprint, envelope)
    if ('code' in step) return result(step)
    versions.push(step)
    taken.push(envelope)
  }
  return result()
}

function firstTrust(fingerprint: string, envelope: Envelope): TrustPayload | EnvelopeRefusal {
  // The fingerprint verifies the bytes, so they may be read before their own keys are known.
  if (fingerprintOf(envelope) !== fingerprint) {
    const message = `The first version of the root metadata has the fingerprint ${formatFingerprint(fingerprintOf(envelope))}; the pinned one is ${formatFingerprint(fingerprint)}.`
    return { code: 'trust', message }
  }
  const own = readTrust(envelope)
  if ('code' in own) return own
  if (own.version !== 1) return gap(own.version, 1)
  return rootRefusal(envelope, own) ?? own
}

/** Unless enough root keys of this version signed. */
function rootRefusal(
  envelope: Envelope,
  trust: TrustPayload,
  verified: readonly Uint8Array[] = [],
): EnvelopeRefusal | undefined {
  const keys = keysOf(trust.roots)
  const refusal = envelopeRejection(envelope, { type: 'trust', keys, verified })
  if (refusal) return refusal
  const signed = signersOf(envelope, keys).size
  const needed = thresholdOf(trust)
  if (signed >= needed) return undefined
  const message = `${signed} root ${signed === 1 ? 'key' : 'keys'} of version ${trust.version} signed; ${needed} are needed.`
  return { code: 'signature', message }
}

function followTrust(last: TrustPayload, envelope: Envelope): TrustPayload | EnvelopeRefusal {
  const byOld = rootRefusal(envelope, last)
  if (byOld) return byOld
  const next = readTrust(envelope)
  if ('code' in next) return next
  const byNew = rootRefusal(envelope, next, keysOf(last.roots))
  if (byNew) return byNew
  if (next.team_id !== last.team_id) {
    return {
      code: 'team',
      message: `The root metadata belongs to the team ${next.team_id}, and not of ${last.team_id}.`,
    }
  }
  if (next.version !== last.version + 1) return gap(next.version, last.version + 1)
  if (next.epoch < last.epoch)
    return { code: 'trust', message: `Version ${next.version} of the root metadata lowers the epoch.` }
  return next
}

export function readTrust(envelope: Envelope): TrustPayload | EnvelopeRefusal {
  if (envelope.payload.length > LIMITS.payload.trust)
    return { code: 'size', message: `A version of the root metadata has ${envelope.payload.length} bytes.` }
  const read = fit(trust, envelope.payload, 'trust')
  if (!read.ok) return { code: 'form', message: read.message }
  const { roots, release_keys, lease_keys } = read.value
  if (thresholdOf(read.value) > roots.length) {
    const message = `The root metadata needs ${read.value.root_threshold} root keys to sign, and names ${roots.length}.`
    return { code: 'form', message }
  }
  for (const raw of keysOf([...roots, ...release_keys, ...lease_keys])) {
    const problem = keyProblem(raw)
    if (problem)
      return {
        code: 'key',
        message: `Version ${read.value.version} of the root metadata is not safe: ${problem}.`,
      }
  }
  return read.value
}

const gap = (version: number, expected: number): EnvelopeRefusal => ({
  code: 'trust',
  message: `Version ${version} of the root metadata was offered; expected ${expected}.`,
})

export interface KeptTrust {
  /** The newest version; undefined if the chain is lost. */
  readonly trust: TrustPayload | undefined
  /** Keys of all versions: a release that was accepted under an older version stays valid. */
  readonly releaseKeys: readonly string[]
  readonly leaseKeys: readonly string[]
}

/** The chain as stored on this device, up to the first version that does not follow. */
export function loadTrust(place: Pick<Place, 'trust'>, fingerprint: string): KeptTrust {
  const chain: Envelope[] = []
  while (chain.length < LIMITS.trustVersions) {
    const file = readPlain(rootMetadataFile(place, chain.length + 1), 2 * LIMITS.payload.trust)
    const envelope = file && parseEnvelope(file)
    if (!envelope) break
    chain.push(envelope)
  }
  return keptOf(verifyTrustChain(undefined, fingerprint, chain))
}

export const keptOf = ({ trust, versions }: Pick<VerifiedChain, 'trust' | 'versions'>): KeptTrust => ({
  trust,
  releaseKeys: [...new Set(versions.flatMap(version => version.release_keys))],
  leaseKeys: [...new Set(versions.flatMap(version => version.lease_keys))],
})

export const rootMetadataFile = ({ trust }: Pick<Place, 'trust'>, version: number): string =>
  join(trust, `${version}.json`)
