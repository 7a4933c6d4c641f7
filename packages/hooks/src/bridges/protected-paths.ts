// The files that decide which hooks run, and whether a path leads to one of them.

import { lstatSync, readlinkSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { realPath } from '../config/file.js'
import type { Hooks } from '../index.js'
import { patternSource, splitCommand, type Word } from './command-words.js'
import { managedPath } from './settings.js'
import type { Bridge } from './types.js'

export interface ProtectedPath {
  readonly path: string
  readonly why: string
}

/** Equal on file systems that ignore case. */
const fold = (path: string): string => path.normalize('NFC').toLowerCase()

export class ProtectedPaths {
  /** By folded path, as given and with links followed. A folder includes everything in it. */
  private readonly all = new Map<string, ProtectedPath>()
  private readonly parents = new Set<string>()
  private readonly followed = new Map<string, string>()
  readonly agent: string

  constructor(
    hooks: Hooks,
    bridge: Bridge,
    readonly roots: readonly string[],
    readonly home: string,
  ) {
    this.agent = bridge.name
    const { layers } = hooks.catalog()
    for (const { source } of layers) {
      const { kind, file, cwd, root, plugin } = source
      this.add(file, `the hook configuration of the ${kind} source`)
      if (kind === 'enterprise' || kind === 'team') this.add(cwd, `a folder of ${kind} hooks`)
      if (plugin !== undefined)
        for (const name of ['.cursor-plugin', 'hooks']) this.add(join(plugin, name), 'a folder of a plugin')
      const folder = kind === 'user' ? cwd : kind === 'project' ? join(root!, '.cursor') : undefined
      if (folder === undefined) continue
      this.add(join(folder, 'hooks'), 'a folder of hook scripts')
      this.add(join(folder, 'holdfast.json'), 'configuration of Holdfast')
    }
    this.add(join(home, '.cursor', 'managed'), 'the folder of team hooks')
    this.add(join(home, '.holdfast'), 'the state of Holdfast')
    for (const path of programs()) this.add(path, 'a program that runs hooks')
    for (const { hook } of hooks.list()) {
      for (const { path } of hook.scripts) this.add(path, 'a hook script')
      // A change of a covered file would end the trust in the hooks of its source. Of package.json only the type counts.
      const covered = hook.trusted ? hook.covered.filter(({ path }) => basename(path) !== 'package.json') : []
      for (const { path } of covered) this.add(path, 'covered by the trust in hooks')
      for (const path of filesOfCommand(hook.command ?? '', hook.cwd, hook.root, home))
        this.add(path, 'a hook script')
    }
    const { files, managed, otherSettings = [], offSwitches, folderVariable = '' } = bridge.config
    const settings = [
      ...(managed ? [managedPath(managed)] : []),
      ...otherSettings,
      ...offSwitches.flatMap(({ setting }) => setting?.files ?? []).map(file => file.replace(/^~\//, '')),
    ]
    const own = process.env[folderVariable]
    const why = `a settings file of ${bridge.title}`
    for (const name of [files.user, ...settings]) {
      this.add(resolve(home, name), why)
      if (own && name.includes('/')) this.add(resolve(own, name.slice(name.indexOf('/') + 1)), why)
    }
    for (const root of roots)
      for (const name of [files.project, ...settings]) this.add(resolve(root, name), why)
  }

  /** Every protected path that is a file now. */
  files(): ProtectedPath[] {
    return [...this.all.values()].filter(({ path }) => isFile(path))
  }

  /** Whether the path is protected, or in a protected folder. */
  find(path: string, folder: string): ProtectedPath | undefined {
    return this.look(path, folder, one => {
      for (let at = fold(one); ; at = dirname(at)) {
        const found = this.all.get(at)
        if (found || at === dirname(at)) return found
      }
    })
  }

  /** Whether the path is a folder that contains a protected one. */
  findBelow(path: string, folder: string): ProtectedPath | undefined {
    return this.look(path, folder, one => {
      const start = fold(one)
      if (!this.parents.has(start)) return undefined
      const inside = start.endsWith('/') ? start : `${start}/`
      return [...this.all].find(([key]) => key.startsWith(inside))?.[1]
    })
  }

  /** A word that is a pattern, or contains an unknown text, counts if it could be the path of a protected file. */
  findPattern(word: Word, folder: string, isDestructive: boolean): ProtectedPath | undefined {
    const { pattern } = word
    const known = pattern.slice(pattern.lastIndexOf('\0') + 1)
    const isUnknown = known.length < pattern.length
    // Only an unknown text in front of a path that is clear enough, or after a folder. There it is a part of the name.
    if (isUnknown && !/^(?:\/?[^/*?[{]+)*\/(?:[^/*?[{]+\/[^/*?[{]+|hooks\.json|\.[^/*?[{]+)$/.test(known)) {
      const isBelow = /^[^\0]*\//.test(pattern)
      return isBelow
        ? this.findPattern({ ...word, pattern: pattern.replaceAll('\0', '*') }, folder, false)
        : undefined
    }
    const start = pattern.search(/(?<!\\)[*?[{\0]/)
    const literal = pattern.slice(0, start).replace(/\\(.)/g, '$1')
    const outer = isUnknown ? undefined : this.find(literal.slice(0, literal.lastIndexOf('/') + 1), folder)
    if (outer) return outer
    const inFolder = `${this.follow(folder)}/${pattern}`.replace(/\/\.(?=\/)/g, '')
    // The first text in braces may start at the root, or not.
    const texts = [
      ...(/^[/\0{]/.test(pattern) ? [pattern] : []),
      ...(/^[/\0]/.test(pattern) ? [] : [inFolder]),
    ]
    const regexes = texts.map(text => toRegExp(patternSource(text)))
    const isMeant = (key: string) => regexes.some(regex => regex.test(key))
    for (const [key, found] of this.all) if (isMeant(key)) return found
    if (!isDestructive) return undefined
    const parent = [...this.parents].find(key => isMeant(key) && (!isUnknown || /\/\.[^/]+$/.test(key)))
    return parent === undefined ? undefined : this.findBelow(parent, '/')
  }

  /** Whether a pattern fits the name of a protected path. */
  fitsName(pattern: string): boolean {
    const regex = toRegExp(patternSource(pattern).replaceAll('(?!\\.)', ''))
    return [...this.all.keys()].some(key => regex.test(basename(key)))
  }

  /** Whether code contains the name of a protected file, or its name and that of its folder. */
  findInText(text: string): ProtectedPath | undefined {
    const folded = fold(text)
    for (const [key, found] of this.all) {
      const name = basename(key)
      if (!folded.includes(name)) continue
      if (/^(?:hooks\.json|\.holdfast|holdfast\.json)$/.test(name)) return found
      if (folded.includes(basename(dirname(key)))) return found
    }
    return undefined
  }

  private look<T>(path: string, folder: string, find: (path: string) => T | undefined): T | undefined {
    if (path.includes('\0') || path.length > 4096) return undefined
    const given = /^~(?=\/|$)/.test(path) ? this.home + path.slice(1) : withoutScheme(path)
    const found = find(resolve(folder, given)) ?? find(this.follow(resolve(folder, given)))
    if (found || !given.includes('..')) return found
    // A shell follows `link/..` to the folder above the target of the link.
    const start = isAbsolute(given) ? '/' : this.follow(folder)
    const step = (at: string, part: string) => (part === '..' ? dirname(at) : this.follow(join(at, part)))
    return find(given.split('/').reduce(step, start))
  }

  private add(path: string, why: string): void {
    for (const one of [path, this.follow(path)]) {
      const key = fold(one)
      if (!this.all.has(key)) this.all.set(key, { path, why })
      for (let at = dirname(key); !this.parents.has(at); at = dirname(at)) this.parents.add(at)
    }
  }

  /** The path with all links followed, also links to a path that does not exist. */
  private follow(path: string, depth = 0): string {
    const known = this.followed.get(path)
    if (known !== undefined) return known
    const parent = dirname(path)
    let real = parent === path ? path : join(this.follow(parent, depth), basename(path))
    try {
      const isLink = depth < 40 && lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink()
      if (isLink) real = this.follow(resolve(dirname(real), readlinkSync(real)), depth + 1)
    } catch {
      // A path through a file, or a folder without permission.
    }
    this.followed.set(path, real)
    return real
  }
}

/** The files that entries start: an empty program in their place would allow everything. */
function programs(): string[] {
  const own = process.argv[1] ?? ''
  const isInstalled = basename(own) === 'holdfast' || basename(own) === 'holdfast.cjs'
  const names = process.platform === 'win32' ? ['holdfast.cmd', 'node.exe'] : ['holdfast', 'node']
  const found = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)
  return [
    process.execPath,
    ...(isInstalled
      ? [own, ...['bin', 'dist'].map(name => join(dirname(dirname(realPath(own))), name))]
      : []),
    ...found.flatMap(folder => names.map(name => join(folder, name))),
  ]
}

/** The files that a command names, as far as its text shows them. */
export function filesOfCommand(command: string, cwd: string, root: string, home: string): string[] {
  const variable = (name: string) => (name === 'HOME' ? home : /_PROJECT_DIR$/.test(name) ? root : undefined)
  const parts = splitCommand(command, { home, backslash: 'escapes', variable })
  const words = parts.flatMap(part => part.words.filter(({ unsure }) => !unsure))
  return words.map(({ text }) => resolve(cwd, text)).filter(isFile)
}

export const toRegExp = (source: string): RegExp => {
  try {
    return new RegExp(`^${source}$`, 'i')
  } catch {
    return /(?!)/
  }
}

/** A path, or an address of a file with its escapes. */
function withoutScheme(path: string): string {
  if (!path.startsWith('file://')) return path
  try {
    return decodeURIComponent(path.slice('file://'.length))
  } catch {
    return path.slice('file://'.length)
  }
}

const isFile = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch {
    return false
  }
}
