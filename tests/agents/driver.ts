// What the proofs ask of every agent: run one prompt in the real program, with a model that follows a script.

import type { AgentName } from '../fixtures/agents.js'
import type { Stage } from './stage.js'

/** What the model says in one answer. */
export type Turn =
  | { readonly say: string }
  | { readonly shell: string }
  | { readonly read: string }
  | { readonly write: string; readonly content: string }

export interface Ran {
  readonly exitCode: number | null
  /** What the program printed, stdout and stderr together. */
  readonly output: string
  /** For each request of the conversation, in order: everything that the model was told, as one text. */
  readonly told: readonly string[]
}

export interface Driver {
  readonly agent: AgentName
  /** What the proofs stand under, where one agent is proven in several ways. */
  readonly title?: string
  /** The package that holds the program, and the versions that the proofs are known to hold for. */
  readonly program: { readonly package: string; readonly version: string }
  /** Proofs that this agent cannot give, and what of its losses says why; they show what happens instead. */
  readonly cannot?: Readonly<Record<string, string>>
  /**
   * Runs the program once, without a terminal, until it ends. The model answers the first request with the first
   * turn and so on, and says "Done." when there are no more.
   */
  run(stage: Stage, prompt: string, turns: readonly Turn[]): Promise<Ran>
}
