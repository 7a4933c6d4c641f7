// Writes a plan: the hooks into Cursor's files, or out of them.

import { rmSync } from 'node:fs'
import type { Change } from '../edit/change.js'
import { hashOf, type JobRecord } from '../edit/journal.js'
import { foldersOf, takeOut, update } from '../edit/settings-editor.js'
import { isRemoved } from '../edit/undo.js'
import { type CursorPlan, isNothing, isUnchanged } from './plan.js'

/** Returns the folders that stay because they hold something else. */
export function applyPlan(plan: CursorPlan): string[] {
  const { target, known, packs } = plan
  // All users must be able to read the files, however strict the umask of the administrator is.
  if (target.level === 'enterprise') process.umask(0o022)
  if (packs.length === 0) return takeOut(target, known.records, plan)
  if (!isNothing(plan)) putIn(plan)
  return []
}

function putIn(plan: CursorPlan): void {
  const { target, known, path, now, after, scripts, removed, owned, packs, origin } = plan
  const hooks: Change = { path, before: now ?? null, after: after!.bytes, mode: after!.mode }
  const changes = isUnchanged(now, after) ? scripts : [...scripts, hooks]
  const before = origin && { base64: origin.bytes.toString('base64'), mode: origin.mode }
  // The record lists all files that are there afterwards, also those that this job does not change.
  const complete = (entry: JobRecord): JobRecord => ({
    ...entry,
    files: [{ path, before, after: hashOf(after!.bytes), holds: true }, ...owned],
    packs,
  })
  update(target, 'install', changes, path, known.records, origin, complete)
  for (const file of removed) rmSync(file, { force: true })
  for (const folder of foldersOf(known.records.map(({ entry }) => entry)).toReversed()) isRemoved(folder)
}
