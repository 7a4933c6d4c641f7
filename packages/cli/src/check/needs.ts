// What a command needs in order to run: programs, files, packages and tasks. Derived from its text alone; what only the
// shell can resolve is left out.

import { basename, isAbsolute, join, resolve } from 'node:path'
import type { DiscoverOptions } from '@holdfast/hooks'
import { type SimpleCommand, splitCommand, type Word } from '@holdfast/hooks/bridges'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { LAUNCHERS, type Launcher, type LauncherTarget } from './launchers.js'

export interface Need {
  /** As written, with known variables filled in. */
  readonly word: string
  /**
   * name: a program found in PATH. program: a file that the system starts. interpreter: the same, for a program that
   * reads another file. script: a file that is only read. package: a program of an installed package. The others are
   * tasks of a package or a project.
   */
  readonly role:
    | 'name'
    | 'program'
    | 'interpreter'
    | 'script'
    | 'package'
    | 'task'
    | 'task or package'
    | 'deno task'
  /** The path of the file, or the folder in which a name, a package or a task is looked up. */
  readonly path: string
  /** Endings that the interpreter adds. */
  readonly endings: readonly string[]
  /** Needed each time the hook runs, and certainly from this folder. */
  readonly certain: boolean
}

export type Context = Pick<DiscoverOptions, 'platform' | 'home' | 'env'>

export interface NeedOptions {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly cwd: string
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Receives the names of variables that have no value. */
  readonly onUnset?: (name: string) => void
}

/** A command runs in the folder and with the variables of its hook. */
export const needOptions = (hook: HookDefinition, { platform, home, env }: Context): NeedOptions => ({
  platform,
  home,
  cwd: hook.cwd,
  // Inherited instead of copied, because this runs for each of many hooks.
  variables: Object.assign(Object.create(env) as Context['env'], {
    CURSOR_PROJECT_DIR: hook.root,
    CLAUDE_PROJECT_DIR: hook.root,
    CURSOR_PLUGIN_ROOT: hook.plugin,
    CLAUDE_PLUGIN_ROOT: hook.plugin,
  }),
})

export const SCRIPT_ENDING = /\.(?:sh|bash|zsh|js|cjs|mjs|ts|cts|mts|py|rb|pl|php|ps1|cmd|bat|exe)$/i
const WINDOWS_PATH = /(?<=^|[\s"'=])(?:[A-Za-z]:|\.{1,2})\\(?=[\w.-])/
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', 'for', 'case'])
/** Launchers and shells can contain each other. */
const DEEPEST = 6

export const needsOf = (command: string, options: NeedOptions): Need[] => readList(command, options, true, 0)

function readList(command: string, options: NeedOptions, certain: boolean, depth: number): Need[] {
  const found: Need[] = []
  const parts = partsOf(command, options)
  let cwd = options.cwd
  let sure = certain
  for (const [index, part] of parts.entries()) {
    if (part.words[0]?.text === 'cd') {
      const moved = folderAfter(part, cwd)
      // If a folder is unknown, paths after it cannot be looked up.
      if (moved === undefined) break
      cwd = moved
      sure &&= parts[index + 1]?.after === '&&' || parts[index + 1]?.after === ';'
      continue
    }
    found.push(...readWords(part.words, { ...options, cwd, sure, depth }))
    sure = false
  }
  return found
}

function partsOf(command: string, options: NeedOptions): SimpleCommand[] {
  const isWindows = options.platform === 'win32' || WINDOWS_PATH.test(command)
  return splitCommand(command, {
    home: options.home,
    backslash: isWindows ? 'separates' : 'escapes',
    variable: name => {
      const value = name === 'HOME' ? options.home : name === 'PWD' ? options.cwd : options.variables[name]
      if (value === undefined) options.onUnset?.(name)
      return value
    },
  })
}

const folderAfter = (part: SimpleCommand, cwd: string): string | undefined => {
  const target = part.words[1]
  return part.words.length === 2 && target && !target.unsure ? resolve(cwd, target.text) : undefined
}

interface SearchPlace extends NeedOptions {
  readonly sure: boolean
  readonly depth: number
}

/** `isProvided`: a launcher finds the first program itself. */
function readWords(all: readonly Word[], place: SearchPlace, isProvided = false): Need[] {
  const { words, sure } = withoutPrefix(all, place.sure)
  const [first, ...rest] = words
  if (!first || first.unsure || first.text === '') return []
  const here = { ...place, sure, depth: place.depth + 1 }
  const launcher = launcherOf(first.text)
  const isPath = /[/\\]/.test(first.text)
  const itself = isProvided
    ? []
    : [need(first, isPath ? (launcher ? 'interpreter' : 'program') : 'name', here)]
  return [...itself, ...(launcher && here.depth <= DEEPEST ? readTarget(rest, launcher, here) : [])]
}

const launcherOf = (text: string): Launcher | undefined => {
  const name = programName(text)
  return Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined
}

export const isInterpreter = (text: string): boolean => launcherOf(text)?.target === 'file'

const need = (
  { text }: Word,
  role: Need['role'],
  { cwd, sure }: SearchPlace,
  endings: readonly string[] = [],
): Need => ({
  word: text,
  path: role === 'name' || role === 'package' || role.includes('task') ? cwd : pathOf(text, cwd),
  role,
  endings,
  certain: sure,
})

const pathOf = (text: string, cwd: string): string => {
  const path = WINDOWS_PATH.test(text) ? text.replaceAll('\\', '/') : text
  return isAbsolute(path) ? path : join(cwd, path)
}

/** Assignments and keywords. */
function withoutPrefix(all: readonly Word[], certain: boolean): { words: readonly Word[]; sure: boolean } {
  const from = all.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text) && !KEYWORDS.has(text))
  const prefix = from === -1 ? all : all.slice(0, from)
  return {
    words: from === -1 ? [] : all.slice(from),
    sure: certain && !prefix.some(({ text }) => KEYWORDS.has(text)),
  }
}

function readTarget(words: readonly Word[], launcher: Launcher, place: SearchPlace): Need[] {
  let { target, subcommands, own = 0 } = launcher
  const options = words.slice(0, words.findIndex(({ text }) => text === '--') >>> 0)
  if (options.some(({ text }) => launcher.elsewhere?.test(text))) return []
  for (let i = 0; i < words.length; i++) {
    const { text, unsure } = words[i]!
    const next = words[i + 1]
    if (/^-File$/i.test(text) && next) return readNamed('file', [next], launcher, place)
    if (launcher.inline?.test(text)) {
      const isCommand = launcher.isShell && next && !next.unsure
      return isCommand ? readList(next.text, place, place.sure, place.depth) : []
    }
    if (launcher.takesValue?.test(text)) i++
    else if (/^[-+]./.test(text)) continue
    else if (!unsure && subcommands && Object.hasOwn(subcommands, text)) {
      const changed = subcommands[text]!
      if (changed === 'itself') return readNamed('task', [words[i]!], launcher, place)
      target = changed
      subcommands = undefined
    } else if (own > 0) own--
    else return readNamed(target, words.slice(i), launcher, place)
  }
  return []
}

function readNamed(
  target: LauncherTarget,
  words: readonly Word[],
  launcher: Launcher,
  place: SearchPlace,
): Need[] {
  const first = words[0]!
  if (target === 'nothing' || first.text === '-' || first.text === '') return []
  // A word before the command, such as a variable of env, may be unknown.
  if (target === 'command') return readWords(words, place)
  if (first.unsure) return []
  if (target === 'file') {
    if (/^[a-z]{2,}:/i.test(first.text)) return []
    if (launcher.isShell || looksLikeFile(first.text)) return [need(first, 'script', place, launcher.endings)]
    return launcher.hasTasks ? [need(first, 'task or package', place)] : []
  }
  if (target === 'python') {
    if (/\.pyw?$/i.test(first.text)) return [need(first, 'script', place)]
    return readWords(words, place, !first.text.includes('/'))
  }
  if (target === 'package') {
    if (/[/\\]/.test(first.text) && !first.text.startsWith('@')) return []
    return [need(first, 'package', place), ...readWords(words, place, true)]
  }
  return [need(first, target, place), ...(target === 'task or package' ? readWords(words, place, true) : [])]
}

const looksLikeFile = (text: string) => /[/\\]/.test(text) || SCRIPT_ENDING.test(text)

const programName = (text: string): string =>
  basename(text.replaceAll('\\', '/'))
    .replace(/\.exe$/i, '')
    .replace(/^python3\.\d+$/, 'python3')
    .toLowerCase()
