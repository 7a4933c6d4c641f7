// Adds entries to a hooks.json, and leaves everything else as it is.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inspectFile } from '@holdfast/hooks'
import type { Issue } from '@holdfast/hooks/protocol'
import { getNodeValue, type Node } from 'jsonc-parser'
import { discoverOptions } from '../catalog.js'
import { fileAt, targetOf } from '../edit/change.js'
import { addItems, addMembers, applied, type Edit, nodeAt } from '../edit/jsonc.js'
import { expectType, type FilePlan, parseSettings, planFile } from '../edit/settings-editor.js'
import { UsageError } from '../usage-error.js'
import type { Workspace } from '../workspace.js'

/** The bundle is CommonJS, and the schemas are beside it. */
declare const __dirname: string

export interface NewEntry {
  readonly event: string
  readonly entry: Readonly<Record<string, unknown>>
}

export interface HooksFileChange extends FilePlan {
  readonly added: readonly NewEntry[]
}

export async function addEntries(
  file: string,
  entries: readonly NewEntry[],
  schema: string,
  workspace: Workspace,
): Promise<HooksFileChange> {
  const path = targetOf(file)
  if (fileAt(path)) await mustBeUsable(path, workspace)
  let added: readonly NewEntry[] = []
  const plan = planFile(file, emptyFile(schema), text => {
    const made = withEntries(file, text, entries)
    added = made.added
    return made
  })
  return { ...plan, added }
}

/** Entries in a file that cannot be loaded would never run. */
export async function mustBeUsable(path: string, workspace: Workspace): Promise<void> {
  const { issues, state } = await inspectFile(path, discoverOptions(workspace))
  // A file without "hooks" is only incomplete.
  const issue = issues.find(({ severity, code }) => severity === 'error' && code !== 'config/no-hooks')
  if (state === 'failed' && issue) throw new UsageError(`${issueWords(issue)} Nothing was written.`)
}

export const issueWords = ({ file, line, column, message, hint }: Issue): string =>
  `${file}${line > 0 ? `:${line}:${column}` : ''} ${message} ${hint}`

/** A copy beside hooks.json is preferred, because it works without a network. */
export function schemaAddress(hooksFile: string): string {
  if (existsSync(join(dirname(hooksFile), 'hooks.schema.json'))) return './hooks.schema.json'
  const text = readFileSync(join(__dirname, 'schema', 'hooks.schema.json'), 'utf8')
  return (JSON.parse(text) as { $id: string }).$id
}

export const emptyFile = (schema: string) =>
  `{\n  "$schema": ${JSON.stringify(schema)},\n  "version": 1,\n  "hooks": {}\n}\n`

/** Pure: the text, and the entries that were added. */
export function withEntries(
  file: string,
  whole: string,
  entries: readonly NewEntry[],
  isSame: SameEntry = isSameProgram,
  fix = ': holdfast check',
  hooksKey: readonly string[] = ['hooks'],
): { text: string; edits: Edit[]; added: NewEntry[] } {
  const document = parseSettings(file, whole)
  const mustBe = (type: 'object' | 'array', node: Node, name: string): Node =>
    expectType(file, document, node, type, name, fix)
  const root = mustBe('object', document.root, 'The file')
  const hooks = nodeAt(document, hooksKey)
  if (hooks) mustBe('object', hooks, hooksKey.length > 0 ? `"${hooksKey.join('.')}"` : 'The file')
  const isThere = ({ event, entry }: NewEntry) => {
    const list = nodeAt(document, [...hooksKey, event])
    const items: unknown = list && getNodeValue(list)
    return Array.isArray(items) && items.some(item => isSame(item, entry))
  }
  const added = entries.filter(one => !isThere(one))
  const lists = new Map<string, unknown[]>()
  for (const { event, entry } of added) lists.set(event, [...(lists.get(event) ?? []), entry])
  const edits: Edit[] = []
  const fresh: [string, unknown][] = []
  for (const [event, items] of lists) {
    const list = nodeAt(document, [...hooksKey, event])
    if (list) edits.push(...addItems(document, mustBe('array', list, `"${event}"`), items))
    else fresh.push([event, items])
  }
  if (hooks && fresh.length > 0) edits.push(...addMembers(document, hooks, fresh))
  else if (fresh.length > 0)
    edits.push(...addMembers(document, root, [[hooksKey[0]!, Object.fromEntries(fresh)]]))
  return { text: applied(whole, edits), edits, added }
}

type SameEntry = (item: unknown, entry: NewEntry['entry']) => boolean

/** The same program under the same matcher runs once; the other fields of its entry are for the user to choose. */
export const isSameProgram: SameEntry = (item, entry) =>
  ['command', 'prompt', 'matcher'].every(key => (item as NewEntry['entry'] | null)?.[key] === entry[key])
