// The door for hosts that let a model answer prompt hooks. Load it lazily: it brings the whole AI SDK along,
// and most plans hold no prompt hook.

export type { PromptEvaluatorOptions } from './evaluate.js'
export { promptEvaluator } from './evaluate.js'
