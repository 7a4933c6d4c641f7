// The public entry point. Above the line for hosts that embed the engine, below for tools around it.

export type { OnAsk, Question as AskQuestion } from './enforce/enforce.js'
export type { Hooks } from './engine.js'
export { openHooks } from './engine.js'
export { HookBlockedError, HooksError } from './errors.js'
export type {
  CommandHook,
  FunctionHook,
  GivenHook,
  HookResult,
  PromptHook,
} from './given-hooks.js'
export type { HostOptions } from './host.js'
export type { EventObserver, OnEvent, OnVerdict, StartedEvent } from './observers.js'
export type { EventName } from './protocol/events.js'
export type { Facts, Payload } from './protocol/payload.js'
export type { EvaluatePrompt, PromptQuestion, PromptReply } from './protocol/prompt.js'
export type { HookResponse } from './protocol/response.js'
export type { Explanation, Verdict } from './protocol/verdict.js'
export { isAsking, isBlocked } from './protocol/verdict.js'
export type { FireOptions, Guarded, Session, SessionMemory, SessionOptions, StartOptions } from './session.js'

// ——— for tools ———

export { opinionOf } from './decide/failure.js'
export type { DiscoverOptions } from './discover/discover.js'
export { discover, inspectFile } from './discover/discover.js'
export { quote } from './discover/json.js'
export { nearest } from './discover/nearest.js'
export { readText } from './discover/read.js'
export { sortIssues } from './discover/report.js'
export type { TrustStore } from './discover/trust.js'
export { fileTrustStore, memoryTrustStore } from './discover/trust.js'
export { read as readExit } from './read/read.js'
export { openLog, readRecords } from './record/jsonl.js'
export type { RedactOptions, RunRecord } from './record/record.js'
export type { Place, Tail } from './record/tail.js'
export { openTail } from './record/tail.js'
export { SESSION_FACTS } from './session.js'
export type { HookStatus, LastRun } from './status.js'
