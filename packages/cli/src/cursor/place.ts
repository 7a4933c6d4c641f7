// Where in Cursor's own files hooks are put: the person's, or those of the whole machine.

import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Catalog } from '@holdfast/hooks/protocol'
import { Complaint } from '../complaint.js'
import { journalFolder } from '../edit/journal.js'
import { type Given, noMore } from '../options.js'
import { shortPath } from '../print/place.js'
import type { Workspace } from '../workspace.js'

export interface Target {
  readonly level: 'user' | 'enterprise'
  /** Holds hooks.json; hooks of this level start here. */
  readonly folder: string
  readonly hooksFile: string
  /** Holds a folder for each pack. */
  readonly scripts: string
  readonly journal: string
  /** Of the journal's folders. */
  readonly journalMode: number
}

export function targetIn(
  command: string,
  given: Given,
  { layers }: Pick<Catalog, 'layers'>,
  { home }: Workspace,
): Target {
  noMore(command, given.positionals, 1)
  if (given.has('project')) {
    throw new Complaint(
      'Cursor reads the hooks of a project where they are, in .cursor/hooks.json. Give --user or --enterprise.',
    )
  }
  if (given.has('user') && given.has('enterprise')) {
    throw new Complaint('Give --user or --enterprise, not both.')
  }
  const level = given.has('enterprise') ? 'enterprise' : 'user'
  return targetAt(level, layers.find(({ source }) => source.kind === level)!.source.file, home)
}

export const targetAt = (level: Target['level'], hooksFile: string, home: string): Target => {
  const folder = dirname(hooksFile)
  return {
    level,
    folder,
    hooksFile,
    scripts: join(folder, 'hooks'),
    // What administrators did is no business of one home: another of them may take it back, and nobody else may.
    ...(level === 'user'
      ? { journal: journalFolder(home, home), journalMode: 0o700 }
      : { journal: join(folder, '.holdfast'), journalMode: 0o755 }),
  }
}

/** Before anything is begun: the system's own words about this help nobody. */
export function mustBeWritable(
  { folder, level }: Target,
  command: string,
  screen: Workspace['screen'],
): void {
  const nearest = above(folder)
  try {
    accessSync(nearest, constants.W_OK)
  } catch {
    const who =
      level === 'user'
        ? 'Give it back to yourself, or take another home with --home.'
        : process.platform === 'win32'
          ? `Start a terminal as administrator, then: holdfast ${command} cursor --enterprise`
          : `As an administrator: sudo holdfast ${command} cursor --enterprise`
    throw new Complaint(`${shortPath(nearest, screen)} cannot be written. ${who}. Nothing was written.`)
  }
}

const above = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : above(dirname(folder))
