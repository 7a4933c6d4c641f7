// The words that a team server and its devices share. Generated from proto/; the seals are by hand.

export type {
  Fitted,
  LeasePayload,
  OperatingSystem,
  Order,
  ReleasePayload,
  Sealed,
  SealSignature,
  SealType,
  SignedHook,
  TrustPayload,
  Walk,
  WrittenSeal,
} from '@holdfast/hooks/team'
export {
  fingerprintOf,
  isFor,
  isTeamId,
  keyIdOf,
  keyProblem,
  keysOf,
  LIMITS,
  OPERATING_SYSTEMS,
  parseSeal,
  readLease,
  readRelease,
  readSeal,
  readSignatures,
  readTrust,
  sayFingerprint,
  scriptNameProblem,
  scriptNamesProblem,
  sealRefusal,
  sha256,
  signedBytes,
  signersOf,
  thresholdOf,
  walkTrust,
  writeSeal,
  writeSignatures,
} from '@holdfast/hooks/team'
export type { ChainedAction, ChainState, ChainVerdict, KnownHead } from './chain.js'
export { hashOfAction, verifyActions } from './chain.js'
export * from './messages.js'
export type { Acceptance, Accepted } from './seal/accept.js'
export { accept } from './seal/accept.js'
export type { KeyPair } from './seal/keys.js'
export { generateKeys, publicKeyOf } from './seal/keys.js'
export type { Mark } from './seal/mark.js'
export { NO_MARK } from './seal/mark.js'
export type { Offer, Standing } from './seal/offer.js'
export type { HeadPayload } from './seal/payload.js'
export { headOf, readHead, writeHead, writeLease, writeRelease, writeTrust } from './seal/payload.js'
export { REFUSALS, type Refusal, type RefusalCode } from './seal/refusals.js'
export { seal, signPayload } from './seal/seal.js'
