// What the pages work with.

import type { Limit } from '../../access/limits.js'
import type { Team } from '../../team.js'
import type { Auth } from '../auth.js'

export interface House {
  readonly team: Team
  readonly auth: Auth
  /** Where people may sign in instead, in words; null when nowhere. */
  readonly issuer: string | null
  /** False: people sign in by OIDC only. */
  readonly passwords: boolean
  /** Failed sign-ins, by account and by network. */
  readonly account: Limit
  readonly network: Limit
  /** Wrong device codes, by person and by network. */
  readonly codes: Limit
  refused(what: string, who: string, detail: string): void
}
