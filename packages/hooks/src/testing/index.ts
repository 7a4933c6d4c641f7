// The test kit for authors of hooks: fires an event at a function, a script or a hooks.json through the real engine, and
// checks the verdict. Above the line for authors, below for tools.

// Makes SDK programs wait for the kit instead of reading stdin.
Object.assign(globalThis, { [Symbol.for('holdfast.testing')]: true })

export type { Case, CasePayload, Given } from './case.js'
export { given } from './case.js'
export type { Decision } from './expectations.js'
export type { CaseOptions, Result } from './fire.js'
export type { Arbitrary, FastCheck } from './payloads.js'
export { payloads, sample } from './payloads.js'
export type { Handler, HooksJson, Program, Script, ScriptEntry, Target } from './target.js'
export { hooksJson, script } from './target.js'
export type { Text } from './text.js'

// ——— for tools ———

export type {
  ExpectationName,
  Expected,
  ExpectedFailure,
  ExpectedVerdict,
  Mismatch,
  Observation,
} from './expectations.js'
export {
  compare,
  decisionOf,
  describeDecision,
  EXPECTATION_NAMES,
  EXPECTED_FAILURES,
  EXPECTED_VERDICTS,
  isFailed,
} from './expectations.js'
export { completePayload } from './fire.js'
export { describeDifference, describeText, matchesText } from './text.js'
