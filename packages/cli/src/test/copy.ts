// What of a workspace a case gets: a list of files to copy, made once and used for every case.

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
  /** Folders first, each before what is in it; paths from the workspace. */
  readonly folders: readonly string[]
  readonly files: readonly { readonly from: string; readonly to: string }[]
  /** node_modules are linked: they are large, and nobody's test changes them. */
  readonly links: readonly { readonly from: string; readonly to: string }[]
  /** What was asked for and is not there, or leads out of the workspace. */
  readonly missing: readonly string[]
}

const NODE_MODULES = 'node_modules'
export const HOOKS = join('.cursor', 'hooks.json')
const LEFT_OUT = new Set(['.git'])
const MOST_FILES = 5_000
const MOST_BYTES = 100 * 1024 * 1024

export class TooLarge extends Error {}

/**
 * The folder of the hooks.json as `.cursor`, and the named parts of the workspace. Links are followed only as long as
 * they stay in the workspace.
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
      // A link to a folder above it would go round and round.
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
  // Under whatever name it stands there, it is the one that is read here.
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

/** The workspace of a hooks.json: around its .cursor folder; a loose one stands for itself. */
export const rootOf = (folder: string): string => (basename(folder) === '.cursor' ? dirname(folder) : folder)

/** Where the path really leads; undefined when that is nowhere, or outside. */
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
