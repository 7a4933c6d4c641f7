// Every agent there is a bridge to.

import { claudeCode } from './claude-code.js'
import { codex } from './codex.js'
import { copilot } from './copilot.js'
import { gemini } from './gemini.js'
import { qwen } from './qwen.js'
import type { Bridge } from './shape.js'

export const BRIDGES: readonly Bridge[] = Object.freeze([claudeCode, codex, gemini, copilot, qwen])

export const findBridge = (name: string): Bridge | undefined => BRIDGES.find(bridge => bridge.name === name)
