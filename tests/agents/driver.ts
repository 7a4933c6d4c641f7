// The interface of the proofs to each agent: run one prompt in the real program, with a model that follows a script.

import type { AgentName } from '../fixtures/agents.js'
import type { Stage } from './stage.js'

/** One response of the model. */
export type Turn =
  | { readonly say: string }
  | { readonly shell: string }
  | { readonly read: string }
  | { readonly write: string; readonly content: string }

export interface Ran {
  readonly exitCode: number | null
  /** What the program printed, stdout and stderr together. */
  readonly output: string
  /** For each request of the conversation, in order: the complete input of the model, as one text. */
  readonly told: readonly string[]
}

export interface Driver {
  readonly agent: AgentName
  /** The title of the proofs, if one agent is tested in several ways. */
  readonly title?: string
  /** The package of the program, and the versions for which the proofs are known to hold. */
  readonly program: { readonly package: string; readonly version: string }
  /** Proofs that this agent cannot pass, with the limitation that explains each; they show what happens instead. */
  readonly cannot?: Readonly<Record<string, string>>
  /**
   * Runs the program once, without a terminal, until it ends. The model responds to the first request with the first
   * turn and so on, and with "Done." after the last.
   */
  run(stage: Stage, prompt: string, turns: readonly Turn[]): Promise<Ran>
}
