// The parts of a workspace for a case: a list of files to copy, built once and used for every case.

import {
  constants,
  copyFileSync,
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'

export interface CopyPlan {
  /** Folders first, each before its content; paths relative to the workspace. */
  readonly folders: readonly string[]
  readonly files: readonly { readonly from: string; readonly to: string }[]
  /** node_modules are linked, because they are large and tests do not change them. */
  readonly links: readonly { readonly from: string; readonly to: string }[]
  /** Requested paths that do not exist or lead out of the workspace. */
  readonly missing: readonly string[]
}

const NODE_MODULES = 'node_modules'
export const HOOKS = join('.cursor', 'hooks.json')
const LEFT_OUT = new Set(['.git'])
const MOST_FILES = 5_000
const MOST_BYTES = 100 * 1024 * 1024

export class TooLarge extends Error {}

/**
 * The folder of the hooks.json as `.cursor`, and the named parts of the workspace. Links are followed only inside the
 * workspace.
 */
export function planCopy(hooks: string, copy: readonly string[]): CopyPlan {
  const folder = realpathSync(dirname(hooks))
  const root = rootOf(folder)
  const plan = {
    folders: [] as string[],
    files: [] as { from: string; to: string }[],
    links: [] as { from: string; to: string }[],
    missing: [] as string[],
  }
  const added = new Set<string>()
  let bytes = 0
  const add = (from: string, to: string, above: readonly string[]) => {
    const target = inside(root, from)
    if (target === undefined && above.length === 0) plan.missing.push(to)
    if (target === undefined || added.has(to)) return
    const stats = statSync(target)
    if (basename(from) === NODE_MODULES && stats.isDirectory()) {
      plan.links.push({ from: target, to })
    } else if (stats.isDirectory()) {
      // A link to a parent folder would never end.
      if (above.includes(target)) return
      added.add(to)
      plan.folders.push(to)
      if (plan.folders.length > MOST_FILES) throw new TooLarge()
      for (const { name } of entriesOf(target))
        if (!LEFT_OUT.has(name)) add(join(target, name), join(to, name), [...above, target])
    } else if (stats.isFile()) {
      added.add(to)
      bytes += stats.size
      plan.files.push({ from: target, to })
      if (plan.files.length > MOST_FILES || bytes > MOST_BYTES) throw new TooLarge()
    }
  }
  // This is the file that is tested, whatever its name there.
  add(join(folder, basename(hooks)), HOOKS, [])
  add(folder, '.cursor', [])
  plan.folders.unshift('.cursor')
  for (const path of copy) add(join(root, path), path === '.' ? '' : path, [])
  for (const path of copy) plan.folders.unshift(...parentsOf(path))
  if (existsSync(join(root, NODE_MODULES))) add(join(root, NODE_MODULES), NODE_MODULES, [root])
  return plan
}

export function copyInto(plan: CopyPlan, placeOf: (path: string) => string): void {
  for (const folder of plan.folders) mkdirSync(placeOf(folder), { recursive: true })
  for (const { from, to } of plan.files) copyFileSync(from, placeOf(to), constants.COPYFILE_FICLONE)
  for (const { from, to } of plan.links) symlinkSync(from, placeOf(to), 'junction')
}

/** The workspace of a hooks.json: the folder around its .cursor folder, or its own folder. */
export const rootOf = (folder: string): string => (basename(folder) === '.cursor' ? dirname(folder) : folder)

/** The real path; undefined if it does not exist or is outside. */
function inside(root: string, path: string): string | undefined {
  try {
    const target = realpathSync(path)
    const from = relative(root, target)
    return from === '..' || from.startsWith(`..${sep}`) ? undefined : target
  } catch {
    return undefined
  }
}

const entriesOf = (folder: string): Dirent[] => readdirSync(folder, { withFileTypes: true })

const parentsOf = (path: string): string[] => {
  const parent = dirname(path)
  return parent === '.' || parent === path ? [] : [...parentsOf(parent), parent]
}
