// The services and settings that the pages use.

import type { Limit } from '../../access/limits.js'
import type { Standing } from '../../store/members.js'
import type { Team } from '../../team.js'
import type { Auth } from '../auth.js'

export interface Site {
  readonly team: Team
  readonly auth: Auth
  /** The name of the other way to sign in; null if there is none. */
  readonly issuer: string | null
  /** False: users sign in by OIDC only. */
  readonly passwords: boolean
  /** Whether this member may do nothing before a second factor is set up. */
  mustSetUp(standing: Standing): boolean
  /** Failed sign-ins, by account and by network. */
  readonly account: Limit
  readonly network: Limit
  /** Wrong device codes, by user and by network. */
  readonly codes: Limit
  refused(what: string, who: string, detail: string): void
}
