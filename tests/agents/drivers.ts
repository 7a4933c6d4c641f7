// Every agent that npm carries and that can be run against a model on this machine.

import { claudeCode } from './claude-code.js'
import { codex, codexByScript } from './codex.js'
import type { Driver } from './driver.js'

export const DRIVERS: readonly Driver[] = [claudeCode, codex, codexByScript]
