// Points the $schema line of hooks.json to the copy beside it. Editors prefer this line to their settings, so an
// address on the network would hide the copy.

import { basename, join } from 'node:path'
import { getNodeValue } from 'jsonc-parser'
import { fileAt, targetOf, textOf } from '../edit/change.js'
import { diffOf } from '../edit/diff.js'
import { addFirst, applied, isProblem, nodeAt, openDocument, setValue } from '../edit/jsonc.js'
import { COPY } from './copy.js'
import type { Piece } from './install.js'

const ADDRESS = `./${basename(COPY)}`

export function pointer(root: string, id: string): Piece {
  const file = join(root, '.cursor', 'hooks.json')
  const path = targetOf(file)
  const before = fileAt(path)
  if (!before) return { file, note: 'does not exist yet' }
  const text = textOf(before, file)
  const document = openDocument(text)
  if (isProblem(document) || document.root.type !== 'object') {
    return { file, note: 'has errors; see: holdfast check' }
  }
  const line = nodeAt(document, ['$schema'])
  const value: unknown = line && getNodeValue(line)
  if (value === ADDRESS) return { file, note: 'refers to the copy already' }
  if (line && value !== id) return { file, note: 'refers to another schema, which stays' }
  const edits = line ? [setValue(line, ADDRESS)] : addFirst(document, document.root, '$schema', ADDRESS)
  return {
    file,
    change: { path, before, after: Buffer.from(applied(text, edits)), mode: before.mode },
    diff: diffOf(document.text, edits),
  }
}
