// The command of an entry → what to start. A command without shell syntax is started directly, which saves a
// process; everything else goes through the shell. The outcome is the same either way.

import { isAssignment, plainWords, SHELL_WORDS } from '../shell.js'
import { windowsCommand } from './command-windows.js'

export interface CommandLine {
  readonly file: string
  readonly args: readonly string[]
  /** Windows: pass the arguments as they are. */
  readonly verbatim?: boolean
}

export function commandLine(command: string, platform: NodeJS.Platform): CommandLine {
  if (platform === 'win32') return windowsCommand(command)
  const words = plainWords(command)
  if (!words || needsShell(words[0]!)) return { file: '/bin/sh', args: ['-c', command] }
  return { file: words[0]!, args: words.slice(1) }
}

const needsShell = (first: string) => first === '' || SHELL_WORDS.has(first) || isAssignment(first)
