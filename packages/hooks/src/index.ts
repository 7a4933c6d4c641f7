// The public door. Above the line for hosts that embed the engine, below for tools around it.

export type { OnAsk, Question as AskQuestion } from './enforce/enforce.js'
export type { Hooks } from './engine.js'
export { openHooks } from './engine.js'
export { HookBlockedError, HooksError } from './errors.js'
export type { CommandHook, FunctionHook } from './given-hooks.js'
export type { HostOptions } from './host.js'
export type { EventName } from './protocol/events.js'
export type { Facts, Payload } from './protocol/payload.js'
export type { EvaluatePrompt, PromptQuestion, PromptReply } from './protocol/prompt.js'
export type { Verdict } from './protocol/verdict.js'
export { isAsking, isBlocked } from './protocol/verdict.js'
export type { FireOptions, Guarded, Session, SessionMemory, SessionOptions } from './session.js'

// ——— for tools ———

export { opinionOf } from './decide/failure.js'
export type { DiscoverOptions, Program } from './discover/discover.js'
export { discover, inspectFile, programsOf } from './discover/discover.js'
export { nearest } from './discover/nearest.js'
export type { TrustStore } from './discover/trust.js'
export { fileTrustStore, memoryTrustStore } from './discover/trust.js'
export { openLog, readRecords } from './record/jsonl.js'
export type { RedactOptions, RunRecord } from './record/record.js'
export { read as readExit } from './run/read.js'
export { SESSION_FACTS } from './session.js'
export type { HookStatus, LastRun } from './status.js'
