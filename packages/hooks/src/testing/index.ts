// The test kit for authors of hooks: an event, fired at a function, a script or a whole hooks.json through the real
// engine, and what is expected of the verdict. Above the line for authors, below for tools around it.

// Programs of the SDK start by themselves, except where they are tested.
Object.assign(globalThis, { [Symbol.for('holdfast.testing')]: true })

export type { Decision } from './decision.js'
export type { GivenOptions, Result } from './fire.js'
export type { Case, Given, GivenFacts } from './given.js'
export { given } from './given.js'
export type { Arbitrary, FastCheck } from './payloads.js'
export { payloads } from './payloads.js'
export { sample } from './sample.js'
export type { Handler, HooksJson, Program, Script, ScriptEntry, Target } from './target.js'
export { hooksJson, script } from './target.js'
export type { Text } from './text.js'

// ——— for tools ———

export { decisionOf, decisionWords, isFailed } from './decision.js'
export type { Expected, ExpectedWord, FailedWord, Mismatch, Seen, VerdictWord } from './expected.js'
export { compare, EXPECTED_WORDS, FAILED_WORDS, VERDICT_WORDS } from './expected.js'
export { completeFacts } from './facts.js'
export { isText, sayText, whereTheyDiffer } from './text.js'
