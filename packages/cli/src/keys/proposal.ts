// Proposed root metadata in a file: built from the team's current keys, signed offline with root keys, and submitted.

import { writeFileSync } from 'node:fs'
import type { Envelope, TrustPayload } from '@holdfast/team'
import type { Caller } from '@holdfast/team/caller'
import { type Given, oneOf } from '../arguments.js'
import { openTeamDoor } from '../team/door.js'
import { UsageError } from '../usage-error.js'
import { readText, type StoredKey, writeNew } from './key-file.js'

const LARGEST = 256 * 1024
const YES_NO = ['yes', 'no'] as const

/** The next root metadata, or the first one of a team whose root keys have not signed yet. */
export async function propose(given: Given, caller: Caller): Promise<Envelope> {
  const { KeysService, writeTrust } = await openTeamDoor()
  const keys = caller(KeysService)
  const { chain, unsigned } = await keys.getTrust({})
  if (unsigned) return { ...unsigned, signatures: [] }
  const last = await newestTrust(chain, given.value('fingerprint'))
  const prepared = async (use: string) => hexOf((await keys.prepareKey({ use })).publicKey)
  const release = given.value('release-key')
  const roots = given.list('root-key').map(key => toHex('root-key', key))
  const threshold = given.value('root-threshold')
  const kill = given.value('kill') && oneOf('answer', given.value('kill')!, YES_NO)
  const counts = given.value('kill-satisfies-required')
  const next: TrustPayload = {
    ...last,
    version: last.version + 1,
    epoch: last.epoch + (given.has('new-epoch') ? 1 : 0),
    ...(roots.length > 0 ? { roots } : {}),
    ...(threshold === undefined ? {} : { root_threshold: toCount(threshold) }),
    ...(release === undefined
      ? {}
      : { release_keys: [release === 'server' ? await prepared('release') : toHex('release-key', release)] }),
    ...(given.has('new-lease-key') ? { lease_keys: [await prepared('lease')] } : {}),
    ...(kill ? { kill_by_server: kill === 'yes' } : {}),
    ...(counts ? { kill_satisfies_required: oneOf('answer', counts, YES_NO) === 'yes' } : {}),
    issued_at: new Date().toISOString(),
  }
  return { type: 'trust', payload: writeTrust(next), signatures: [] }
}

/**
 * Verified from the fingerprint that the user wrote down at the first start. Without it a hostile server could have
 * somebody sign keys of its own as the keys of the team.
 */
async function newestTrust(chain: readonly Envelope[], expected: string | undefined): Promise<TrustPayload> {
  const { fingerprintOf, formatFingerprint, verifyTrustChain } = await openTeamDoor()
  const [first] = chain
  if (!first) throw new UsageError('The server has no keys yet.')
  const fingerprint = fingerprintOf(first)
  const digits = expected?.toLowerCase().replace(/[\s:-]/g, '') ?? ''
  if (!/^[0-9a-f]{24,64}$/.test(digits))
    throw new UsageError(
      'Give the fingerprint of the team as you wrote it down at the first start: --fingerprint "1234 5678 …"',
    )
  if (!fingerprint.startsWith(digits))
    throw new UsageError(
      `The server has the fingerprint ${formatFingerprint(fingerprint)}, which is that of another team. Do not sign anything.`,
    )
  const { trust, refusal } = verifyTrustChain(undefined, fingerprint, chain)
  if (!trust || refusal) throw new UsageError(`The keys of the server do not verify: ${refusal?.message}`)
  return trust
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export function toHex(option: string, text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  throw new UsageError(`--${option} is not 64 hex digits. Create a key with: holdfast keys create FILE`)
}

export function toCount(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) > 0) return Number(text)
  throw new UsageError(`--root-threshold is "${text}"; expected a number from 1.`)
}

export async function readProposal(file: string): Promise<{ sealed: Envelope; trust: TrustPayload }> {
  const { parseEnvelope, readTrust } = await openTeamDoor()
  const text = readText(file, 'The proposal')
  const sealed = text.length > LARGEST ? undefined : parseEnvelope(Buffer.from(text))
  if (sealed?.type !== 'trust')
    throw new UsageError(`${file} contains no proposal. Create one with: holdfast keys propose FILE`)
  const trust = readTrust(sealed)
  if ('code' in trust) throw new UsageError(`The proposal ${file} cannot be used: ${trust.message}`)
  return { sealed, trust }
}

export async function writeProposal(file: string, sealed: Envelope, isNew: boolean): Promise<void> {
  const { writeEnvelope } = await openTeamDoor()
  const text = `${JSON.stringify(writeEnvelope(sealed), null, 2)}\n`
  if (isNew) writeNew(file, text, 'The proposal')
  else writeFileSync(file, text)
}

/** With the signature of this key, once. */
export async function signProposal(sealed: Envelope, key: StoredKey): Promise<Envelope> {
  const { signPayload } = await openTeamDoor()
  const others = sealed.signatures.filter(({ keyId }) => keyId !== key.id)
  return { ...sealed, signatures: [...others, signPayload('trust', sealed.payload, key.privateKey)] }
}

/** The signatures of all files, which must be of the very same bytes. */
export async function combine(files: readonly string[]): Promise<Envelope> {
  const all = await Promise.all(files.map(async file => ({ file, ...(await readProposal(file)) })))
  const [{ sealed: first }] = all as [(typeof all)[0], ...typeof all]
  const signatures = new Map(first.signatures.map(one => [one.keyId, one]))
  for (const { file, sealed } of all.slice(1)) {
    if (!Buffer.from(sealed.payload).equals(first.payload))
      throw new UsageError(
        `${file} differs from the proposal ${files[0]}, so their signatures cannot be combined.`,
      )
    for (const one of sealed.signatures) signatures.set(one.keyId, one)
  }
  return { ...first, signatures: [...signatures.values()] }
}

/** Everything that a signature confirms, one line each. */
export async function describeProposal({
  sealed,
  trust,
}: {
  sealed: Envelope
  trust: TrustPayload
}): Promise<[string, string][]> {
  const { fingerprintOf, keyIdOf, keysOf, formatFingerprint, signersOf, thresholdOf } = await openTeamDoor()
  const signed = signersOf(sealed, keysOf(trust.roots))
  const ids = (keys: readonly string[]) => keysOf(keys).map(keyIdOf)
  return [
    ['team', trust.team_id],
    ['version', `${trust.version}`],
    ['epoch', `${trust.epoch}`],
    ...(trust.version === 1
      ? [['fingerprint', formatFingerprint(fingerprintOf(sealed))] as [string, string]]
      : []),
    ['threshold', `${thresholdOf(trust)} of ${trust.roots.length} root keys`],
    ...ids(trust.roots).map((id): [string, string] => [
      'root',
      `${id}  ${signed.has(id) ? 'signed' : 'not signed'}`,
    ]),
    ...ids(trust.release_keys).map((id): [string, string] => ['release', id]),
    ...ids(trust.lease_keys).map((id): [string, string] => ['lease', id]),
    ['kill switch', trust.kill_by_server ? 'the server may use it' : 'not allowed'],
    [
      'when killed',
      trust.kill_satisfies_required
        ? 'the team source counts as present'
        : 'the team source counts as missing',
    ],
  ]
}
