// Mistakes that load without an error and only show when a hook runs: scripts that are missing or cannot be started,
// paths that exist for one user only, responses in an old spelling, files in a folder that nothing reads. None of them
// drops an entry: the file may be there tomorrow.

import { statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { type Hooks, nearest, quote, readText, shellWord, sortIssues } from '@holdfast/hooks'
import {
  type Catalog,
  CODES,
  type EventName,
  findEvent,
  type HookDefinition,
  type Issue,
  type IssueCode,
  type Layer,
  RESPONSE_ALIASES,
  type Source,
} from '@holdfast/hooks/protocol'
import type { Node } from 'jsonc-parser'
import { isProblem, openDocument, placeOf } from '../edit/jsonc.js'
import { misplacedFiles } from './files.js'
import { matcherProblem } from './matchers.js'
import { type Context, needOptions, needsOf } from './needs.js'
import { isPartOfHooks, type Program, programsOf } from './programs.js'

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
  const found: Issue[] = source.kind === 'project' ? wrongFolders(source) : []
  const placeIn = memberPlaces(source.file)
  for (const hook of hooks) {
    const adder =
      (key: 'command' | 'matcher'): Add =>
      (severity, code, message, hint) =>
        found.push(issue(severity, code, source, { ...placeIn(hook, key), file: source.file, message, hint }))
    // Matchers in Claude settings use the names of Claude.
    const problem = source.format === 'claude' ? undefined : matcherProblem(hook)
    if (problem) adder('matcher')('warning', 'config/matcher-never', problem.message, problem.hint)
    if (hook.command === undefined) continue
    const add = adder('command')
    for (const program of programsOf(hook, context)) {
      if (program.certain && isPartOfHooks(program)) checkProgram(program, hook, source, context, add)
    }
    checkVariables(hook, context, add)
    if (source.kind === 'project' || source.kind === 'claude-project')
      checkPersonal(hook.command, source, add)
  }
  for (const [file, events] of scriptsOf(hooks)) found.push(...oldSpellings(file, events, source))
  return found.length === 0
    ? layer
    : { ...layer, issues: sortIssues([...layer.issues, ...found], source.file) }
}

const wrongFolders = (source: Source): Issue[] =>
  misplacedFiles(source.root).map(({ file, severity, message, hint }) =>
    issue(severity, 'config/wrong-folder', source, { file, line: 1, column: 1, path: '', message, hint }),
  )

/** Each script once, with the events whose hooks name it. */
function scriptsOf(hooks: readonly HookDefinition[]): Map<string, Set<EventName>> {
  const all = new Map<string, Set<EventName>>()
  for (const { scripts, event } of hooks) {
    for (const { path } of scripts) all.set(path, (all.get(path) ?? new Set()).add(event))
  }
  return all
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

/** Where a member of a hook is written: behind its key, in the object that the hook was read from. */
function memberPlaces(file: string): (hook: HookDefinition, key: string) => Omit<At, 'file'> {
  let places: Map<string, Omit<At, 'file'>> | undefined
  return ({ line, column, path }, key) => {
    places ??= readPlaces(file)
    const entry = { line: line ?? 1, column: column ?? 1, path: path ?? '' }
    const keys = key === 'command' ? ['command', 'script_name'] : [key]
    for (const each of keys) {
      const place = places.get(`${entry.line}:${entry.column} ${each}`)
      if (place) return { ...place, path: `${entry.path}.${each}` }
    }
    return entry
  }
}

const LARGEST_CONFIG = 4 * 1024 * 1024

/** By the place of the object, since a path may occur twice: the places of its values. One pass over the file. */
function readPlaces(file: string): Map<string, Omit<At, 'file'>> {
  const places = new Map<string, Omit<At, 'file'>>()
  const document = openDocument(readText(file, LARGEST_CONFIG) ?? '')
  if (isProblem(document)) return places
  const { text, root } = document
  const lineEnd = /\r\n|\n|\r/g
  let line = 1
  let start = 0
  // Nodes come in the order of the text.
  const placeAt = (offset: number) => {
    for (;;) {
      lineEnd.lastIndex = start
      if (!lineEnd.exec(text) || lineEnd.lastIndex > offset) return { line, column: offset - start + 1 }
      line++
      start = lineEnd.lastIndex
    }
  }
  const visit = (node: Node) => {
    const { line: atLine, column } = placeAt(node.offset)
    for (const child of node.children ?? []) {
      const [key, value] = child.type === 'property' ? (child.children ?? []) : [undefined, child]
      if (!value) continue
      if (key) places.set(`${atLine}:${column} ${key.value}`, { ...placeAt(value.offset), path: '' })
      visit(value)
    }
  }
  visit(root)
  return places
}

function checkProgram(
  program: Program,
  hook: HookDefinition,
  source: Source,
  { platform }: Context,
  add: Add,
): void {
  const { word, path, problem } = program
  if (problem === 'missing' && path === null) {
    const hint = isFile(join(hook.cwd, word)) ? `Write ./${word}.` : 'Write the path of the script.'
    add(
      'error',
      'config/script-missing',
      `${quote(word)} is not in PATH. A name without a folder is only found there.`,
      hint,
    )
  } else if (problem === 'missing' || problem === 'folder') reportMissing(program, hook, source, add)
  else if (problem === 'no-task') {
    const meant = nearest(word, program.tasks ?? [])
    add(
      'error',
      'config/script-missing',
      `${relative(hook.root, path!) || path} has no script ${quote(word)}${meant ? `; did you mean ${quote(meant)}?` : '.'}`,
      meant ? `Write ${meant}.` : 'Add the script, or correct its name.',
    )
  } else if (problem === 'not-executable' && platform !== 'win32') {
    const isForWindows = /\.(?:cmd|bat|exe)$/i.test(word)
    add(
      'error',
      'config/script-not-executable',
      isForWindows
        ? `${quote(word)} runs on Windows only.`
        : `${quote(word)} has no execute bit, so it cannot be started.`,
      isForWindows
        ? 'Name a script that runs on all systems of the project.'
        : `Run: chmod +x ${shellWord(path!)}`,
    )
  }
}

function reportMissing(
  { word, path, role, problem }: Program,
  hook: HookDefinition,
  source: Source,
  add: Add,
) {
  const beside = join(dirname(source.file), word)
  const isWindowsPath = /^[A-Za-z]:[\\/]/.test(word)
  const isRelative = !isAbsolute(word) && !isWindowsPath
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
  const [message, hint] =
    role === 'task'
      ? [`There is no package.json for the script ${quote(word)}.`, `Looked in ${dirname(path!)} and above.`]
      : problem === 'folder'
        ? [`${quote(word)} is a folder, not a script.`, 'Name a file in it.']
        : isWindowsPath && process.platform !== 'win32'
          ? [
              `${quote(word)} is a Windows path and does not exist on this system.`,
              'Use a path relative to the project, with forward slashes.',
            ]
          : [
              `${quote(word)} does not exist.`,
              isRelative ? `Create it, or correct the path; it starts at ${hook.cwd}.` : undefined,
            ]
  add('error', 'config/script-missing', message!, hint)
}

/** Names of editors and other agents. A variable of the user's own is usually in capitals. */
const PLACEHOLDER = /^(?:[a-z]\w*|(?:CLAUDE_)?(?:TOOL_INPUT|TOOL_NAME|FILE_PATHS?)\w*|CURSOR_FILE\w*)$/

/** `${file}`: the shell replaces it with nothing, unless the command or the user sets it. */
function checkVariables(hook: HookDefinition, context: Context, add: Add): void {
  const command = hook.command!
  if (!command.includes('$')) return
  const unset = new Set<string>()
  needsOf(command, { ...needOptions(hook, context), onUnset: name => unset.add(name) })
  for (const name of unset) {
    const isAssigned = new RegExp(
      `\\b${name}=|\\b(?:for|read|select|getopts|declare|local)\\b[^;&|]*\\b${name}\\b`,
    )
    if (!PLACEHOLDER.test(name) || isAssigned.test(command)) continue
    add(
      'warning',
      'config/empty-variable',
      `No variable ${name} is set for hooks, so it expands to nothing.`,
      /^workspace(?:Folder|Root)$/.test(name) ? 'Write $CURSOR_PROJECT_DIR.' : undefined,
    )
  }
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

/** camelCase, as the first version had it. Only fields that one of the events has in its current spelling. */
function oldSpellings(file: string, events: ReadonlySet<EventName>, source: Source): Issue[] {
  const text = readText(file, LARGEST_SCRIPT) ?? ''
  const found = new Map<string, number>()
  for (const match of text.matchAll(AS_KEY)) {
    const name = match[2]!
    if (!found.has(name)) found.set(name, match.index + match[0].indexOf(name))
  }
  return [...found].flatMap(([name, offset]) => {
    const right = RESPONSE_ALIASES[name] ?? name
    if (![...events].some(event => right in findEvent(event)!.answer)) return []
    return issue('warning', 'config/camel-case-answer', source, {
      ...placeOf(text, offset),
      file,
      path: '',
      message: `The script responds with ${name}, which versions since 2.0 ignore.`,
      hint: `Write ${right}.`,
    })
  })
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
