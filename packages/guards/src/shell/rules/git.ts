// Git commands that discard work that is not committed, rewrite what others have, or remove the way back.

import { finding, type Rule } from '../finding.js'

const VALUED = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix)$/

export const git: Rule = subject => {
  if (subject.name !== 'git') return undefined
  let at = 0
  for (; /^-/.test(subject.texts[at] ?? ''); at++) if (VALUED.test(subject.texts[at]!)) at++
  const command = (subject.texts[at] ?? '').toLowerCase()
  const args = subject.texts.slice(at + 1)
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  const has = (short: string, ...long: string[]) =>
    options.some(
      text =>
        (short !== '' && /^-[a-zA-Z]+$/.test(text) && [...short].some(letter => text.includes(letter, 1))) ||
        long.some(
          name =>
            text === `--${name}` ||
            text.startsWith(`--${name}=`) ||
            (text.length > 4 && `--${name}`.startsWith(text)),
        ),
    )
  const operands = args.filter((text, index) => (end >= 0 && index > end) || !/^-/.test(text))
  const first = operands[0]
  if (has('', 'help') || (has('h') && args.length === 1)) return undefined
  const isDry = has('', 'dry-run') || (has('n') && /^(?:clean|push|rm|gc|prune)$/.test(command))
  switch (command) {
    case 'reset':
      return has('', 'hard', 'merge')
        ? finding(
            'git/reset',
            'It discards changes that are not committed.',
            'Use git stash, or git reset --soft.',
          )
        : undefined
    case 'clean':
      return has('f', 'force') && !isDry
        ? finding(
            'git/clean',
            'It deletes files that git does not track.',
            'Look at git clean --dry-run, and delete by name.',
          )
        : undefined
    case 'checkout': {
      const isNew = has('bBt', 'orphan', 'track')
      if (has('f', 'force'))
        return finding('git/checkout', 'It discards changes that are not committed.', 'Use git stash first.')
      if (isNew && !has('B')) return undefined
      const paths = end >= 0 && args.length > end + 1
      const isPath = operands.some(text => /^(?:\.{1,2}(?:\/.*)?|:\/.*|\*.*)$/.test(text))
      const isPathspec = options.some(text => /^--pathspec-from-file/.test(text))
      return paths ||
        isPath ||
        isPathspec ||
        operands.length > 1 ||
        (has('', 'ours', 'theirs') && operands.length > 0)
        ? finding('git/checkout', 'It overwrites changed files.', 'Use git stash, or git diff to look first.')
        : undefined
    }
    case 'switch':
      return has('f', 'force', 'discard-changes')
        ? finding('git/switch', 'It discards changes that are not committed.', 'Use git stash first.')
        : undefined
    case 'restore':
      return has('S', 'staged') && !has('W', 'worktree')
        ? undefined
        : finding('git/restore', 'It overwrites changed files.', 'Use git stash, or git restore --staged.')
    case 'push': {
      if (isDry) return undefined
      if (options.some(text => /^--force-(?:with-lease|if-includes)/.test(text))) return undefined
      if (has('f', 'force', 'mirror') || operands.slice(1).some(text => text.startsWith('+')))
        return finding(
          'git/push-force',
          'It overwrites commits of others.',
          'Use git push --force-with-lease.',
        )
      return has('d', 'delete', 'prune') || operands.slice(1).some(text => /^:./.test(text))
        ? finding('git/push-delete', 'It deletes a branch or tag of others.', 'Ask the user to delete it.')
        : undefined
    }
    case 'branch':
      return has('D') ||
        (has('d', 'delete') && has('f', 'force')) ||
        (has('f', 'force') && operands.length > 0) ||
        has('M') ||
        has('C')
        ? finding(
            'git/branch',
            'It removes or overwrites a branch that may not be merged.',
            'Use git branch -d.',
          )
        : undefined
    case 'tag':
      return has('d', 'delete') || (has('f', 'force') && operands.length > 0)
        ? finding('git/tag', 'It removes or moves a tag.', 'Create a new tag.', 'ask')
        : undefined
    case 'stash':
      return /^(?:drop|clear)$/.test(first ?? '')
        ? finding('git/stash', 'It deletes stashed changes.', 'Use git stash list and git stash apply.')
        : undefined
    case 'reflog':
      return /^(?:expire|delete)$/.test(first ?? '')
        ? finding('git/reflog', 'It removes the way back to earlier commits.', 'Leave the reflog alone.')
        : undefined
    case 'gc':
    case 'prune':
      return command === 'prune'
        ? isDry
          ? undefined
          : finding('git/prune', 'It removes unreachable commits for good.', 'Use git gc.')
        : options.some(text => /^--prune=(?:now|all)$|^--aggressive$/.test(text) && text !== '--aggressive')
          ? finding(
              'git/prune',
              'It removes unreachable commits for good.',
              'Use git gc without --prune=now.',
            )
          : undefined
    case 'filter-branch':
    case 'filter-repo':
      return finding('git/rewrite', 'It rewrites the history.', 'Work in a new clone.')
    case 'replace':
    case 'update-ref':
      return has('d', 'delete') || has('', 'stdin')
        ? finding('git/update-ref', 'It deletes a reference.', 'Use git branch -d.')
        : undefined
    case 'worktree':
      return first === 'remove' && has('f', 'force')
        ? finding(
            'git/worktree',
            'It deletes a worktree with its changes.',
            'Use git worktree remove without --force.',
          )
        : undefined
    case 'submodule':
      return first === 'deinit' && has('f', 'force')
        ? finding(
            'git/submodule',
            'It deletes changes in a submodule.',
            'Use git submodule deinit without --force.',
          )
        : undefined
    case 'rm':
      return has('r') && has('f', 'force') && !has('', 'cached') && !isDry
        ? finding('git/rm', 'It deletes changed files.', 'Use git rm --cached, or git rm without -f.', 'ask')
        : undefined
    case 'checkout-index':
      return has('f', 'force') && has('a', 'all')
        ? finding('git/checkout', 'It overwrites changed files.', 'Use git stash first.')
        : undefined
    case 'read-tree':
      return has('', 'reset') ? finding('git/reset', 'It discards changes.', 'Use git stash.') : undefined
    default:
      return undefined
  }
}

export const GIT: readonly Rule[] = [git]
