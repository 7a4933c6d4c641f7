// The command of an entry → what to start. A command without shell syntax is started directly, which saves a
// process; everything else goes through the shell. The outcome is the same either way.

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

/** Words that mean something to the shell itself; a program of the same name may behave otherwise. */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  (
    '. : [ [[ alias bg bind break builtin caller case cd chdir command compgen complete compopt continue coproc ' +
    'declare dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi for function ' +
    'getopts hash help history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray ' +
    'readonly return select set shift shopt source suspend test then time times trap true type typeset ulimit ' +
    'umask unalias unset until wait while'
  ).split(' '),
)

const needsShell = (first: string) => first === '' || SHELL_WORDS.has(first) || /^\w+\+?=/.test(first)

/** Everything that the shell would not touch. */
const PLAIN = /^[\w\-./:=,@%+ \t]+$/
/** Inside quotes nearly all is plain; a double quote still expands $, ` and \, and ! in some shells. */
const QUOTED = /^(?:[\w\-./:=,@%+ \t]|'[^'\0]*'|"[^"$`\\!\0]*")+$/
const WORD = /(?:[^\s'"]|'[^']*'|"[^"]*")+/g

/** The words of a command that needs no shell; undefined when it does. */
export function plainWords(command: string): string[] | undefined {
  const trimmed = command.trim()
  if (PLAIN.test(trimmed)) return trimmed.split(/[ \t]+/)
  if (!QUOTED.test(trimmed)) return undefined
  return (trimmed.match(WORD) ?? []).map(word => word.replace(/'([^']*)'|"([^"]*)"/g, (_, a, b) => a ?? b))
}
