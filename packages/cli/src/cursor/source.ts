// The hooks to install: those of the workspace, or of the hooks.json that --from names.

import { statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { inspectFile } from '@holdfast/hooks'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { getNodeValue } from 'jsonc-parser'
import type { Given } from '../arguments.js'
import { discoverOptions } from '../catalog.js'
import { fileAt, textOf } from '../edit/change.js'
import { type Document, isProblem, openDocument } from '../edit/jsonc.js'
import { issueWords, type NewEntry } from '../init/hooks-file.js'
import { place, shortPath } from '../print/place.js'
import { UsageError } from '../usage-error.js'
import type { Workspace } from '../workspace.js'
import { filesIn, type ScriptFile } from './files.js'
import { isStuck, type MoveOrigin, moved } from './move.js'
import type { CursorTarget } from './place.js'

export interface HooksToInstall extends MoveOrigin {
  readonly file: string
  /** The name of its folder in Cursor. */
  readonly name: string
  readonly hooks: readonly HookDefinition[]
  /** In the order of the file, one for each hook. */
  readonly entries: readonly NewEntry[]
}

export async function sourceOf(given: Given, workspace: Workspace): Promise<HooksToInstall> {
  const { cwd, roots, home, screen } = workspace
  const named = given.value('from')
  const file = named === undefined ? join(roots[0]!, '.cursor', 'hooks.json') : resolve(cwd, named)
  const above = dirname(file)
  const isProject = basename(above) === '.cursor' && dirname(above) !== home
  const root = basename(above) === '.cursor' ? dirname(above) : above
  if (named !== undefined && statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${shortPath(file, screen)} is a folder. Name the hooks.json in it.`)
  }
  const before = fileAt(file)
  if (!before) {
    const next =
      named === undefined ? ' Write a first hook with holdfast init, or name a file with --from.' : ''
    throw new UsageError(`There is no ${shortPath(file, screen)}.${next}`)
  }
  const base = isProject ? root : above
  const { hooks, issues } = await inspectFile(file, discoverOptions(workspace), {
    root: base,
    cwd: base,
  })
  // Some versions ignore a whole file because of one unknown event.
  const wrong = issues.find(({ severity, code }) => severity === 'error' || code === 'config/unknown-event')
  if (wrong) throw new UsageError(`${issueWords(wrong)} Nothing was written.`)
  if (hooks.length === 0) throw new UsageError(`${shortPath(file, screen)} has no hooks.`)
  return {
    file,
    base,
    scripts: join(above, 'hooks'),
    spelled: isProject ? '.cursor/hooks/' : 'hooks/',
    name: nameOf(given, root),
    hooks,
    entries: entriesOf(file, textOf(before, file)),
  }
}

/** A word of a command and a folder, so only characters that no shell or file system interprets. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

function nameOf(given: Given, root: string): string {
  const wanted = given.value('name')
  if (wanted === undefined) {
    const plain = basename(root)
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
    return plain.slice(0, 64) || 'hooks'
  }
  if (NAME.test(wanted)) return wanted
  throw new UsageError(`--name "${wanted}" is not a valid name. Use letters, digits, dots, _ and -.`)
}

/** Every "hooks" object and every list counts, as it does for Cursor. */
function entriesOf(file: string, text: string): NewEntry[] {
  const document = openDocument(text)
  if (isProblem(document)) throw new UsageError(`${file}:${document.line} is not JSON: ${document.message}.`)
  return membersOf(document.root)
    .filter(([key]) => key === 'hooks')
    .flatMap(([, hooks]) => membersOf(hooks))
    .flatMap(([event, list]) => (list.children ?? []).map(item => ({ event, entry: getNodeValue(item) })))
}

const membersOf = (node: Document['root']): [string, Document['root']][] =>
  (node.children ?? []).flatMap(({ children: [key, value] = [] }): [string, Document['root']][] =>
    key && value ? [[String(key.value), value]] : [],
  )

export interface PreparedHooks {
  readonly entries: readonly NewEntry[]
  readonly files: readonly ScriptFile[]
  /** Why some of them cannot be moved, one line each. */
  readonly stuck: readonly string[]
}

/** The entries as they are in the target, and the files that they need there. */
export function wantedIn(source: HooksToInstall, target: CursorTarget, workspace: Workspace): PreparedHooks {
  const { screen, home } = workspace
  const to = { folder: target.folder, level: target.level, prefix: `hooks/${source.name}/` }
  const around = { platform: process.platform, home, env: process.env }
  const stuck: string[] = []
  const entries = source.hooks.map((hook, index): NewEntry => {
    const { event, entry } = source.entries[index]!
    if (hook.command === undefined) return { event, entry }
    const result = moved(hook, source, to, around)
    if (!isStuck(result)) return { event, entry: { ...entry, command: result.command } }
    stuck.push(`${place(hook.file, hook.line, screen)} ${hook.event}: ${result.problem} ${result.fix}`)
    return { event, entry }
  })
  const needsFiles = entries.some(({ entry }) => String(entry.command ?? '').includes(to.prefix))
  return { entries, files: needsFiles && stuck.length === 0 ? filesIn(source.scripts) : [], stuck }
}
