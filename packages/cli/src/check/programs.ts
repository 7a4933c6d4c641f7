// Looks up on this machine what a command needs: its programs, the interpreters behind them, its scripts and tasks.
// Starts nothing.

import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { readText } from '@holdfast/hooks'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { parse } from 'jsonc-parser'
import { type Context, isInterpreter, type Need, needOptions, needsOf, SCRIPT_ENDING } from './needs.js'

export interface Program {
  /** As the command or the first line of the script has it. */
  readonly word: string
  /** The path, or where it was looked for; null if a name is not in PATH. */
  readonly path: string | null
  /** program: started by the system. script: read by a program. interpreter: reads a file, perhaps that of `of`. */
  readonly role: 'program' | 'script' | 'interpreter' | 'task'
  readonly of?: string
  readonly problem?:
    | 'missing'
    | 'folder'
    | 'not-executable'
    | 'unreadable'
    | 'line-break'
    | 'byte-order-mark'
    | 'no-task'
  /** The tasks that exist, if this one is missing. */
  readonly tasks?: readonly string[]
  /** Needed each time the hook runs. */
  readonly certain: boolean
}

/** Part of the hooks, not of the machine: another machine does not have it either. */
export const isPartOfHooks = ({ word, path, role, of }: Program): boolean =>
  of === undefined && (role === 'task' || path !== null || SCRIPT_ENDING.test(word))

export function programsOf(hook: HookDefinition, context: Context): Program[] {
  if (hook.command === undefined) return []
  const { platform, env } = context
  const find = (name: string) => lookUp(name, hook.cwd, env, platform)
  const found = new Map<string, Program>()
  const add = (program: Program) => {
    if (!found.has(program.word)) found.set(program.word, program)
  }
  for (const need of needsOf(hook.command, needOptions(hook, context))) {
    if (need.role === 'name') {
      if (!isProgramName(need.word, platform)) continue
      const path = find(need.word)
      add({ ...nameOf(need), path, ...(path ? {} : MISSING) })
    } else if (need.role === 'package') {
      const path = findPackage(need)
      if (path) add({ ...nameOf(need), path })
    } else if (need.role.includes('task')) {
      const task = lookUpTask(need, find)
      if (task) add(task)
    } else {
      const program = lookAt(need, platform)
      add(program)
      if (program.role === 'program' && !program.problem && platform !== 'win32')
        for (const behind of interpreterOf(program, hook.cwd, find)) add(behind)
    }
  }
  return [...found.values()]
}

const MISSING = { problem: 'missing' } as const

const nameOf = ({ word, certain }: Need) =>
  ({ word, role: isInterpreter(word) ? 'interpreter' : 'program', certain }) as const

/** Words that the shell handles by itself are not programs that could be missing. */
const SHELL_WORDS = new Set(
  (
    '. : [ [[ alias break case cd command continue do done echo elif else esac eval exec exit export false fi for ' +
    'getopts hash if in kill let local printf pwd read readonly return set shift source test then time times trap ' +
    'true type ulimit umask unalias unset until wait while { } ( ) !'
  ).split(' '),
)

const isProgramName = (word: string, platform: NodeJS.Platform): boolean =>
  platform === 'win32' || !SHELL_WORDS.has(word)

/** As the system does: each folder of PATH in turn. */
function lookUp(name: string, cwd: string, env: Context['env'], platform: NodeJS.Platform): string | null {
  const endings = platform === 'win32' ? ['', ...(env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';')] : ['']
  for (const folder of (env.PATH ?? env.Path ?? '').split(delimiter)) {
    for (const ending of endings) {
      const path = join(resolve(cwd, folder), name + ending)
      const stats = statOf(path)
      if (stats?.isFile() && (platform === 'win32' || (stats.mode & 0o111) !== 0)) return path
    }
  }
  return null
}

/** The nearest result for a folder or one of those above it. */
function nearestAbove<T>(folder: string, look: (folder: string) => T | undefined): T | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = look(at)
    if (found !== undefined || at === dirname(at)) return found
  }
}

const findPackage = ({ word, path }: Need): string | undefined => {
  const name = word.replace(/(?<=.)@.*$/, '').replace(/^@[^/]*\//, '')
  return nearestAbove(path, folder => {
    const file = join(folder, 'node_modules', '.bin', name)
    return statOf(file)?.isFile() ? file : undefined
  })
}

const LARGEST_MANIFEST = 1024 * 1024

/** Undefined if it exists but cannot be looked up here, such as the program of a package that is not installed. */
function lookUpTask(need: Need, find: (name: string) => string | null): Program | undefined {
  const { word, role, path: folder, certain } = need
  const names = role === 'deno task' ? ['deno.json', 'deno.jsonc', 'package.json'] : ['package.json']
  const manifests = nearestAbove(folder, at => {
    const files = names.map(name => join(at, name)).filter(file => statOf(file)?.isFile())
    return files.length > 0 ? files : undefined
  })
  const task = { word, role: 'task', certain } as const
  if (!manifests)
    return role === 'task' ? { ...task, path: join(folder, 'package.json'), ...MISSING } : undefined
  const path = manifests[0]!
  const tasks = manifests.flatMap(tasksIn)
  if (tasks.includes(word)) return { ...task, path }
  // The file cannot be read, or the word may be a pattern. `npm run env` needs no script.
  if (tasks.includes(undefined) || !/^[\w:.@-]+$/.test(word) || word === 'env') return undefined
  if (role === 'task or package') {
    const program = findPackage(need) ?? find(word)
    if (program) return { ...nameOf(need), path: program }
    if (!statOf(join(dirname(path), 'node_modules'))?.isDirectory()) return undefined
  }
  return { ...task, path, problem: 'no-task', tasks: tasks as string[] }
}

function tasksIn(file: string): (string | undefined)[] {
  const manifest: unknown = parse(readText(file, LARGEST_MANIFEST) ?? '')
  if (typeof manifest !== 'object' || manifest === null) return [undefined]
  const { scripts, tasks } = manifest as Record<string, unknown>
  return [...Object.keys(scripts ?? {}), ...Object.keys(tasks ?? {})]
}

function lookAt({ word, path, endings, role, certain }: Need, platform: NodeJS.Platform): Program {
  const isScript = role === 'script'
  const there = [path, ...endings.map(ending => path + ending)].find(each => statOf(each)?.isFile())
  const program: Program = {
    word,
    path: there ?? path,
    role: isScript ? 'script' : isInterpreter(word) ? 'interpreter' : 'program',
    certain,
  }
  if (there === undefined) return { ...program, problem: statOf(path)?.isDirectory() ? 'folder' : 'missing' }
  if (isScript) return isReadable(there) ? program : { ...program, problem: 'unreadable' }
  const mayRun = platform === 'win32' || (statOf(there)!.mode & 0o111) !== 0
  return mayRun ? program : { ...program, problem: 'not-executable' }
}

/** The program that the first line of a script names; `env` only starts it. */
function interpreterOf({ path, word, certain }: Program, cwd: string, find: (name: string) => string | null) {
  const head = headOf(path!)
  const base = { role: 'interpreter', of: word, certain } as const
  // A binary may be executable and not readable.
  if (head === null) return [{ ...base, word: '#!', path, problem: 'unreadable', certain: false } as const]
  if (head.startsWith('\u00ef\u00bb\u00bf#!'))
    return [{ ...base, word: '#!', path, problem: 'byte-order-mark', certain: false } as const]
  const line = /^#!([^\n]*)/.exec(head)?.[1]
  if (line === undefined) return []
  if (line.endsWith('\r'))
    return [{ ...base, word: `#!${line.trim()}`, path, problem: 'line-break' } as const]
  const [program = '', ...rest] = line.trim().split(/\s+/)
  const behind = /(?:^|\/)env$/.test(program) ? afterEnv(rest) : undefined
  return [program, ...(behind === undefined ? [] : [behind])].map((name): Program => {
    if (isAbsolute(name) || name.includes('/')) {
      const at = resolve(cwd, name)
      return { ...base, word: name, path: at, ...(statOf(at)?.isFile() ? {} : MISSING) }
    }
    const at = find(name)
    return { ...base, word: name, path: at, ...(at ? {} : MISSING) }
  })
}

/** `-S node --flag`, `-i PATH=/bin python3`: the first word that is the program. */
const afterEnv = (words: readonly string[]): string | undefined =>
  words.map(word => word.replace(/^-S(?=[^\s])/, '')).find(word => !/^-|^[A-Za-z_]\w*=/.test(word))

/** Bytes as characters; null if the file may not be read. */
function headOf(path: string): string | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const bytes = Buffer.alloc(512)
      return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return null
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
