// The protocol without the engine: types and tables.

export { withTimeLimit } from './abort.js'
export type { Code, CodeRow, ErrorCode, FailureCode, IssueCode, NoteCode } from './codes.js'
export { CODES } from './codes.js'
export type {
  Catalog,
  Dialect,
  EntryField,
  HookDefinition,
  HookFunction,
  HookType,
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
export type { AnyFields, EventFields, FieldProblem, Payload } from './payload.js'
export { acceptFields, inVersion, payloadSchema } from './payload.js'
export type { PayloadChange, Profile, ProfileName, RowChange } from './profiles.js'
export { eventsUnder, findProfile, PROFILE_NAMES, PROFILES } from './profiles.js'
export type { EvaluatePrompt, PromptQuestion, PromptReply } from './prompt.js'
export type { MergeRule, Permission, Response, ResponseField, ResponseFieldName } from './response-fields.js'
export { DECISION_WORDS, RESPONSE_ALIASES, RESPONSE_FIELDS } from './response-fields.js'
export { updatesOf } from './rewrite.js'
export type { Event, Exit, Failure, Note, Outcome, Plan, Planned, Run, Skipped, SkipReason } from './run.js'
export { samplePayload } from './samples.js'
export { STRICTNESS } from './strictness.js'
export type { Decision, Denial, Explanation, Observed, Overruled, Rewrite, Verdict } from './verdict.js'
export { isAsking, isBlocked } from './verdict.js'
