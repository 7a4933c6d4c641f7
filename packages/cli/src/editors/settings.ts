// The workspace settings of VS Code and its derivatives: where the schema is, and that hooks.json may have comments.

import { join } from 'node:path'
import { getNodeValue, type Node } from 'jsonc-parser'
import { addItems, addMembers, applied, type Edit, nodeAt } from '../edit/jsonc.js'
import { expectType, parseSettings, planFile } from '../edit/settings-editor.js'
import { COPY } from './copy.js'
import type { Piece } from './install.js'

const URL = `./${COPY}`
const ENTRY = { fileMatch: ['.cursor/hooks.json', '**/.cursor/hooks.json'], url: URL }
const FILES = '**/.cursor/hooks.json'

export function settings(root: string): Piece {
  const file = join(root, '.vscode', 'settings.json')
  const plan = planFile(file, '{}\n', text => {
    // Editors read an empty file as one without settings.
    const base = text.trim() === '' ? '{}\n' : text
    return { ...withSchema(file, base), base }
  })
  return plan.change ? { file, ...plan } : { file, note: 'has the schema already' }
}

/** Pure: the text of the settings with the missing parts added. */
export function withSchema(file: string, whole: string): { text: string; edits: Edit[] } {
  const document = parseSettings(file, whole)
  const root = expectType(file, document, document.root, 'object', 'The file')
  const schemas = nodeAt(document, ['json.schemas'])
  const associations = nodeAt(document, ['files.associations'])
  const edits: Edit[] = []
  const fresh: [string, unknown][] = []
  if (!schemas) fresh.push(['json.schemas', [ENTRY]])
  else if (!isListed(expectType(file, document, schemas, 'array', '"json.schemas"'))) {
    edits.push(...addItems(document, schemas, [ENTRY]))
  }
  if (!associations) fresh.push(['files.associations', { [FILES]: 'jsonc' }])
  else if (!nodeAt(document, ['files.associations', FILES])) {
    const object = expectType(file, document, associations, 'object', '"files.associations"')
    edits.push(...addMembers(document, object, [[FILES, 'jsonc']]))
  }
  if (fresh.length > 0) edits.push(...addMembers(document, root, fresh))
  return { text: applied(whole, edits), edits }
}

const isListed = (schemas: Node): boolean =>
  (getNodeValue(schemas) as unknown[]).some(
    item => typeof item === 'object' && item !== null && 'url' in item && item.url === URL,
  )
