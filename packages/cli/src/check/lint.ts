// Mistakes that load without an error and only show when a hook runs: scripts that are missing or cannot be started,
// paths that exist for one user only, responses in an old spelling, files in a folder that nothing reads. None of them
// drops an entry: the file may be there tomorrow.

import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { type Hooks, quote, readText, sortIssues } from '@holdfast/hooks'
import {
  ANSWER_ALIASES,
  type Catalog,
  CODES,
  findEvent,
  type HookDefinition,
  type Issue,
  type IssueCode,
  type Layer,
  type Source,
} from '@holdfast/hooks/protocol'
import type { Node } from 'jsonc-parser'
import { type Document, isProblem, openDocument, placeOf } from '../edit/jsonc.js'
import { type Context, type NamedScript, namedScripts, namingOf } from './named-scripts.js'
import { shellWord } from './split-command.js'

/** The catalogue with the findings about its commands among its issues. */
export function lintCatalog(catalog: Catalog, context: Context): Catalog {
  const layers = catalog.layers.map(layer => lintLayer(layer, context))
  return { ...catalog, layers, issues: [...layers.flatMap(({ issues }) => issues), ...catalog.missing] }
}

/** The issues of an open engine, with the findings that can keep its commands from running. */
export const issuesOf = (
  hooks: Pick<Hooks, 'catalog' | 'host'>,
  env: NodeJS.ProcessEnv = process.env,
): readonly Issue[] =>
  lintCatalog(hooks.catalog(), { platform: process.platform, home: hooks.host.home, env }).issues.filter(
    ({ code }) => code !== 'config/camel-case-answer',
  )

export function lintLayer(layer: Layer, context: Context): Layer {
  const { source, hooks } = layer
  const found: Issue[] = source.kind === 'project' ? misplacedFiles(source) : []
  const placeIn = commandPlaces(source.file)
  const read = new Set<string>()
  for (const hook of hooks) {
    if (hook.command === undefined) continue
    const at = placeIn(hook)
    const add = (severity: Issue['severity'], code: IssueCode, message: string, hint?: string) =>
      found.push(issue(severity, code, source, { ...at, file: source.file, message, hint }))
    for (const script of namedScripts(hook.command, namingOf(hook, context))) {
      if (script.certain) checkScript(script, hook, source, context, add)
    }
    if (source.kind === 'project' || source.kind === 'claude-project')
      checkPersonal(hook.command, source, add)
    for (const { path } of hook.scripts) {
      if (!read.has(path)) found.push(...oldSpellings(path, source))
      read.add(path)
    }
  }
  return found.length === 0
    ? layer
    : { ...layer, issues: sortIssues([...layer.issues, ...found], source.file) }
}

type Add = (severity: Issue['severity'], code: IssueCode, message: string, hint?: string) => void

interface At {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly path: string
}

const issue = (
  severity: Issue['severity'],
  code: IssueCode,
  { kind }: Source,
  { file, line, column, path, message, hint }: At & { message: string; hint: string | undefined },
): Issue => ({
  code,
  severity,
  source: kind,
  file,
  line,
  column,
  path,
  message,
  hint: hint ?? CODES[code].hint,
})

/** Where the command of a hook is written: behind its key, in the object that the hook was read from. */
function commandPlaces(file: string): (hook: HookDefinition) => Omit<At, 'file'> {
  let document: Document | undefined
  return ({ line, column, path }) => {
    const entry = { line: line ?? 1, column: column ?? 1, path: path ?? '' }
    if (document === undefined) {
      const opened = openDocument(readText(file, LARGEST_CONFIG) ?? '')
      if (isProblem(opened)) return entry
      document = opened
    }
    const member = objectAt(document, entry)?.children?.find(
      ({ children }) => children?.[0]?.value === 'command' || children?.[0]?.value === 'script_name',
    )
    const [key, value] = member?.children ?? []
    if (!key || !value) return entry
    return { ...placeOf(document.text, value.offset), path: `${entry.path}.${key.value}` }
  }
}

const LARGEST_CONFIG = 4 * 1024 * 1024

/** The object that begins at this place: its path may occur twice. */
function objectAt({ text, root }: Document, { line, column }: Omit<At, 'file'>): Node | undefined {
  const offset = offsetOf(text, line) + column - 1
  let node: Node | undefined = root
  while (node && !(node.offset === offset && node.type === 'object')) {
    node = node.children?.find(child => child.offset <= offset && offset < child.offset + child.length)
  }
  return node
}

function offsetOf(text: string, line: number): number {
  let at = 0
  const lineEnd = /\r\n|\n|\r/g
  for (let number = 1; number < line; number++) {
    lineEnd.lastIndex = at
    if (!lineEnd.exec(text)) return text.length
    at = lineEnd.lastIndex
  }
  return at
}

function checkScript(
  named: NamedScript,
  hook: HookDefinition,
  source: Source,
  context: Context,
  add: Add,
): void {
  const { word, role } = named
  if (role === 'program' && !/[/\\]/.test(word)) {
    const folders = (context.env.PATH ?? '').split(context.platform === 'win32' ? ';' : ':')
    if (folders.some(folder => isAbsolute(folder) && isFile(join(folder, word)))) return
    const hint = isFile(named.path) ? `Write ./${word}.` : 'Write the path of the script.'
    add(
      'error',
      'config/script-missing',
      `${quote(word)} is not in PATH. A name without a folder is only found there.`,
      hint,
    )
    return
  }
  const file = [named.path, ...named.endings.map(ending => named.path + ending)].find(isFile)
  if (file === undefined) {
    reportMissing(named, hook, source, add)
    return
  }
  if (role !== 'program' || context.platform === 'win32' || isExecutable(file)) return
  if (/\.(?:cmd|bat|exe)$/i.test(file))
    add(
      'error',
      'config/script-not-executable',
      `${quote(word)} runs on Windows only.`,
      'Name a script that runs on all systems of the project.',
    )
  else
    add(
      'error',
      'config/script-not-executable',
      `${quote(word)} has no execute bit, so it cannot be started.`,
      `Run: chmod +x ${shellWord(file)}`,
    )
}

function reportMissing({ word, path }: NamedScript, hook: HookDefinition, source: Source, add: Add): void {
  const beside = join(dirname(source.file), word)
  const isRelative = !isAbsolute(word) && !/^[A-Za-z]:[\\/]/.test(word)
  if (source.kind === 'project' && source.root !== undefined && isRelative && isFile(beside)) {
    const right = relative(hook.cwd, beside).split(sep).join('/')
    add(
      'error',
      'config/path-base',
      `${quote(word)} is found from the folder of hooks.json, but project hooks run from the project root.`,
      `Write ${right}.`,
    )
    return
  }
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
  add(
    'error',
    'config/script-missing',
    isFolder ? `${quote(word)} is a folder, not a script.` : `${quote(word)} does not exist.`,
    isRelative ? `Create it, or correct the path; it starts at ${hook.cwd}.` : undefined,
  )
}

/** As written: a path from ~ or a variable is different for each user. */
const PERSONAL =
  /(?<=^|[\s"'=:(])(?:\/(?:Users|home)\/[^/\s"']+|[A-Za-z]:[\\/]+Users[\\/]+[^\\/\s"']+)[\\/][^\s"']*/gi

function checkPersonal(command: string, { root }: Source, add: Add): void {
  for (const { 0: path, index } of command.matchAll(PERSONAL)) {
    if (root !== undefined && command.startsWith(root, index)) continue
    add(
      'warning',
      'config/personal-path',
      `${quote(path)} is in the home folder of one user; others do not have it.`,
    )
    return
  }
}

const LARGEST_SCRIPT = 1024 * 1024

/** As a key: `"userMessage":`, `'userMessage':`, `userMessage:`, also escaped inside a shell string. */
const AS_KEY = /\\?(["']?)\b(userMessage|agentMessage|followupMessage|followUpMessage)\b\\?\1\s*:(?!:)/g

/** camelCase, as the first version had it. Later versions ignore these names without a message. */
function oldSpellings(file: string, source: Source): Issue[] {
  const text = readText(file, LARGEST_SCRIPT) ?? ''
  const found = new Map<string, number>()
  for (const match of text.matchAll(AS_KEY)) {
    const name = match[2]!
    if (!found.has(name)) found.set(name, match.index + match[0].indexOf(name))
  }
  return [...found].map(([name, offset]) =>
    issue('warning', 'config/camel-case-answer', source, {
      ...placeOf(text, offset),
      file,
      path: '',
      message: `The script responds with ${name}, which versions since 2.0 ignore.`,
      hint: `Write ${ANSWER_ALIASES[name] ?? name}.`,
    }),
  )
}

/** Where people put hooks.json by mistake. Only the first place can have no other meaning. */
const MISPLACED = [
  { at: '.cursor/hooks/hooks.json', severity: 'error' },
  { at: 'hooks.json', severity: 'warning' },
  { at: '.cursor/hooks.jsonc', severity: 'warning' },
  { at: '.claude/hooks.json', severity: 'warning' },
  { at: 'hooks/hooks.json', severity: 'warning' },
] as const

function misplacedFiles(source: Source): Issue[] {
  const { root } = source
  // In a plugin, hooks/hooks.json is the right place.
  if (
    root === undefined ||
    existsSync(join(root, '.cursor-plugin')) ||
    existsSync(join(root, '.claude-plugin'))
  )
    return []
  return MISPLACED.filter(({ at }) => holdsHooks(join(root, at))).map(({ at, severity }) =>
    issue(severity, 'config/wrong-folder', source, {
      file: join(root, at),
      line: 1,
      column: 1,
      path: '',
      message: `${at} holds hooks, but nothing reads it there.`,
      hint: `Move its hooks to ${source.file}.`,
    }),
  )
}

function holdsHooks(file: string): boolean {
  const text = readText(file, LARGEST_CONFIG)
  const document = text === undefined ? undefined : openDocument(text)
  if (!document || isProblem(document) || document.root.type !== 'object') return false
  const hooks = document.root.children?.find(({ children }) => children?.[0]?.value === 'hooks')
    ?.children?.[1]
  return (
    hooks?.type === 'object' && (hooks.children ?? []).some(({ children }) => isEvent(children?.[0]?.value))
  )
}

const isEvent = (name: unknown): boolean => typeof name === 'string' && findEvent(name) !== undefined

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
/** By the bits, because root passes every access check. */
const isExecutable = (path: string): boolean => (statSync(path).mode & 0o111) !== 0
