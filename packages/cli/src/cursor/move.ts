// Rewrites a command of one hooks.json for another, whose hooks start in another folder. A path that cannot be resolved
// is a problem: a hook that is not found would let every action proceed.

import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { DiscoverOptions } from '@holdfast/hooks'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { programsOf } from '../check/programs.js'
import { withFolder } from '../init/level.js'
import type { CursorTarget } from './place.js'

export interface MoveOrigin {
  /** Where the commands start. */
  readonly base: string
  /** The folder of the scripts, and how commands name it. */
  readonly scripts: string
  readonly spelled: '.cursor/hooks/' | 'hooks/'
}

export type Moved = { readonly command: string } | { readonly problem: string; readonly fix: string }

export const isStuck = (moved: Moved): moved is Exclude<Moved, { command: string }> => 'problem' in moved

type MoveContext = Pick<DiscoverOptions, 'platform' | 'home' | 'env'>

/** The hint "begin at the project root", as compat gives it; the folders here are the same in every version. */
const TO_THE_ROOT = /^\s*\[ -d \.cursor \] \|\| cd \.\.;\s*/
const CHANGES_FOLDER = /(?:^|[;&|({\n"']|\b(?:then|do|else))\s*(?:cd|pushd)\s/
/** Cursor sets these to the open project, which may be any. Only files in it are a problem. */
const IN_THE_PROJECT = /\$\{?(?:CURSOR_PROJECT_DIR|CLAUDE_PROJECT_DIR|PWD)\}?["']?[\\/]/

export function moved(
  hook: HookDefinition,
  from: MoveOrigin,
  to: Pick<CursorTarget, 'folder' | 'level'> & { readonly prefix: string },
  around: MoveContext,
): Moved {
  const whole = hook.command ?? ''
  const original = from.spelled === 'hooks/' ? whole : whole.replace(TO_THE_ROOT, '')
  const command = withFolder(original, from.spelled, to.prefix)
  const fix = `Name its script as ${from.spelled}<name>, from the folder where its hooks start.`
  if (CHANGES_FOLDER.test(original)) {
    return { problem: 'It changes folders, so its paths cannot be resolved.', fix }
  }
  if (IN_THE_PROJECT.test(original)) {
    return { problem: 'It names a file of the open project, which may be any project.', fix }
  }
  if (namings(original, from) > replacements(original, from)) {
    return { problem: `It names ${from.spelled} in a way that cannot be rewritten.`, fix }
  }
  const other = elsewhere(original, from)
  if (other !== undefined) {
    const folder = from.spelled.slice(0, -1)
    return {
      problem: `It needs ${other}, which is not in ${folder} and would not be found.`,
      fix: `Move it into ${folder}, with everything that it needs.`,
    }
  }
  return checked(hook, { original, command }, from, to, around)
}

/** In each spelling: behind a variable, absolute, with the other kind of slash. */
const namings = (command: string, { spelled }: MoveOrigin): number =>
  spelled === 'hooks/' ? 0 : (command.match(/\.cursor[\\/]+hooks\b/g) ?? []).length

const replacements = (command: string, { spelled }: MoveOrigin): number =>
  withFolder(command, spelled, '\0').split('\0').length - 1

const CUTS = /[\s'"`$;|&()<>=:{},]+/
const WRITES = /(?:>>?|\btee(?:\s+-a)?)\s*["']?([^\s'"`;|&()<>]+)/g
/** Tools that run what a file of their own contains. */
const BY_HABIT: readonly (readonly [RegExp, string])[] = [
  [/\b(?:npm|pnpm|yarn|bun)\b/, 'package.json'],
  [/\bmake\b/, 'Makefile'],
]

/** The first file beside the scripts that the command seems to need. */
function elsewhere(command: string, { base, scripts, spelled }: MoveOrigin): string | undefined {
  const written = new Set([...command.matchAll(WRITES)].map(match => match[1]!))
  const isThere = (word: string) => existsSync(join(base, word)) && !isInside(scripts, resolve(base, word))
  const named = command
    .split(CUTS)
    .find(
      word =>
        /[./]/.test(word) && /[^./]/.test(word) && !isAbsolute(word) && !written.has(word) && isThere(word),
    )
  if (named !== undefined || replacements(command, { base, scripts, spelled }) > 0) return named
  return BY_HABIT.find(([tool, file]) => tool.test(command) && existsSync(join(base, file)))?.[1]
}

/** Every program that the command named must be the same one there. */
function checked(
  hook: HookDefinition,
  { original, command }: { original: string; command: string },
  from: MoveOrigin,
  to: Parameters<typeof moved>[2],
  around: MoveContext,
): Moved {
  const named = (text: string, cwd: string) =>
    programsOf({ ...hook, command: text, cwd }, around)
      .filter(({ word, of }) => of === undefined && /[\\/]/.test(word))
      .map(({ path, word }) => ({ path: path ?? '', word }))
  const before = named(original, from.base)
  const after = named(command, to.folder)
  for (const [index, { path, word }] of before.entries()) {
    const own = isInside(from.scripts, path)
    const expected = own ? join(to.folder, to.prefix, relative(from.scripts, path)) : path
    if (!leadsTo(after[index]?.path, expected)) {
      return {
        problem: `${word} is relative to the folder where its hooks start, and would not be found there.`,
        fix: `Move it into ${from.spelled.slice(0, -1)}, with everything that it needs.`,
      }
    }
    if (!own && to.level === 'enterprise' && isInside(around.home, path)) {
      return {
        problem: `${word} is in a home folder, which other users do not have.`,
        fix: `Move it into ${from.spelled.slice(0, -1)}, with everything that it needs.`,
      }
    }
  }
  return { command }
}

/** An interpreter adds an extension to find the file, and the copy does not exist yet. */
const leadsTo = (found: string | undefined, expected: string): boolean =>
  found !== undefined &&
  (found === expected || expected.startsWith(`${found}.`) || expected.startsWith(found + sep))

const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
