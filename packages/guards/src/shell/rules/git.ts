// Git commands that discard work that is not committed, rewrite what others have, or remove the way back.

import { type Finding, finding, type Rule } from '../finding.js'
import { GitCommand } from '../git-command.js'

const DISCARDS = 'It discards uncommitted changes.'
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
    // Git takes one commit, then paths.
    if (git.paths.length > 0 && git.operands.length - git.paths.length > 1) return undefined
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
      return finding('git/push-force', 'It overwrites commits that others made.')
    if (git.has('d', 'delete') || refs.some(text => /^\+?:./.test(text)))
      return finding('git/push-delete', 'It deletes a branch or tag that others use.', 'ask')
    return git.has('', 'prune')
      ? finding('git/push-delete', 'It deletes remote branches that do not exist here.', 'ask')
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
    const way = 'It removes the record of earlier commits.'
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
    git.has('n', 'dry-run') || git.option(/^expire=(?!now|all|0)/) !== undefined
      ? undefined
      : finding('git/prune', 'It removes unreachable commits for good.'),
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
