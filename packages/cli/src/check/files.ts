// Files by name instead of the sources of a workspace: which project or plugin a file belongs to, and files that are in
// a folder where nothing reads them.

import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type DiscoverOptions, discover, inspectFile, readText } from '@holdfast/hooks'
import { findBridge } from '@holdfast/hooks/bridges'
import { findEvent, type Issue, type Layer } from '@holdfast/hooks/protocol'
import { isProblem, nodeAt, openDocument } from '../edit/jsonc.js'
import { UsageError } from '../usage-error.js'
import { isPartOfHooks, programsOf } from './programs.js'

export interface NamedFile {
  readonly layer: Layer
  /** No source reads the file, so it was read as a project file. */
  readonly isLoose: boolean
  /** The folder where its commands start is known. */
  readonly hasFolder: boolean
}

/** Each file is read as an agent would read it in its place. */
export async function readFiles(
  files: readonly string[],
  options: DiscoverOptions,
): Promise<readonly NamedFile[]> {
  const found: NamedFile[] = []
  for (const file of new Set(files)) {
    if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`)
    const { layers } = await discover({
      ...options,
      roots: [dirname(dirname(file))],
      plugins: foldersAbove(file).filter(folder => existsSync(join(folder, '.cursor-plugin'))),
      claude: true,
      required: [],
    })
    const layer = layers.find(({ source }) => source.file === file)
    found.push(layer ? { layer, isLoose: false, hasFolder: true } : await readLoose(file, options))
  }
  return found
}

/** Read from the folder in which a script of the file is found: the project, or one on the way to the file. */
async function readLoose(file: string, options: DiscoverOptions): Promise<NamedFile> {
  const root = projectOf(file)
  const between = foldersAbove(file).filter(folder => folder.startsWith(root))
  let first: Layer | undefined
  for (const cwd of between.toReversed()) {
    const layer = await inspectFile(file, options, { root, cwd })
    first ??= layer
    const programs = layer.hooks.flatMap(hook => programsOf(hook, options))
    if (programs.some(one => one.problem === undefined && one.path?.startsWith(root) && isPartOfHooks(one)))
      return { layer, isLoose: true, hasFolder: true }
  }
  return { layer: first!, isLoose: true, hasFolder: false }
}

/** The folders above a file, nearest first. */
function foldersAbove(file: string): string[] {
  const folder = dirname(file)
  return folder === file ? [] : [folder, ...foldersAbove(folder)]
}

/** The folder around `.cursor`, or the repository, or the folder around `hooks`. */
function projectOf(file: string): string {
  const above = foldersAbove(file)
  const around = above.find(folder => ['.cursor', '.claude'].includes(basename(folder)))
  const repository = above.find(folder => existsSync(join(folder, '.git')))
  if (around !== undefined) return dirname(around)
  return repository ?? (basename(above[0]!) === 'hooks' ? above[1]! : above[0]!)
}

/** Claude Code reads the hooks of its plugins in its own format. */
export const isInClaudePlugin = (file: string): boolean =>
  foldersAbove(file).some(folder => existsSync(join(folder, '.claude-plugin')))

/** Where hooks.json is often put by mistake. Only the first place can have no other meaning. */
const MISPLACED = [
  { at: '.cursor/hooks/hooks.json', severity: 'error' },
  { at: 'hooks.json', severity: 'warning' },
  { at: '.cursor/hooks.jsonc', severity: 'warning' },
  { at: '.claude/hooks.json', severity: 'warning' },
  { at: 'hooks/hooks.json', severity: 'warning' },
] as const

export function misplacedFiles(
  root: string | undefined,
): Pick<Issue, 'file' | 'severity' | 'message' | 'hint'>[] {
  if (root === undefined) return []
  // In a plugin, hooks/hooks.json is the right place.
  const isPlugin = ['.cursor-plugin', '.claude-plugin'].some(name => existsSync(join(root, name)))
  return MISPLACED.filter(
    ({ at }) => !(isPlugin && at === 'hooks/hooks.json') && holdsHooks(join(root, at)),
  ).map(({ at, severity }) => ({
    file: join(root, at),
    severity,
    message: `${at} contains hooks, but nothing reads it there.`,
    hint: `Move its hooks to ${join(root, '.cursor', 'hooks.json')}.`,
  }))
}

const LARGEST = 4 * 1024 * 1024

function holdsHooks(file: string): boolean {
  const text = readText(file, LARGEST)
  const document = text === undefined ? undefined : openDocument(text)
  if (!document || isProblem(document)) return false
  const hooks = nodeAt(document, ['hooks'])
  return (
    hooks?.type === 'object' && (hooks.children ?? []).some(({ children }) => isEvent(children?.[0]?.value))
  )
}

const isEvent = (name: unknown): boolean =>
  typeof name === 'string' && (findEvent(name) !== undefined || Object.hasOwn(CLAUDE_EVENTS, name))

const CLAUDE_EVENTS = findBridge('claude-code')!.names.events
