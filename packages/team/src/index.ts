// The messages that a team server and its devices exchange. Generated from proto/; the envelopes are written by hand.

export type {
  Envelope,
  EnvelopeSignature,
  EnvelopeType,
  Fitted,
  LeasePayload,
  OperatingSystem,
  Order,
  ReleasePayload,
  SignedHook,
  TrustPayload,
  VerifiedChain,
  WrittenEnvelope,
} from '@holdfast/hooks/team'
export {
  envelopeRejection,
  fingerprintOf,
  formatFingerprint,
  isFor,
  isTeamId,
  keyIdOf,
  keyProblem,
  keysOf,
  LIMITS,
  OPERATING_SYSTEMS,
  parseEnvelope,
  readEnvelope,
  readLease,
  readRelease,
  readSignatures,
  readTrust,
  scriptNameProblem,
  scriptNamesProblem,
  sha256,
  signedBytes,
  signersOf,
  thresholdOf,
  verifyTrustChain,
  writeEnvelope,
  writeSignatures,
} from '@holdfast/hooks/team'
export type { ChainedAction, ChainState, ChainVerdict, KnownHead } from './chain.js'
export { hashOfAction, verifyActions } from './chain.js'
export * from './messages.js'
export type { Acceptance, Accepted } from './signing/accept.js'
export { accept } from './signing/accept.js'
export { signEnvelope, signPayload } from './signing/envelope.js'
export type { KeyPair } from './signing/keys.js'
export { generateKeys, publicKeyOf } from './signing/keys.js'
export type { Mark } from './signing/mark.js'
export { NO_MARK } from './signing/mark.js'
export type { Offer, Standing } from './signing/offer.js'
export type { HeadPayload } from './signing/payload.js'
export { headOf, readHead, writeHead, writeLease, writeRelease, writeTrust } from './signing/payload.js'
export { REFUSALS, type Refusal, type RefusalCode } from './signing/refusals.js'
