// Finds the main worktree of a linked worktree of git. A worktree has the same hooks as the folder that the user reviewed,
// and agents create worktrees without asking.

import { basename, dirname, join, relative, resolve } from 'node:path'
import { lstatOf, readText, realPath } from '../config/file.js'

/** The same folder in the main worktree; undefined if the folder is not in a linked worktree. */
export function mainFolderOf(root: string): string | undefined {
  const real = realPath(root)
  for (let folder = real; ; folder = dirname(folder)) {
    const git = lstatOf(join(folder, '.git'))
    if (git) return git.isFile() ? followWorktree(folder, relative(folder, real)) : undefined
    if (dirname(folder) === folder) return undefined
  }
}

const LONGEST_BYTES = 8 * 1024

/** Any archive can contain a `.git` file that names a repository. Only git adds the way back to that repository. */
function followWorktree(worktree: string, inside: string): string | undefined {
  const git = join(worktree, '.git')
  const [, target] = /^gitdir: (.+?)\r?\n?$/.exec(readText(git, LONGEST_BYTES) ?? '') ?? []
  if (target === undefined) return undefined
  const entry = realPath(resolve(worktree, target))
  const repository = dirname(dirname(entry))
  if (basename(dirname(entry)) !== 'worktrees' || basename(repository) !== '.git') return undefined
  const back = readText(join(entry, 'gitdir'), LONGEST_BYTES)?.trim()
  if (!back || realPath(resolve(entry, back)) !== git) return undefined
  return join(dirname(repository), inside)
}
