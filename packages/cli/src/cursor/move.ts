// A command of one hooks.json as it must read in another, whose hooks start in another folder. What cannot be said
// with certainty is a problem: a hook that is not found would let everything through.

import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { DiscoverOptions } from '@holdfast/hooks'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { programsOf } from '../check/programs.js'
import { withFolder } from '../init/level.js'
import type { Target } from './place.js'

export interface From {
  /** Where the commands start. */
  readonly base: string
  /** The folder of the scripts, and how commands name it. */
  readonly scripts: string
  readonly spelled: '.cursor/hooks/' | 'hooks/'
}

export type Moved = { readonly command: string } | { readonly problem: string; readonly fix: string }

export const isStuck = (moved: Moved): moved is Exclude<Moved, { command: string }> => 'problem' in moved

type Around = Pick<DiscoverOptions, 'platform' | 'home' | 'env'>

/** Says "begin at the project root", as compat advises; the folders here are the same in every version. */
const TO_THE_ROOT = /^\s*\[ -d \.cursor \] \|\| cd \.\.;\s*/
const CHANGES_FOLDER = /(?:^|[;&|({\n"']|\b(?:then|do|else))\s*(?:cd|pushd)\s/
/** Cursor sets these to the project that is open, which may be any; only files in it are a problem. */
const IN_THE_PROJECT = /\$\{?(?:CURSOR_PROJECT_DIR|CLAUDE_PROJECT_DIR|PWD)\}?["']?[\\/]/

export function moved(
  hook: HookDefinition,
  from: From,
  to: Pick<Target, 'folder' | 'level'> & { readonly prefix: string },
  around: Around,
): Moved {
  const whole = hook.command ?? ''
  const original = from.spelled === 'hooks/' ? whole : whole.replace(TO_THE_ROOT, '')
  const command = withFolder(original, from.spelled, to.prefix)
  const fix = `Name its script as ${from.spelled}<name>, from the folder where its hooks start.`
  if (CHANGES_FOLDER.test(original)) {
    return { problem: 'It changes folders, so where its paths begin cannot be known.', fix }
  }
  if (IN_THE_PROJECT.test(original)) {
    return { problem: 'It names a file of the project that is open, which may be any other.', fix }
  }
  if (namings(original, from) > replacements(original, from)) {
    return { problem: `It names ${from.spelled} in a way that cannot be rewritten.`, fix }
  }
  const other = elsewhere(original, from)
  if (other !== undefined) {
    const folder = from.spelled.slice(0, -1)
    return {
      problem: `It needs ${other}, which is not in ${folder} and would not be found.`,
      fix: `Move it into ${folder}, with all that it needs.`,
    }
  }
  return checked(hook, { original, command }, from, to, around)
}

/** However it is written: behind a variable, in full, with the other kind of slash. */
const namings = (command: string, { spelled }: From): number =>
  spelled === 'hooks/' ? 0 : (command.match(/\.cursor[\\/]+hooks\b/g) ?? []).length

const replacements = (command: string, { spelled }: From): number =>
  withFolder(command, spelled, '\0').split('\0').length - 1

const CUTS = /[\s'"`$;|&()<>=:{},]+/
const WRITES = /(?:>>?|\btee(?:\s+-a)?)\s*["']?([^\s'"`;|&()<>]+)/g
/** Tools that run what stands in a file of their own. */
const BY_HABIT: readonly (readonly [RegExp, string])[] = [
  [/\b(?:npm|pnpm|yarn|bun)\b/, 'package.json'],
  [/\bmake\b/, 'Makefile'],
]

/** The first file beside the scripts that the command seems to need. */
function elsewhere(command: string, { base, scripts, spelled }: From): string | undefined {
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

/** Every program that the command named must be the one that it names there. */
function checked(
  hook: HookDefinition,
  { original, command }: { original: string; command: string },
  from: From,
  to: Parameters<typeof moved>[2],
  around: Around,
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
        problem: `${word} begins at the folder where its hooks start, and would not be found there.`,
        fix: `Move it into ${from.spelled.slice(0, -1)}, with all that it needs.`,
      }
    }
    if (!own && to.level === 'enterprise' && isInside(around.home, path)) {
      return {
        problem: `${word} is in a home folder, and others have no such file.`,
        fix: `Move it into ${from.spelled.slice(0, -1)}, with all that it needs.`,
      }
    }
  }
  return { command }
}

/** An interpreter adds an ending to find the file, and the copy is not there yet. */
const leadsTo = (found: string | undefined, expected: string): boolean =>
  found !== undefined &&
  (found === expected || expected.startsWith(`${found}.`) || expected.startsWith(found + sep))

const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
