// Git commands that discard work that is not committed, rewrite what others have, or remove the way back.

import { type Finding, finding, type Rule } from '../finding.js'

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
class GitCommand {
  readonly name: string
  readonly operands: readonly string[]
  /** After `--`. */
  readonly paths: readonly string[]
  readonly config = new Map<string, string>()
  private readonly letters = new Set<string>()
  private readonly long: readonly string[]

  constructor(texts: readonly string[]) {
    let at = 0
    for (; /^-/.test(texts[at] ?? ''); at++) {
      if (texts[at] === '-c') {
        const [key = '', value = 'true'] = (texts[at + 1] ?? '').split(/=([\s\S]*)/)
        this.config.set(key.toLowerCase(), value)
      }
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

const DISCARDS = 'It discards changes that are not committed.'
const OVERWRITES = 'It overwrites changed files.'

const JUDGES: Readonly<Record<string, (git: GitCommand) => Finding | undefined>> = {
  reset: git => (git.has('', 'hard', 'merge') ? finding('git/reset', DISCARDS) : undefined),
  clean: git => {
    const isForced =
      git.has('f', 'force') || /^(?:false|no|off|0)$/i.test(git.config.get('clean.requireforce') ?? '')
    return isForced && !git.has('n', 'dry-run') && !git.has('i', 'interactive')
      ? finding(
          'git/clean',
          'It deletes files that git does not track.',
          // A named folder is a smaller loss than the work tree.
          git.operands.length > 0 &&
            git.operands.every(text => /^[\w-][\w./-]*\/[\w.-]+$/.test(text) && !text.includes('..'))
            ? 'ask'
            : 'deny',
        )
      : undefined
  },
  checkout: git => {
    const { operands } = git
    if (git.has('f', 'force')) return finding('git/checkout', DISCARDS)
    if (git.has('bBt', 'orphan', 'track') || git.has('p', 'patch')) return undefined
    const isPath = operands.some(text => /^(?:\.{1,2}(?:\/.*)?|:\/.*|:\(.*|\*.*)$/.test(text))
    return git.paths.length > 0 ||
      isPath ||
      git.option(/^pathspec-from-file/) !== undefined ||
      operands.length > 1 ||
      (git.has('', 'ours', 'theirs') && operands.length > 0)
      ? finding('git/checkout', OVERWRITES)
      : undefined
  },
  switch: git => (git.has('f', 'force', 'discard-changes') ? finding('git/switch', DISCARDS) : undefined),
  restore: git => {
    if (git.has('p', 'patch')) return undefined
    if (git.operands.length === 0 && git.option(/^pathspec-from-file/) === undefined) return undefined
    return git.has('S', 'staged') && !git.has('W', 'worktree')
      ? undefined
      : finding('git/restore', OVERWRITES)
  },
  push: git => {
    if (git.has('n', 'dry-run')) return undefined
    const refs = git.operands.slice(1)
    const isLeased = git.has('', 'force-with-lease') || git.option(/^force-with-lease/) !== undefined
    if (
      git.has('', 'mirror') ||
      git.has('f', 'force') ||
      (!isLeased && refs.some(text => text.startsWith('+')))
    )
      return finding('git/push-force', 'It overwrites commits of others.')
    if (git.has('d', 'delete') || refs.some(text => /^\+?:./.test(text)))
      return finding('git/push-delete', 'It deletes a branch or tag of others.', 'ask')
    return git.has('', 'prune')
      ? finding('git/push-delete', 'It deletes branches of others that are not here.', 'ask')
      : undefined
  },
  branch: git =>
    git.has('DMC') ||
    (git.has('dmc', 'delete', 'move', 'copy') && git.has('f', 'force')) ||
    (git.has('f', 'force') && git.operands.length > 0)
      ? finding('git/branch', 'It removes or overwrites a branch that may not be merged.')
      : undefined,
  tag: git =>
    git.has('d', 'delete') || (git.has('f', 'force') && git.operands.length > 0)
      ? finding('git/tag', 'It removes or moves a tag.', 'ask')
      : undefined,
  stash: ({ operands: [first] }) =>
    /^(?:drop|clear)$/.test(first ?? '') ? finding('git/stash', 'It deletes stashed changes.') : undefined,
  reflog: git => {
    const [first] = git.operands
    const way = 'It removes the way back to earlier commits.'
    if (git.has('n', 'dry-run')) return undefined
    if (first === 'delete' || first === 'drop') return finding('git/reflog', way)
    if (first !== 'expire') return undefined
    return finding(
      'git/reflog',
      way,
      git.option(/^expire(?:-unreachable)?=(?:now|all|0)/) === undefined ? 'ask' : 'deny',
    )
  },
  gc: git =>
    git.option(/^prune=(?:now|all)$/) === undefined
      ? undefined
      : finding('git/prune', 'It removes unreachable commits for good.'),
  prune: git =>
    git.has('n', 'dry-run') ? undefined : finding('git/prune', 'It removes unreachable commits for good.'),
  'filter-branch': git =>
    finding('git/rewrite', 'It rewrites the history.', git.has('f', 'force') ? 'deny' : 'ask'),
  'filter-repo': git =>
    git.has('', 'dry-run', 'analyze') ? undefined : finding('git/rewrite', 'It rewrites the history.'),
  'update-ref': git =>
    git.has('d', 'delete') || git.has('', 'stdin')
      ? finding('git/update-ref', 'It deletes a reference.')
      : undefined,
  replace: git =>
    git.has('df', 'delete', 'force') ? finding('git/update-ref', 'It deletes a reference.') : undefined,
  worktree: git =>
    git.operands[0] === 'remove' && git.has('f', 'force')
      ? finding('git/worktree', 'It deletes a worktree with its changes.')
      : undefined,
  submodule: git =>
    git.operands[0] === 'deinit' && git.has('f', 'force')
      ? finding('git/submodule', 'It deletes changes in a submodule.')
      : undefined,
  rm: git =>
    git.has('r') && git.has('f', 'force') && !git.has('', 'cached') && !git.has('n', 'dry-run')
      ? finding('git/rm', 'It deletes changed files.', 'ask')
      : undefined,
  'checkout-index': git =>
    git.has('f', 'force') && git.has('a', 'all') ? finding('git/checkout', OVERWRITES) : undefined,
  'read-tree': git => (git.has('', 'reset') ? finding('git/reset', DISCARDS) : undefined),
  lfs: git =>
    git.operands[0] === 'prune' && git.has('f', 'force')
      ? finding('git/prune', 'It deletes stored files.', 'ask')
      : undefined,
}

const git: Rule = subject => {
  if (subject.name !== 'git') return undefined
  const command = new GitCommand(subject.texts)
  const [first] = subject.texts.slice(-1)
  if (subject.texts.includes('--help') || (first === '-h' && command.operands.length === 0)) return undefined
  return Object.hasOwn(JUDGES, command.name) ? JUDGES[command.name]!(command) : undefined
}

export const GIT: readonly Rule[] = [git]
