// The words of the protocol, for whoever speaks them without the engine.

export type { Answer, AnswerField, AnswerFieldName, MergeRule, Permission } from './answer.js'
export { ANSWER_ALIASES, ANSWER_FIELDS, DECISION_WORDS } from './answer.js'
export type { Code, CodeRow, ErrorCode, FailureCode, IssueCode, NoteCode } from './codes.js'
export { CODES } from './codes.js'
export type {
  Catalog,
  Dialect,
  EntryField,
  HookDefinition,
  HookFunction,
  Issue,
  Layer,
  Managed,
  Matcher,
  Mode,
  Script,
  Source,
  SourceKind,
  Team,
} from './config.js'
export { ENTRY_FIELDS, SOURCES } from './config.js'
export type { EventRow, Subject, Trace, Version } from './event-row.js'
export { VERSIONS } from './event-row.js'
export type { EventName, EventSpec } from './events.js'
export { EVENT_NAMES, EVENT_SPECS, EVENTS, findEvent } from './events.js'
export { parseJson, writeJson } from './json.js'
export type { FactProblem, Facts, LooseFacts, Payload } from './payload.js'
export { acceptFacts, inVersion, payloadSchema } from './payload.js'
export type { PayloadChange, Profile, ProfileName, RowChange } from './profiles.js'
export { eventsUnder, findProfile, PROFILE_NAMES, PROFILES } from './profiles.js'
export type { EvaluatePrompt, PromptQuestion, PromptReply } from './prompt.js'
export type { Event, Exit, Failure, Note, Outcome, Plan, Planned, Run, Skipped, SkipReason } from './run.js'
export { samplePayload } from './samples.js'
export { STRICTNESS } from './strictness.js'
export type { Denial, Explanation, Observed, Opinion, Overruled, Rewrite, Verdict } from './verdict.js'
export { isAsking, isBlocked } from './verdict.js'
