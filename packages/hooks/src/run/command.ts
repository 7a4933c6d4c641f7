// The command of an entry → what to start. A command without shell syntax is started directly, which saves a
// process; everything else goes through the shell. The outcome is the same either way.

import { isAssignment, plainWords, SHELL_WORDS } from '../shell.js'

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

const POWERSHELL = ['-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass']

const INTERPRETERS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['node.exe'],
  '.mjs': ['node.exe'],
  '.cjs': ['node.exe'],
  '.py': ['python.exe'],
  '.rb': ['ruby.exe'],
  '.pl': ['perl.exe'],
  '.sh': ['bash.exe'],
  '.bash': ['bash.exe'],
  '.ps1': ['powershell.exe', ...POWERSHELL, '-File'],
}

/**
 * Windows has no execute bit and no shebang, so a script is started through the interpreter that its extension names;
 * everything else goes through PowerShell.
 */
function windowsCommand(command: string): CommandLine {
  const words = plainWindowsWords(command.trim())
  if (words) {
    const [first, ...rest] = words as [string, ...string[]]
    const extension = /\.\w+$/.exec(first)?.[0].toLowerCase() ?? ''
    if (extension === '.exe' || extension === '.com') return { file: first, args: rest }
    if (extension === '.cmd' || extension === '.bat') return throughCmd(first, rest)
    const interpreter = INTERPRETERS[extension]
    if (interpreter) return { file: interpreter[0]!, args: [...interpreter.slice(1), first, ...rest] }
  }
  return throughPowerShell(command)
}

/** Double quotes only; backslashes are path separators and stay as they are. */
function plainWindowsWords(command: string): string[] | undefined {
  if (!/^(?:[\w\-./\\:=,@+~ \t]|"[^"$`%\r\n]*")+$/.test(command)) return undefined
  const words = command.match(/(?:[^\s"]|"[^"]*")+/g)
  return words?.map(word => word.replaceAll('"', ''))
}

/** A batch file must go through cmd.exe; the outer quotes are the ones that /s takes away. */
function throughCmd(file: string, args: readonly string[]): CommandLine {
  const quoted = [file, ...args].map(word => `"${word}"`).join(' ')
  return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${quoted}"`], verbatim: true }
}

/** A command that starts with a quote is a text to PowerShell until & makes it a call; $LASTEXITCODE is passed on. */
function throughPowerShell(command: string): CommandLine {
  const trimmed = command.trim()
  const call = /^["']/.test(trimmed) ? `& ${trimmed}` : trimmed
  const script = `${call}; if ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE } elseif (-not $?) { exit 1 }`
  return { file: 'powershell.exe', args: [...POWERSHELL, '-Command', script] }
}
