// What the engine and the device client share about a team: signed envelopes, root metadata, releases, and the managed
// folder. For @holdfast/team; not a public API.

export type { Bundle, SetProblem, Viewer } from './bundle.js'
export { findScript, isKilledName, killedName, readBundle } from './bundle.js'
export type { Enrolment } from './enrolment.js'
export { isAddress, loadEnrolment } from './enrolment.js'
export type { Expected, Sealed, SealSignature, SealType, WrittenSeal } from './envelope.js'
export {
  parseSeal,
  readSeal,
  readSignatures,
  SEAL_CHECKS,
  sealRefusal,
  sha256,
  signedBytes,
  signersOf,
  writeSeal,
  writeSignatures,
  writtenSeal,
} from './envelope.js'
export { KEY_BYTES, keyIdOf, keyProblem, toPublic } from './keys.js'
export type { HeadPayload, LeasePayload, Order } from './lease.js'
export { headOf, readHead, readLease, writeHead, writeLease } from './lease.js'
export { LIMITS } from './limits.js'
export { jsonBytes, killedManifest, manifestOf } from './manifest.js'
export { scriptNameProblem, scriptNamesProblem } from './names.js'
export type { Place } from './place.js'
export { folderProblem, managedFolder, placeOf, systemOf } from './place.js'
export { isFolder, listFolder, readJson, readPlain } from './read.js'
export type { Refusal, RefusalCode } from './refusals.js'
export { REFUSALS } from './refusals.js'
export type { OperatingSystem, ReleasePayload, SignedHook } from './release.js'
export { isFor, OPERATING_SYSTEMS, readRelease, writeRelease } from './release.js'
export type { KeptTrust, TrustPayload, Walk } from './root-metadata.js'
export {
  fingerprintOf,
  keptOf,
  keysOf,
  loadTrust,
  readTrust,
  rootMetadataFile,
  sayFingerprint,
  walkTrust,
  writeTrust,
} from './root-metadata.js'
export type { Fitted, Part } from './shape.js'
export {
  above0,
  fit,
  flag,
  hex,
  isTeamId,
  isTime,
  list,
  object,
  oneOf,
  orNull,
  prose,
  set,
  teamId,
  text,
  time,
  whole,
} from './shape.js'
export type { StrictJson } from './strict-json.js'
export { parseStrict, quote } from './strict-json.js'
export type { Verification } from './verify.js'
export { verifyTeam } from './verify.js'
