// Entries into a hooks.json that may be somebody's work: what is there stays as it stands.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inspectFile } from '@holdfast/hooks'
import type { Issue } from '@holdfast/hooks/protocol'
import { getNodeValue, type Node } from 'jsonc-parser'
import { discoverOptions } from '../catalog.js'
import { Complaint } from '../complaint.js'
import { type Change, creation, fileAt, targetOf, textOf } from '../edit/change.js'
import { type DiffLine, diffOf } from '../edit/diff.js'
import {
  addItems,
  addMembers,
  applied,
  type Document,
  type Edit,
  isProblem,
  nodeAt,
  openDocument,
  placeOf,
} from '../edit/jsonc.js'
import type { Workspace } from '../workspace.js'

/** The bundle is CommonJS, and the schemas lie beside it. */
declare const __dirname: string

export interface NewEntry {
  readonly event: string
  readonly entry: Readonly<Record<string, unknown>>
}

export interface HooksFileChange {
  /** Undefined when everything is there already. */
  readonly change: Change | undefined
  readonly diff: readonly DiffLine[]
  readonly added: readonly NewEntry[]
}

export async function addEntries(
  file: string,
  entries: readonly NewEntry[],
  schema: string,
  workspace: Workspace,
): Promise<HooksFileChange> {
  const path = targetOf(file)
  const before = fileAt(path)
  if (!before) {
    const { text } = withEntries(file, emptyFile(schema), entries)
    const diff = text.trimEnd().split('\n')
    return {
      change: creation(path, text),
      diff: diff.map(line => ({ mark: '+', text: line })),
      added: entries,
    }
  }
  await mustBeUsable(path, workspace)
  const text = textOf(before, path)
  const { text: after, edits, added } = withEntries(file, text, entries)
  return {
    change: added.length === 0 ? undefined : { path, before, after: Buffer.from(after), mode: before.mode },
    diff: diffOf(text.replace(/^\uFEFF/, ''), edits),
    added,
  }
}

/** What is added to a file that nobody reads would never run. */
export async function mustBeUsable(path: string, workspace: Workspace): Promise<void> {
  const { issues, state } = await inspectFile(path, discoverOptions(workspace))
  // Without "hooks" it is only not finished yet.
  const issue = issues.find(({ severity, code }) => severity === 'error' && code !== 'config/no-hooks')
  if (state === 'failed' && issue) throw new Complaint(`${issueWords(issue)} Nothing was written.`)
}

export const issueWords = ({ file, line, column, message, hint }: Issue): string =>
  `${file}${line > 0 ? `:${line}:${column}` : ''} ${message} ${hint}`

/** A copy beside hooks.json works without a network, so it wins. */
export function schemaAddress(hooksFile: string): string {
  if (existsSync(join(dirname(hooksFile), 'hooks.schema.json'))) return './hooks.schema.json'
  const text = readFileSync(join(__dirname, 'schema', 'hooks.schema.json'), 'utf8')
  return (JSON.parse(text) as { $id: string }).$id
}

export const emptyFile = (schema: string) =>
  `{\n  "$schema": ${JSON.stringify(schema)},\n  "version": 1,\n  "hooks": {}\n}\n`

/** Pure: the text, and the entries that it did not have. */
export function withEntries(
  file: string,
  whole: string,
  entries: readonly NewEntry[],
  isSame: SameEntry = isSameProgram,
  mend = ': holdfast check',
): { text: string; edits: Edit[]; added: NewEntry[] } {
  const document = openDocument(whole)
  if (isProblem(document)) {
    const { line, column, message } = document
    throw new Complaint(`${file}:${line}:${column} is not JSON: ${message}. Nothing was written.`)
  }
  const mustBe = (type: 'object' | 'array', node: Node, what: string): Node => {
    if (node.type === type) return node
    const { line, column } = placeOf(document.text, node.offset)
    throw new Complaint(
      `${file}:${line}:${column} ${what} is not an ${type}, so nothing can be added to it. Mend it first${mend}. Nothing was written.`,
    )
  }
  const root = mustBe('object', document.root, 'The file')
  const hooks = nodeAt(document, ['hooks'])
  if (hooks) mustBe('object', hooks, '"hooks"')
  const added = entries.filter(one => !isThere(document, one, isSame))
  const lists = new Map<string, unknown[]>()
  for (const { event, entry } of added) lists.set(event, [...(lists.get(event) ?? []), entry])
  const edits: Edit[] = []
  const fresh: [string, unknown][] = []
  for (const [event, items] of lists) {
    const list = nodeAt(document, ['hooks', event])
    if (list) edits.push(...addItems(document, mustBe('array', list, `"${event}"`), items))
    else fresh.push([event, items])
  }
  if (hooks && fresh.length > 0) edits.push(...addMembers(document, hooks, fresh))
  else if (fresh.length > 0) edits.push(...addMembers(document, root, [['hooks', Object.fromEntries(fresh)]]))
  return { text: applied(whole, edits), edits, added }
}

type SameEntry = (item: unknown, entry: NewEntry['entry']) => boolean

/** The same program under the same matcher runs once; what else its entry says is the person's. */
export const isSameProgram: SameEntry = (item, entry) =>
  ['command', 'prompt', 'matcher'].every(key => (item as NewEntry['entry'] | null)?.[key] === entry[key])

function isThere(document: Document, { event, entry }: NewEntry, isSame: SameEntry): boolean {
  const list = nodeAt(document, ['hooks', event])
  const items: unknown = list && getNodeValue(list)
  return Array.isArray(items) && items.some(item => isSame(item, entry))
}
