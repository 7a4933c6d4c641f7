// What all parts of the server share: the team's database, its clock, notifications of changes, and its address.

import type { Records } from './audit/records.js'
import type { Hub } from './push/hub.js'
import type { FoundSandbox } from './replay/sandbox.js'
import type { Secrets } from './secrets.js'
import type { Store } from './store/open.js'

export interface Team {
  readonly id: string
  readonly name: string
  readonly store: Store
  readonly records: Records
  readonly hub: Hub
  readonly secrets: Secrets
  /** Where drafts run. */
  readonly sandbox: () => Promise<FoundSandbox>
  readonly now: () => number
  readonly log: Log
  /** The address for users and devices, without a slash at the end. */
  readonly url: string
}

/** Structured lines without secrets. */
export interface Log {
  info(message: string, facts?: Record<string, unknown>): void
  warn(message: string, facts?: Record<string, unknown>): void
  error(message: string, facts?: Record<string, unknown>): void
}
