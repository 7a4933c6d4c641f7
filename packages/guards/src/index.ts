// @holdfast/guards: the ready guards, by name.

import { audit } from './audit/guard.js'
import { format } from './format/guard.js'
import { git } from './git/guard.js'
import { grind } from './grind/guard.js'
import type { Guard } from './guard.js'
import { kubernetes } from './kubernetes/guard.js'
import { mcp } from './mcp/guard.js'
import { network } from './network/guard.js'
import { packages } from './packages/guard.js'
import { paths } from './paths/guard.js'
import { secrets } from './secrets/guard.js'
import { shell } from './shell/guard.js'
import { sql } from './sql/guard.js'

export type { Finding, Guard, Judgement, Option, Options, Payload, Place } from './guard.js'
export { withDefaults } from './guard.js'
export { commandOf } from './payload.js'
export { schemaOfOptions } from './schema.js'
export { findSecrets, redact, type Secret } from './secrets/find.js'

/** In the order in which they are listed. */
export const GUARDS: readonly Guard[] = [
  shell,
  paths,
  secrets,
  git,
  network,
  sql,
  packages,
  mcp,
  kubernetes,
  audit,
  format,
  grind,
]
