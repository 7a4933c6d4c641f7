// The findings, and whether any of them is a problem.

import type { Issue, Layer } from '@holdfast/hooks/protocol'
import type { Connected } from './agents.js'
import { type Examined, isUntrusted } from './examine.js'

export interface Findings {
  readonly examined: readonly Examined[]
  /** Whether canaries were fired. */
  readonly ran: boolean
  /** Required sources that could not be loaded completely. */
  readonly missing: readonly Issue[]
  /** Errors of the configuration, those of the hooks above included. */
  readonly errors: number
  /** The sources whose file could not be loaded. */
  readonly failed: readonly Layer[]
  readonly agents: readonly Connected[]
  /** The daemon that answers agents; absent if none runs. */
  readonly daemon?: DaemonFinding
}

export interface DaemonFinding {
  readonly state: 'running' | 'trouble'
  readonly message: string
}

/** A hook that fails open is not a problem while it works. */
export const isTrouble = (one: Examined): boolean =>
  one.state === 'failed' || one.state === 'cannot-run' || isUntrusted(one)

/** In this version, with this entry. A hook that a version does not run cannot fail. */
export const opens = (one: Examined): boolean =>
  one.spec.gate !== 'none' && one.policy.effect === 'open' && (one.state !== 'not-run' || isUntrusted(one))

export const hasTrouble = ({ examined, missing, errors, agents }: Findings): boolean =>
  examined.length === 0 ||
  examined.some(isTrouble) ||
  missing.length > 0 ||
  errors > 0 ||
  agents.some(({ state }) => state === 'trouble')
