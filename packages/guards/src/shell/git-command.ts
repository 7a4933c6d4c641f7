// The words of a git command: subcommand, options, operands, settings.

/** Options in front of the subcommand that take a value. */
const GLOBAL =
  /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|--attr-source)$/
/** Options that take a value, by subcommand: letters, then long names. */
const VALUED: Readonly<Record<string, readonly [letters: string, ...long: string[]]>> = {
  checkout: ['bBUO', 'orphan', 'conflict', 'inter-hunk-context', 'unified', 'pathspec-from-file'],
  switch: ['cC', 'create', 'force-create', 'orphan', 'conflict'],
  restore: ['sU', 'source', 'conflict', 'inter-hunk-context', 'unified', 'pathspec-from-file'],
  reset: ['', 'pathspec-from-file', 'unified', 'inter-hunk-context'],
  clean: ['e', 'exclude'],
  push: ['o', 'push-option', 'repo', 'receive-pack', 'exec', 'recurse-submodules', 'signed'],
  branch: ['u', 'set-upstream-to', 'sort', 'points-at', 'format', 'contains', 'merged'],
  tag: ['mFun', 'message', 'file', 'local-user', 'sort', 'format'],
  commit: ['mFCct', 'message', 'file', 'author', 'date', 'template', 'fixup', 'squash'],
  rm: ['', 'pathspec-from-file'],
  rebase: ['xsXC', 'exec', 'onto', 'strategy', 'strategy-option'],
}

/** The words of one git command, with the values of options taken out. */
export class GitCommand {
  readonly name: string
  readonly operands: readonly string[]
  /** After `--`. */
  readonly paths: readonly string[]
  readonly config = new Map<string, string>()
  /** Of `-C`, one after the other. */
  readonly folders: string[] = []
  private readonly letters = new Set<string>()
  private readonly long: readonly string[]

  constructor(texts: readonly string[]) {
    let at = 0
    for (; /^-/.test(texts[at] ?? ''); at++) {
      if (texts[at] === '-c') {
        const [key = '', value = 'true'] = (texts[at + 1] ?? '').split(/=([\s\S]*)/)
        this.config.set(key.toLowerCase(), value)
      }
      if (texts[at] === '-C') this.folders.push(texts[at + 1] ?? '')
      if (GLOBAL.test(texts[at]!)) at++
    }
    this.name = (texts[at] ?? '').toLowerCase()
    const [valuedLetters, ...valuedLong] = Object.hasOwn(VALUED, this.name) ? VALUED[this.name]! : ['']
    const operands: string[] = []
    const paths: string[] = []
    const long: string[] = []
    let hasEnd = false
    for (at++; at < texts.length; at++) {
      const text = texts[at]!
      if (hasEnd) paths.push(text)
      if (hasEnd || text === '-' || !text.startsWith('-')) operands.push(text)
      else if (text === '--') hasEnd = true
      else if (text.startsWith('--')) {
        long.push(text.slice(2))
        if (valuedLong.includes(text.slice(2))) at++
      } else
        for (let index = 1; index < text.length; index++) {
          const letter = text[index]!
          this.letters.add(letter)
          if (!valuedLetters.includes(letter)) continue
          // `-bname` or `-b name`.
          if (index === text.length - 1) at++
          break
        }
    }
    this.operands = operands
    this.long = long
    this.paths = paths
  }

  /** The last of opposite options counts, as in `--force --no-force`. */
  has(letters: string, ...names: string[]): boolean {
    if ([...letters].some(letter => this.letters.has(letter))) {
      const last = this.long.findLast(text => names.some(name => text === `no-${name}`))
      return last === undefined
    }
    return names.some(name => {
      const last = this.long.findLast(
        text =>
          text === name ||
          text === `no-${name}` ||
          text.startsWith(`${name}=`) ||
          (text !== '' && name.startsWith(text)),
      )
      return last !== undefined && !last.startsWith('no-')
    })
  }

  option(pattern: RegExp): string | undefined {
    return this.long.find(text => pattern.test(text))
  }
}
