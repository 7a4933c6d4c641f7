// Where hooks are put: into a project, or into the user's own folder. Paths in commands are relative to the folder in
// which hooks of that level run.

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../usage-error.js'
import type { Workspace } from '../workspace.js'

export const LEVELS = ['project', 'user'] as const
export type LevelName = (typeof LEVELS)[number]

export interface Level {
  readonly name: LevelName
  /** The folder that the job, and its undo, belong to. */
  readonly folder: string
  readonly hooksFile: string
  readonly scripts: string
  /** The path before the name of a script in a command. */
  readonly prefix: string
}

export function levelOf(name: LevelName, { roots, home }: Workspace): Level {
  const [root = home, ...more] = roots
  if (more.length > 0) throw new UsageError('init works on one folder. Give --root once.')
  if (name === 'project' && isSame(root, home)) {
    throw new UsageError(
      'This is your home folder; hooks in it are your own. Use --user, or change to a project.',
    )
  }
  const folder = name === 'project' ? root : home
  const cursor = join(folder, '.cursor')
  return {
    name,
    folder,
    hooksFile: join(cursor, 'hooks.json'),
    scripts: join(cursor, 'hooks'),
    prefix: name === 'project' ? '.cursor/hooks/' : 'hooks/',
  }
}

/** Scripts of a command in another folder: `node ./.cursor/hooks/a.js` → `node hooks/a.js`. */
export const withFolder = (command: string, from: string, to: string): string =>
  command.replace(pathsUnder(from), (_, before: string) => before + to)

/** At the start of a path, and not in the middle of another. */
const pathsUnder = (folder: string) =>
  new RegExp(`(^|[\\s"'=])(?:\\./)?${folder.replaceAll('.', '\\.')}`, 'g')

const isSame = (a: string, b: string) => {
  try {
    return realpathSync(a) === realpathSync(b)
  } catch {
    return a === b
  }
}
