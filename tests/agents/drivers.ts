// Every agent that npm carries and that runs with a model on this machine.

import { claudeCode } from './claude-code.js'
import { cline } from './cline.js'
import { codex, codexByScript } from './codex.js'
import { copilot } from './copilot.js'
import type { Driver } from './driver.js'
import { gemini } from './gemini.js'
import { opencode } from './opencode.js'
import { qwen } from './qwen.js'

export const DRIVERS: readonly Driver[] = [
  claudeCode,
  codex,
  codexByScript,
  gemini,
  copilot,
  qwen,
  opencode,
  cline,
]
