// What a command needs on this machine before it can run: its program, the interpreter behind it, its script. Looks,
// and starts nothing. What cannot be known without running the command is left out.

import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { INTERPRETERS } from './interpreters.js'
import {
  type Context,
  type NamedScript,
  namedScripts,
  namingOf,
  partsOf,
  programName,
  startOf,
} from './named-scripts.js'

export interface Program {
  /** As the command or the first line of the script has it. */
  readonly word: string
  /** Where it is, or where it was looked for; null when it is nowhere on the PATH. */
  readonly path: string | null
  /** program: started by the system. script: read by a program. interpreter: reads one, perhaps that of `of`. */
  readonly role: 'program' | 'script' | 'interpreter'
  readonly of?: string
  readonly problem?: 'missing' | 'folder' | 'not-executable' | 'unreadable' | 'line-break' | 'byte-order-mark'
  /** Certainly needed each time the hook runs. */
  readonly certain: boolean
}

export function programsOf(hook: HookDefinition, { platform, home, env }: Context): Program[] {
  if (hook.command === undefined) return []
  const naming = namingOf(hook, { platform, home, env })
  const find = (name: string) => lookUp(name, hook.cwd, env, platform)
  const found = new Map<string, Program>()
  const add = (program: Program) => {
    if (!found.has(program.word)) found.set(program.word, program)
  }
  partsOf(hook.command, naming).forEach((part, index) => {
    const { words, sure } = startOf(part.words, index === 0)
    const first = words[0]
    if (first && !first.unsure && isBare(first.text, platform)) {
      const path = find(first.text)
      add({ word: first.text, path, role: roleOf(first.text), certain: sure, ...(path ? {} : MISSING) })
    }
  })
  for (const script of namedScripts(hook.command, naming)) {
    if (script.role === 'further' || (script.role === 'program' && isBare(script.word, platform))) continue
    const program = looked(script, platform)
    add(program)
    if (program.role === 'program' && !program.problem && platform !== 'win32') {
      for (const behind of interpreterOf(program, hook.cwd, find)) add(behind)
    }
  }
  return [...found.values()]
}

const MISSING = { problem: 'missing' } as const

const roleOf = (word: string): Program['role'] =>
  Object.hasOwn(INTERPRETERS, programName(word)) ? 'interpreter' : 'program'

/** Words that the shell knows by itself are no programs that could be missing. */
const SHELL_WORDS = new Set(
  (
    '. : [ [[ alias break case cd command continue do done echo elif else esac eval exec exit export false fi for ' +
    'getopts hash if in kill let local printf pwd read readonly return set shift source test then time times trap ' +
    'true type ulimit umask unalias unset until wait while { } ( ) !'
  ).split(' '),
)

const isBare = (word: string, platform: NodeJS.Platform): boolean =>
  word !== '' && !/[/\\]/.test(word) && !(platform !== 'win32' && SHELL_WORDS.has(word))

/** The way of the system: each folder of PATH in turn. */
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

function looked({ word, path, endings, role, certain }: NamedScript, platform: NodeJS.Platform): Program {
  const isScript = role === 'argument'
  const there = [path, ...endings.map(ending => path + ending)].find(each => statOf(each)?.isFile())
  const program: Program = { word, path: there ?? path, role: isScript ? 'script' : roleOf(word), certain }
  if (there === undefined) return { ...program, problem: statOf(path)?.isDirectory() ? 'folder' : 'missing' }
  if (isScript) return isReadable(there) ? program : { ...program, problem: 'unreadable' }
  const mayRun = platform === 'win32' || (statOf(there)!.mode & 0o111) !== 0
  return mayRun ? program : { ...program, problem: 'not-executable' }
}

/** What the first line of a script asks for; `env` only passes it on. */
function interpreterOf({ path, word, certain }: Program, cwd: string, find: (name: string) => string | null) {
  const head = headOf(path!)
  const base = { role: 'interpreter', of: word, certain } as const
  // A program that is no script may be allowed to run and not to be read.
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

/** Bytes as letters; null when the file may not be read. */
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
