// All that was found, and whether any of it is trouble.

import type { Issue } from '@holdfast/hooks/protocol'
import type { Connected } from './agents.js'
import { type Examined, isUntrusted } from './examine.js'

export interface Findings {
  readonly examined: readonly Examined[]
  /** Whether canaries were fired. */
  readonly ran: boolean
  /** Sources that must be there and are not whole. */
  readonly missing: readonly Issue[]
  /** Errors of the configuration, those of the hooks above included. */
  readonly errors: number
  readonly agents: readonly Connected[]
}

/** A hook that fails open is none as long as it does not fail. */
export const isTrouble = (one: Examined): boolean =>
  one.state === 'failed' || one.state === 'cannot-run' || isUntrusted(one)

/** In this version, with this entry. What a version does not run lets nothing through by failing. */
export const opens = (one: Examined): boolean =>
  one.spec.gate !== 'none' && one.policy.effect === 'open' && (one.state !== 'not-run' || isUntrusted(one))

export const hasTrouble = ({ examined, missing, errors, agents }: Findings): boolean =>
  examined.length === 0 ||
  examined.some(isTrouble) ||
  missing.length > 0 ||
  errors > 0 ||
  agents.some(({ state }) => state === 'trouble')
