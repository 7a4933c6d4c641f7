// The copy of the schema in the workspace.

import { join } from 'node:path'
import { Complaint } from '../complaint.js'
import { creation, fileAt, targetOf } from '../edit/change.js'
import type { Piece } from './install.js'

export const COPY = '.cursor/hooks.schema.json'

/** An older copy of ours is renewed; a file of somebody else is not touched. */
export function copyChange(root: string, schema: Buffer, id: string): Piece {
  const file = join(root, COPY)
  const path = targetOf(file)
  const before = fileAt(path)
  if (!before) return { file, change: creation(path, schema) }
  if (before.bytes.equals(schema)) return { file, note: 'is there already' }
  if (!isOurs(before.bytes, id)) {
    throw new Complaint(
      `${file} is another file than ours. Move it away, then try again. Nothing was written.`,
    )
  }
  return { file, change: { path, before, after: schema, mode: before.mode } }
}

function isOurs(bytes: Buffer, id: string): boolean {
  try {
    return (JSON.parse(bytes.toString('utf8')) as { $id?: unknown }).$id === id
  } catch {
    return false
  }
}
