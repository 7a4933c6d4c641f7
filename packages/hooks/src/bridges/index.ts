// Bridges to other agents: their payload in, our hooks run, their response out.

import { antigravity } from './antigravity.js'
import { claudeCode } from './claude-code.js'
import { cline } from './cline.js'
import { codex } from './codex.js'
import { copilot } from './copilot.js'
import { devin } from './devin.js'
import { droid } from './droid.js'
import { gemini } from './gemini.js'
import { goose } from './goose.js'
import { kiro } from './kiro.js'
import { opencode } from './opencode.js'
import { qwen } from './qwen.js'
import type { Bridge } from './types.js'
import { vscode } from './vscode.js'
import { windsurf } from './windsurf.js'

const BRIDGES: readonly Bridge[] = Object.freeze([
  claudeCode,
  codex,
  gemini,
  copilot,
  qwen,
  opencode,
  cline,
  vscode,
  antigravity,
  kiro,
  droid,
  goose,
  devin,
  windsurf,
])

const findBridge = (name: string): Bridge | undefined => BRIDGES.find(bridge => bridge.name === name)

export { type ChangedGuards, findChangedGuards } from './accept-pins.js'
export { runBridge } from './bridge.js'
export { type SimpleCommand, splitCommand, type Word } from './command-words.js'
export type { BridgeCall } from './conversation.js'
export { type BridgeSettings, createStates, statesFolder } from './conversation-state.js'
export type { Commands, Config, EntryCall, OffSwitch, OwnFile } from './settings.js'
export { BRIDGE_LIMIT_SECONDS, ENTRY_LIMIT_SECONDS, managedPath, neededEvents } from './settings.js'
export type {
  AgentEvent,
  Bridge,
  BridgeResponse,
  Conversation,
  EventKind,
  Names,
  Step,
  StepsResult,
  ToolRow,
} from './types.js'
export { GATES, noteOnEvidence } from './types.js'
export { BRIDGES, findBridge }
