// Which files does a command name? The program itself when it is a path, the file that an interpreter is given,
// and what stands inside `bash -c "…"`. Best effort: what cannot be decided is left out.

import { basename, isAbsolute, join, resolve } from 'node:path'
import type { DiscoverOptions } from '@holdfast/hooks'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { INTERPRETERS, type Interpreter, STARTERS, type Starter } from './interpreters.js'
import { type SimpleCommand, splitCommand, type Word } from './split-command.js'

export interface NamedScript {
  /** As written, with what is known filled in. */
  readonly word: string
  /** Where it is looked for; it may lack the ending that its interpreter adds. */
  readonly path: string
  readonly role: 'program' | 'interpreter' | 'argument' | 'further'
  /** Endings that the interpreter tries by itself. */
  readonly endings: readonly string[]
  /** Certainly started when the hook runs, and certainly from this folder. */
  readonly certain: boolean
}

export interface NamingOptions {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly cwd: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

export type Context = Pick<DiscoverOptions, 'platform' | 'home' | 'env'>

/** A command is written from the folder and with the variables of its hook. */
export const namingOf = (hook: HookDefinition, { platform, home, env }: Context): NamingOptions => ({
  platform,
  home,
  cwd: hook.cwd,
  // Inherited, not copied: this runs for each of many hooks.
  variables: Object.assign(Object.create(env) as Context['env'], {
    CURSOR_PROJECT_DIR: hook.root,
    CLAUDE_PROJECT_DIR: hook.root,
    CURSOR_PLUGIN_ROOT: hook.plugin,
    CLAUDE_PLUGIN_ROOT: hook.plugin,
  }),
})

const SCRIPT_ENDING = /\.(?:sh|bash|zsh|js|cjs|mjs|ts|cts|mts|py|rb|pl|php|ps1|cmd|bat|exe)$/i
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', 'for', 'case'])
const DEEPEST = 3

export function namedScripts(command: string, options: NamingOptions): NamedScript[] {
  return lookInside(command, options, true, 0)
}

/** The simple commands of a line, with what is known about the surroundings filled in. */
export const partsOf = (command: string, options: NamingOptions): SimpleCommand[] =>
  splitCommand(command, {
    home: options.home,
    backslash: options.platform === 'win32' ? 'separates' : 'escapes',
    variable: name =>
      name === 'HOME' ? options.home : name === 'PWD' ? options.cwd : options.variables[name],
  })

function lookInside(command: string, options: NamingOptions, certain: boolean, depth: number): NamedScript[] {
  const found: NamedScript[] = []
  const parts = partsOf(command, options)
  let cwd = options.cwd
  let sure = certain
  for (const [index, part] of parts.entries()) {
    const moved = part.words[0]?.text === 'cd' ? folderAfter(part, cwd) : undefined
    if (part.words[0]?.text === 'cd') {
      // Behind a folder that is not known, no path can be looked up.
      if (moved === undefined) break
      cwd = moved
      sure &&= parts[index + 1]?.after === '&&' || parts[index + 1]?.after === ';'
      continue
    }
    found.push(...scriptsOf(part, cwd === options.cwd ? options : { ...options, cwd }, sure, depth))
    sure = false
  }
  return found
}

const folderAfter = (part: SimpleCommand, cwd: string): string | undefined => {
  const target = part.words[1]
  return part.words.length === 2 && target && !target.unsure ? resolve(cwd, target.text) : undefined
}

function scriptsOf(
  part: SimpleCommand,
  options: NamingOptions,
  certain: boolean,
  depth: number,
): NamedScript[] {
  const { words, sure } = startOf(part.words, certain)
  const make = (word: Word, role: NamedScript['role'], endings: readonly string[] = []): NamedScript[] => {
    if (word.unsure || word.text === '') return []
    const path = isAbsolute(word.text) ? word.text : join(options.cwd, word.text)
    return [{ word: word.text, path, role, endings, certain: sure && role !== 'further' }]
  }
  const [first, ...rest] = words
  if (!first) return []
  const name = programName(first.text)
  const interpreter = Object.hasOwn(INTERPRETERS, name) ? INTERPRETERS[name] : undefined
  const isFile = /[/\\]/.test(first.text) || (!interpreter && SCRIPT_ENDING.test(first.text))
  const program = isFile ? make(first, interpreter ? 'interpreter' : 'program') : []
  const given = interpreter ? fileOf(rest, interpreter) : undefined
  if (interpreter?.shell && given?.code) {
    const inside = depth < DEEPEST && !given.code.unsure
    return [...program, ...(inside ? lookInside(given.code.text, options, sure, depth + 1) : [])]
  }
  const main = given?.file ? make(given.file, 'argument', interpreter?.endings) : []
  // Files that are passed along are code too when they look like it: `node_modules/.bin/tsx guard.ts`.
  const others = [...rest, ...part.inputs].filter(
    word => word !== given?.file && SCRIPT_ENDING.test(word.text),
  )
  return [...program, ...main, ...others.flatMap(word => make(word, 'further'))]
}

/** Past assignments, keywords and programs that only start another one. */
export function startOf(all: readonly Word[], certain: boolean): { words: readonly Word[]; sure: boolean } {
  let words = all
  let sure = certain
  for (;;) {
    words = dropWhile(words, isAssignment)
    const first = words[0]?.text ?? ''
    const starter = Object.hasOwn(STARTERS, programName(first)) ? STARTERS[programName(first)] : undefined
    if (KEYWORDS.has(first)) {
      sure = false
      words = words.slice(1)
    } else if (starter) words = afterStarter(words.slice(1), starter)
    else return { words, sure }
  }
}

/** The first word that is no option: a file, or code when an option before it says so. */
function fileOf(words: readonly Word[], interpreter: Interpreter): { file?: Word; code?: Word } | undefined {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (i === 0 && interpreter.subcommand?.test(word.text)) continue
    if (/^-File$/i.test(word.text) && words[i + 1]) return { file: words[i + 1]! }
    if (interpreter.inline?.test(word.text)) return words[i + 1] ? { code: words[i + 1]! } : undefined
    if (interpreter.takesValue?.test(word.text)) i++
    else if (!/^[-+]./.test(word.text)) return looksLikeFile(word, interpreter) ? { file: word } : undefined
  }
  return undefined
}

/** `bun run build` names a task, `bash guard` a file. */
const looksLikeFile = (word: Word, interpreter: Interpreter) =>
  word.text !== '-' &&
  (interpreter.shell === true || /[/\\]/.test(word.text) || SCRIPT_ENDING.test(word.text))

function afterStarter(words: readonly Word[], starter: Starter): readonly Word[] {
  let rest = dropWhile(words, isOption)
  if (starter.subcommand && rest[0] && starter.subcommand.test(rest[0].text)) {
    rest = dropWhile(rest.slice(1), isOption)
  }
  return rest.slice(starter.own)
}

const dropWhile = (words: readonly Word[], test: (word: Word) => boolean): readonly Word[] => {
  const from = words.findIndex(word => !test(word))
  return from === -1 ? [] : words.slice(from)
}

const isOption = (word: Word) => word.text.startsWith('-')
const isAssignment = (word: Word) => /^[A-Za-z_]\w*=/.test(word.text)
export const programName = (text: string): string =>
  basename(text.replaceAll('\\', '/'))
    .replace(/\.exe$/i, '')
    .replace(/^python3\.\d+$/, 'python3')
    .toLowerCase()
