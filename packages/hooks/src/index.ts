// The public entry point. Above the line for hosts that embed the engine, below for tools around it.

export { CANNOT_ASK, type OnAsk, type Question as AskQuestion, type Refusal } from './enforce/enforce.js'
export type { Hooks } from './engine.js'
export { openHooks } from './engine.js'
export { HookBlockedError, HooksError } from './errors.js'
export type {
  CommandHook,
  FunctionHook,
  GivenHook,
  HookResult,
  HttpHook,
  PromptHook,
} from './given-hooks.js'
export type { HostOptions } from './host.js'
export type { ShownHook } from './live-catalog.js'
export type { EventObserver, OnEvent, OnVerdict, StartedEvent } from './observers.js'
export type { EventName } from './protocol/events.js'
export type { EventFields, Payload } from './protocol/payload.js'
export type { EvaluatePrompt, PromptQuestion, PromptReply } from './protocol/prompt.js'
export type { ResponseFields } from './protocol/response.js'
export type { Explanation, Verdict } from './protocol/verdict.js'
export { isAsking, isBlocked } from './protocol/verdict.js'
export type { FireOptions, Guarded, Session, SessionMemory, SessionOptions, StartOptions } from './session.js'

// ——— for tools ———

export { readText } from './config/file.js'
export { quote } from './config/json.js'
export { nearest, sortIssues } from './config/report.js'
export { decisionOf } from './decide/decide.js'
export { mergeFields } from './decide/merge.js'
export { countedRuns } from './decide/rounds.js'
export type { DiscoverOptions } from './discover/discover.js'
export { discover, inspectFile } from './discover/discover.js'
export type { TrustStore } from './discover/trust.js'
export { fileTrustStore, memoryTrustStore } from './discover/trust.js'
export { read as readExit } from './read/read.js'
export type { RedactOptions, RunRecord } from './record/record.js'
export type { StartCommand, StartedCommand } from './run/run.js'
export { SESSION_FIELDS } from './session.js'
export { shellWord } from './shell.js'
export type { HookStatus, LastRun } from './status.js'
export { isFound } from './watchdog.js'
