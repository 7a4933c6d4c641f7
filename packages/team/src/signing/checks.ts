// The checks of an offer, in order. Each may rely on those above it: nothing is parsed before its signature is
// verified.

import {
  ENVELOPE_CHECKS,
  isFor,
  keysOf,
  type LeasePayload,
  LIMITS,
  type ReleasePayload,
  readLease,
  readRelease,
  scriptNamesProblem,
  sha256,
} from '@holdfast/hooks/team'
import { compareToMark, type Mark } from './mark.js'
import type { Offer, Standing } from './offer.js'
import type { RefusalCode } from './refusals.js'

/** The verified parts of the offer so far. */
export interface Case {
  readonly standing: Standing
  /** Under the current root metadata. */
  readonly mark: Mark
  readonly offer: Offer
  /** Of the received release. */
  readonly hash: string
  lease?: LeasePayload
  release?: ReleasePayload
  /** By name: those for this system. */
  readonly scripts: Map<string, Uint8Array>
}

interface Check {
  readonly code: RefusalCode
  readonly problem: (given: Case) => string | undefined
}

const envelopeChecks: readonly Check[] = ENVELOPE_CHECKS.map(({ code, problem }) => ({
  code,
  problem: ({ offer: { lease, release }, standing: { trust } }) => {
    if (!lease) return code === 'form' ? 'The answer holds no lease.' : undefined
    return (
      problem(lease, { type: 'lease', keys: keysOf(trust.lease_keys) }) ??
      (release && problem(release, { type: 'release', keys: keysOf(trust.release_keys) }))
    )
  },
}))

export const CHECKS: readonly Check[] = [
  ...envelopeChecks,
  { code: 'form', problem: readPayloads },
  {
    code: 'team',
    problem: ({ lease, release, standing: { trust } }) => {
      const other = [lease, release].find(one => one && one.team_id !== trust.team_id)
      return other && `It is for the team ${other.team_id}, and this device belongs to ${trust.team_id}.`
    },
  },
  {
    code: 'trust',
    problem: ({ release, standing: { trust }, mark }) => {
      if (trust.version < mark.trust_version)
        return `The trust ends at version ${trust.version}; this device has known version ${mark.trust_version}.`
      if (release && release.trust_version > trust.version)
        return `The release needs version ${release.trust_version} of the root metadata; this machine has ${trust.version}.`
      if (release && release.epoch > trust.epoch)
        return `The release is of epoch ${release.epoch}, which version ${trust.version} of the root metadata does not allow.`
      return undefined
    },
  },
  { code: 'lease', problem: leaseProblem },
  { code: 'downgrade', problem: downgradeProblem },
  {
    code: 'expired',
    problem: given => {
      const { release, hash, standing } = given
      // The active release is not checked again.
      if (!release || hash === standing.inForce?.hash) return undefined
      const isOver = Date.parse(release.expires_at) < timeOf(given)
      return isOver
        ? `The release ${release.release} was to be taken until ${release.expires_at}.`
        : undefined
    },
  },
  { code: 'names', problem: ({ release }) => release && scriptNamesProblem(release.hooks) },
  { code: 'limits', problem: ({ release }) => release && limitProblem(release) },
  { code: 'scripts', problem: scriptProblem },
]

function readPayloads(given: Case): string | undefined {
  const { lease, release } = given.offer
  const read = readLease(lease!.payload)
  if (!read.ok) return read.message
  given.lease = read.value
  if (read.value.order === 'hold' || read.value.order === 'kill') return undefined
  if (!release) return 'The lease names a release, and the answer holds none.'
  const one = readRelease(release.payload)
  if (!one.ok) return one.message
  given.release = one.value
  return undefined
}

function leaseProblem(given: Case): string | undefined {
  const { release, hash, standing, mark, offer } = given
  const lease = given.lease!
  if (lease.device_id !== standing.deviceId) return 'The lease is for another device.'
  // The same release comes again after a crash, and from a cache.
  const isSame = lease.seq === mark.lease_seq && sha256(offer.lease!.payload) === mark.lease_hash
  if (lease.seq <= mark.lease_seq && !isSame)
    return `The lease has the number ${lease.seq}; one with ${mark.lease_seq} was seen before.`
  const now = timeOf(given)
  if (Date.parse(lease.not_after) < now)
    return `The lease ended at ${lease.not_after}, and here it is ${new Date(now).toISOString()}.`
  if (lease.order === 'kill' && !standing.trust.kill_by_server)
    return 'The lease orders to drop all hooks, which trust does not leave to the server.'
  if (release && (lease.release_hash !== hash || lease.release !== release.release))
    return `The lease names release ${lease.release}, and another one came with it.`
  return undefined
}

function downgradeProblem({ release, lease, hash, standing, mark }: Case): string | undefined {
  if (!release || hash === standing.inForce?.hash) return undefined
  const step = compareToMark(release, mark)
  const named = `release ${release.release} of epoch ${release.epoch}`
  if (step > 0 || hash === mark.hash) return undefined
  if (step === 0) return `Equivocation: there are two different texts of ${named}.`
  if (lease!.order !== 'revert')
    return `The offered set is ${named}, which is older than release ${mark.release} of epoch ${mark.epoch} on this device.`
  if (!standing.inForce?.release.may_revert_to.includes(hash))
    return `The active release does not allow to go back to ${named}.`
  return undefined
}

function limitProblem({ hooks }: ReleasePayload): string | undefined {
  if (hooks.length > LIMITS.hooks)
    return `The release has ${hooks.length} hooks; at most ${LIMITS.hooks} are allowed.`
  const big = hooks.find(({ size = 0 }) => size > LIMITS.script)
  if (big) return `The script ${big.script_name} has ${big.size} bytes; at most ${LIMITS.script} are allowed.`
  const sizes = new Map(hooks.map(({ sha256, size = 0 }) => [sha256, size]))
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  return total > LIMITS.scripts
    ? `The scripts have ${total} bytes in all; at most ${LIMITS.scripts} are allowed.`
    : undefined
}

/** The name of a script in the response does not count: its hash identifies it. */
function scriptProblem({ release, offer, standing, scripts }: Case): string | undefined {
  if (!release) return undefined
  const sent = new Map(offer.scripts.map(({ content }) => [sha256(content), content]))
  for (const hook of release.hooks) {
    if (hook.script_name === undefined || hook.sha256 === undefined || !isFor(hook, standing.system)) continue
    const content = sent.get(hook.sha256) ?? standing.scriptOf(hook.sha256)
    if (!content)
      return `The script ${hook.script_name} is missing, or its bytes are not those of the release.`
    if (content.length !== hook.size)
      return `The script ${hook.script_name} has ${content.length} bytes; the release says ${hook.size}.`
    scripts.set(hook.script_name, content)
  }
  return undefined
}

/** The latest of the clock and all verified times. No value is too early. */
const timeOf = ({ standing, mark, lease }: Case): number =>
  Math.max(Math.min(standing.now, 8.64e15), mark.time, Date.parse(lease!.issued_at))
