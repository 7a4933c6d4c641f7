// The copy of the schema in the workspace.

import { join } from 'node:path'
import { creation, fileAt, targetOf } from '../edit/change.js'
import { UsageError } from '../usage-error.js'
import type { Piece } from './install.js'

export const COPY = '.cursor/hooks.schema.json'

/** Updates an older copy; a file of somebody else stays. */
export function copyChange(root: string, schema: Buffer, id: string): Piece {
  const file = join(root, COPY)
  const path = targetOf(file)
  const before = fileAt(path)
  if (!before) return { file, change: creation(path, schema) }
  if (before.bytes.equals(schema)) return { file, note: 'exists already' }
  if (!isOurs(before.bytes, id)) {
    throw new UsageError(
      `${file} is not a schema of holdfast. Move it away, then try again. Nothing was written.`,
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
