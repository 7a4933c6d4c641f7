// What the engine tells this room.

import type { SourceKind } from '../protocol/config.js'
import type { TrustStore } from './trust.js'

export interface DiscoverOptions {
  readonly platform: NodeJS.Platform
  readonly home: string
  /** Overrides the folder of the enterprise source. */
  readonly enterpriseDir?: string
  /** Workspace roots. One that is given twice, under whatever name, counts once. */
  readonly roots: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absent: every managed folder that is there. */
  readonly teamId?: string
  /** Whether Claude settings are read too. */
  readonly claude: boolean
  readonly plugins: readonly string[]
  /** Sources without which permission events are denied. */
  readonly required: readonly SourceKind[]
  /** Whether project hooks run from the root, or from the folder of hooks.json. */
  readonly pathBase: 'root' | 'file'
  /** Profile: a file that is deleted while running keeps its hooks. */
  readonly keepDeleted?: boolean
  /** Whether managed folders count that no enrolment set up, and nobody signed. */
  readonly trustUnsignedTeams?: boolean
  readonly trust: TrustStore
  readonly trustAll: boolean
  /** Hooks that are not fully covered do not run, trusted or not. */
  readonly fullCoverage?: boolean
}
