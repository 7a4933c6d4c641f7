// The engine and the device client share this: signed envelopes, root metadata, releases, and the managed folder. For
// @holdfast/team; not a public API.

export { isFolder, listFolder } from '../config/file.js'
export { quote } from '../config/json.js'
export { type Held, lock } from '../lock.js'
export * from './bundle.js'
export * from './envelope.js'
export * from './lease.js'
export * from './place.js'
export * from './release.js'
export * from './root-metadata.js'
export * from './shape.js'
export { verifyTeam } from './verify.js'
