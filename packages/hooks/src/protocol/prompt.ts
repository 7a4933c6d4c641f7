// The question of a prompt hook to a model, and its reply.

export interface PromptQuestion {
  /** The system prompt: what the model is, and that the fenced payload is data. */
  readonly system: string
  /** The hook's question with the fenced payload inside. */
  readonly prompt: string
  /** The model the entry names; null leaves the choice to the host. */
  readonly model: string | null
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface PromptReply {
  readonly ok: boolean
  readonly reason?: string | undefined
}

export type EvaluatePrompt = (question: PromptQuestion) => Promise<PromptReply>
