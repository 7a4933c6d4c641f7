// The settings of the workspace for VS Code and the editors made from it: where the schema is, and that comments are
// fine in hooks.json.

import { join } from 'node:path'
import { getNodeValue, type Node } from 'jsonc-parser'
import { Complaint } from '../complaint.js'
import { creation, fileAt, targetOf, textOf } from '../edit/change.js'
import { diffOf } from '../edit/diff.js'
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
import { COPY } from './copy.js'
import type { Piece } from './install.js'

const URL = `./${COPY}`
const ENTRY = { fileMatch: ['.cursor/hooks.json', '**/.cursor/hooks.json'], url: URL }
const FILES = '**/.cursor/hooks.json'

export function settings(root: string): Piece {
  const file = join(root, '.vscode', 'settings.json')
  const path = targetOf(file)
  const before = fileAt(path)
  if (!before) {
    const { text } = withSchema(file, '{}\n')
    const diff = text.trimEnd().split('\n')
    return { file, change: creation(path, text), diff: diff.map(line => ({ mark: '+', text: line })) }
  }
  const text = textOf(before, file)
  // An editor takes an empty file for no settings.
  const base = text.trim() === '' ? '{}\n' : text
  const { text: after, edits } = withSchema(file, base)
  if (after === text) return { file, note: 'knows the schema already' }
  return {
    file,
    change: { path, before, after: Buffer.from(after), mode: before.mode },
    diff: diffOf(base.replace(/^\uFEFF/, ''), edits),
  }
}

/** Pure: the text of the settings with what they lack. */
export function withSchema(file: string, whole: string): { text: string; edits: Edit[] } {
  const document = openDocument(whole)
  if (isProblem(document)) {
    const { line, column, message } = document
    throw new Complaint(
      `${file}:${line}:${column} is not JSON: ${message}. Mend it first. Nothing was written.`,
    )
  }
  const root = mustBe(file, document, document.root, 'object', 'The file')
  const schemas = nodeAt(document, ['json.schemas'])
  const associations = nodeAt(document, ['files.associations'])
  const edits: Edit[] = []
  const fresh: [string, unknown][] = []
  if (!schemas) fresh.push(['json.schemas', [ENTRY]])
  else if (!isListed(mustBe(file, document, schemas, 'array', '"json.schemas"'))) {
    edits.push(...addItems(document, schemas, [ENTRY]))
  }
  if (!associations) fresh.push(['files.associations', { [FILES]: 'jsonc' }])
  else if (!nodeAt(document, ['files.associations', FILES])) {
    const object = mustBe(file, document, associations, 'object', '"files.associations"')
    edits.push(...addMembers(document, object, [[FILES, 'jsonc']]))
  }
  if (fresh.length > 0) edits.push(...addMembers(document, root, fresh))
  return { text: applied(whole, edits), edits }
}

const isListed = (schemas: Node): boolean =>
  (getNodeValue(schemas) as unknown[]).some(
    item => typeof item === 'object' && item !== null && 'url' in item && item.url === URL,
  )

function mustBe(file: string, document: Document, node: Node, type: Node['type'], what: string): Node {
  if (node.type === type) return node
  const { line, column } = placeOf(document.text, node.offset)
  throw new Complaint(
    `${file}:${line}:${column} ${what} is not an ${type}. Mend it first. Nothing was written.`,
  )
}
