// Carries a plan out. The record is written before the first change, so that half a job can be taken back, too.

import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Complaint } from '../complaint.js'
import type { Change } from '../edit/change.js'
import { carryOut, type Entry, forget, hashOf } from '../edit/journal.js'
import { isRemoved } from '../edit/undo.js'
import { dropTemporary, removeEmpty, replace } from '../edit/write.js'
import { isNothing, isUnchanged, type Plan } from './plan.js'

/** The folders that could not go, because something else lies in them. */
export function carry(plan: Plan): string[] {
  // Whoever uses the machine must be able to read them, however strict the administrator's own shell is.
  if (plan.target.level === 'enterprise') process.umask(0o022)
  return plan.packs.length === 0 ? takeOut(plan) : putIn(plan)
}

function putIn(plan: Plan): string[] {
  if (isNothing(plan)) return []
  const { target, known, path, now, after, scripts, removed } = plan
  const hooks: Change = { path, before: now ?? null, after: after!.bytes, mode: after!.mode }
  const changes = isUnchanged(now, after) ? scripts : [...scripts, hooks]
  carryOut(target.journal, 'install', changes, [path], {
    complete: entry => recordOf(entry, plan),
    mode: target.journalMode,
  })
  for (const file of removed) rmSync(file, { force: true })
  for (const record of known.records) forget(record)
  for (const folder of known.folders.toReversed()) isRemoved(folder)
  return []
}

/** One record for all that is there: what came before it is forgotten. */
const recordOf = (entry: Entry, { path, after, origin, owned, packs, known }: Plan): Entry => ({
  ...entry,
  files: [
    {
      path,
      before: origin && { base64: origin.bytes.toString('base64'), mode: origin.mode },
      after: hashOf(after!.bytes),
      holds: true,
    },
    ...owned,
  ],
  folders: outermostFirst([...known.folders, ...entry.folders]),
  packs,
})

const outermostFirst = (folders: readonly string[]) =>
  [...new Set(folders)].sort((a, b) => a.length - b.length)

function takeOut({ target, known, path, now, after, removed }: Plan): string[] {
  try {
    // What names the others goes first: a hook must not be named when its script is gone.
    if (!after) rmSync(path, { force: true })
    else if (!isUnchanged(now, after) || now?.mode !== after.mode) replace(path, after.bytes, after.mode)
    for (const file of removed) rmSync(file, { force: true })
    for (const folder of new Set([path, ...removed].map(dirname))) dropTemporary(folder)
  } catch (error) {
    throw new Complaint(
      `${(error as Error).message}. Not everything could be taken out; mend that, then try again.`,
    )
  }
  for (const record of known.records) forget(record)
  if (target.level === 'enterprise') removeEmpty(target.journal)
  return known.folders.toReversed().filter(folder => !isRemoved(folder))
}
