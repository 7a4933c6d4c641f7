// Which folders a command works on: the shared options → the options of the engine.

import { existsSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { HostOptions } from '@holdfast/hooks'
import { PROFILE_NAMES, type ProfileName, SOURCES, type SourceKind } from '@holdfast/hooks/protocol'
import { type Given, oneOf } from './arguments.js'
import { type Screen, screen } from './print/terminal.js'
import { UsageError } from './usage-error.js'

export interface Workspace {
  readonly cwd: string
  readonly home: string
  readonly roots: readonly string[]
  readonly profile: ProfileName
  readonly logFile: string
  readonly trustFile: string
  readonly host: HostOptions
  /** The folder above the files of the machine (default: none). */
  readonly managedRoot: string | undefined
  readonly screen: Screen
}

export function workspaceOf(given: Given, asked = given.value('profile') ?? 'holdfast'): Workspace {
  const cwd = currentFolder()
  const home = homeOf(given, cwd)
  const roots = rootsOf(given, cwd, home)
  const profile = oneOf('profile', asked, PROFILE_NAMES)
  const required = requiredOf(given)
  // Only --enterprise without a folder has no value.
  const enterprise = given.value('enterprise-dir') ?? (given.value('enterprise') || undefined)
  return {
    cwd,
    home,
    roots,
    profile,
    logFile: logFileOf(home),
    trustFile: join(home, '.holdfast', 'trust.json'),
    managedRoot: given.value('managed-root'),
    screen: screen(given.color, cwd),
    host: {
      workspaceRoots: roots,
      home,
      profile,
      required,
      plugins: given.list('plugin').map(folder => existing(folder, cwd, '--plugin')),
      claude: given.has('claude'),
      trustAll: given.has('trust-all'),
      watch: false,
      ...(enterprise === undefined ? {} : { enterpriseDir: resolve(cwd, enterprise) }),
    },
  }
}

/** Several sources are separated by commas, or the option is repeated. */
export const requiredOf = (given: Given): SourceKind[] =>
  given.list('required').flatMap(words => words.split(',').map(word => oneOf('source', word, SOURCE_KINDS)))

const SOURCE_KINDS = Object.keys(SOURCES) as SourceKind[]

export function currentFolder(): string {
  let cwd: string
  try {
    cwd = process.cwd()
  } catch {
    throw new UsageError('The current folder no longer exists. Change to another folder.')
  }
  // Bytes that are not UTF-8 arrive as replacement characters, so the path would lead elsewhere.
  if (cwd.includes('\uFFFD') && statSync(cwd, { throwIfNoEntry: false })?.ino !== statSync('.').ino)
    throw new UsageError('The path of the current folder is not valid UTF-8. Rename it.')
  return cwd
}

export const homeOf = (given: Given, cwd: string): string => {
  const home = given.value('home')
  if (home !== undefined) return resolve(cwd, home)
  // An empty or relative HOME would make the current folder the user's home, and its hooks trusted.
  return isAbsolute(homedir()) ? homedir() : userInfo().homedir
}

export const logFileOf = (home: string): string => join(home, '.holdfast', 'log', 'runs.jsonl')

function rootsOf(given: Given, cwd: string, home: string): string[] {
  const named = given.list('root')
  return named.length > 0 ? named.map(folder => existing(folder, cwd, '--root')) : [nearestRoot(cwd, home)]
}

/** The home folder has a .cursor of the user, so the search upwards ends there. */
export function nearestRoot(cwd: string, home: string): string {
  for (let folder = cwd; folder !== home; folder = dirname(folder)) {
    if (existsSync(join(folder, '.cursor')) || existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) break
  }
  return cwd
}

/**
 * The nearest root and those around it in the same repository: an inner folder must not hide the hooks of the
 * repository.
 */
export function enclosingRoots(cwd: string, home: string): string[] {
  const nearest = nearestRoot(cwd, home)
  const outer: string[] = []
  for (let folder = nearest; folder !== home; folder = dirname(folder)) {
    if (folder !== nearest && existsSync(join(folder, '.cursor', 'hooks.json'))) outer.push(folder)
    if (existsSync(join(folder, '.git'))) return [nearest, ...outer]
    if (folder === dirname(folder)) break
  }
  return [nearest]
}

function existing(folder: string, cwd: string, option: string): string {
  const path = resolve(cwd, folder)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return path
  throw new UsageError(`${option} "${folder}" ${stats ? 'is not a folder' : 'does not exist'}.`)
}
