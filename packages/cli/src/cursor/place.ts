// Where hooks are put in Cursor's own files: those of the user, or of the machine.

import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Catalog } from '@holdfast/hooks/protocol'
import type { Given } from '../arguments.js'
import { journalFolder } from '../edit/journal.js'
import { shortPath } from '../print/place.js'
import { UsageError } from '../usage-error.js'
import type { Workspace } from '../workspace.js'

export interface CursorTarget {
  readonly level: 'user' | 'enterprise'
  /** The folder of hooks.json; hooks of this level start here. */
  readonly folder: string
  readonly hooksFile: string
  /** Contains a folder for each pack. */
  readonly scripts: string
  readonly journal: string
  /** Of the journal's folders. */
  readonly journalMode: number
}

export function targetIn(
  given: Given,
  { layers }: Pick<Catalog, 'layers'>,
  { home }: Workspace,
): CursorTarget {
  if (given.has('project')) {
    throw new UsageError(
      'Cursor reads the hooks of a project where they are, in .cursor/hooks.json. Give --user or --enterprise.',
    )
  }
  if (given.has('user') && given.has('enterprise')) {
    throw new UsageError('Give --user or --enterprise, not both.')
  }
  const level = given.has('enterprise') ? 'enterprise' : 'user'
  return targetAt(level, layers.find(({ source }) => source.kind === level)!.source.file, home)
}

export const targetAt = (level: CursorTarget['level'], hooksFile: string, home: string): CursorTarget => {
  const folder = dirname(hooksFile)
  return {
    level,
    folder,
    hooksFile,
    scripts: join(folder, 'hooks'),
    // The records of the machine are not in one home: another administrator may undo the installation, and nobody else.
    ...(level === 'user'
      ? { journal: journalFolder(home, home), journalMode: 0o700 }
      : { journal: join(folder, '.holdfast'), journalMode: 0o755 }),
  }
}

/** Checked first, because the error of the system does not name the cause. */
export function mustBeWritable(
  { folder, level }: CursorTarget,
  command: string,
  screen: Workspace['screen'],
): void {
  const nearest = above(folder)
  try {
    accessSync(nearest, constants.W_OK)
  } catch {
    const who =
      level === 'user'
        ? 'Make it writable, or give another home with --home.'
        : process.platform === 'win32'
          ? `Start a terminal as administrator, then: holdfast ${command} cursor --enterprise`
          : `As an administrator: sudo holdfast ${command} cursor --enterprise`
    throw new UsageError(`${shortPath(nearest, screen)} cannot be written. ${who}. Nothing was written.`)
  }
}

const above = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : above(dirname(folder))
