// The words of a command that needs no shell. Used to start it directly, and to derive the files that it runs.

/** Commands of the shell itself. A program of the same name may behave differently. */
export const SHELL_WORDS: ReadonlySet<string> = new Set(
  (
    '. : [ [[ alias bg bind break builtin caller case cd chdir command compgen complete compopt continue coproc ' +
    'declare dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi for function ' +
    'getopts hash help history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray ' +
    'readonly return select set shift shopt source suspend test then time times trap true type typeset ulimit ' +
    'umask unalias unset until wait while'
  ).split(' '),
)

export const isAssignment = (word: string): boolean => /^\w+\+?=/.test(word)

/** Characters that a shell passes on unchanged. */
const PLAIN = /^[\w\-./:=,@%+ \t]+$/
/** Most characters are plain inside quotes; in double quotes $, ` and \ expand, and ! does in some shells. */
const QUOTED = /^(?:[\w\-./:=,@%+ \t]|'[^'\0]*'|"[^"$`\\!\0]*")+$/
const WORD = /(?:[^\s'"]|'[^']*'|"[^"]*")+/g

/** The words of a command without shell syntax; undefined if it has any. */
export function plainWords(command: string): string[] | undefined {
  const trimmed = command.trim()
  if (PLAIN.test(trimmed)) return trimmed.split(/[ \t]+/)
  if (!QUOTED.test(trimmed)) return undefined
  return (trimmed.match(WORD) ?? []).map(word => word.replace(/'([^']*)'|"([^"]*)"/g, (_, a, b) => a ?? b))
}

/** Quotes any text as one word for a shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
