// holdfast uninstall: the settings of another agent as they were before, byte for byte; or, if they were changed since,
// without the entries of holdfast.

import { Complaint } from '../complaint.js'
import { uninstallCursor } from '../cursor/uninstall.js'
import { fileAt, targetOf, textOf } from '../edit/change.js'
import { forget } from '../edit/journal.js'
import { fatesOf, isRemoved, takeBack } from '../edit/undo.js'
import { removeEmpty, replace } from '../edit/write.js'
import { withoutOurs } from '../install/entries.js'
import { jobsOf, originalOf } from '../install/original.js'
import { CURSOR, mustBeWritable, OPTIONS, placeOf } from '../install/place.js'
import { showHelp } from '../load.js'
import { parse } from '../options.js'
import { fileRows } from '../print/changes.js'
import { shortPath } from '../print/place.js'
import { print, printJson } from '../print/terminal.js'
import { workspaceOf } from '../workspace.js'

const WORDS = {
  removed: ['remove', 'as it was before: there was none'],
  restored: ['restore', 'as it was before'],
  edited: ['change', 'it was changed since, so only the entries of holdfast go'],
} as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('uninstall', argv, OPTIONS)
  if (given.has('help')) return showHelp('uninstall')
  if (given.positionals[0] === CURSOR) return uninstallCursor(given)
  const workspace = workspaceOf(given)
  const { screen } = workspace
  const place = placeOf('uninstall', given, workspace)
  const { bridge, level, journal } = place
  const path = targetOf(place.file)
  const before = fileAt(path)
  const next = before && withoutOurs(path, textOf(before, path), bridge)
  if (!before || next === undefined) {
    throw new Complaint(`${shortPath(path, screen)} does not call holdfast. There is nothing to take out.`)
  }
  const original = originalOf(place, path, before)
  const does = original ? (original.text === null ? 'removed' : 'restored') : 'edited'
  const isDry = given.has('dry-run')
  if (!isDry) {
    mustBeWritable(place, 'uninstall', workspace)
    const jobs = jobsOf(place, path)
    const left = original ? takeBack(original.stored, fatesOf(original.stored)) : []
    if (!original) replace(path, Buffer.from(next), before.mode)
    for (const one of original ? [original.stored] : jobs) forget(one)
    // The journal of the machine is in one of these folders.
    if (level === 'managed') removeEmpty(journal)
    for (const folder of left) isRemoved(folder)
  }
  if (given.has('json')) printJson({ agent: bridge.name, level, file: path, written: !isDry, fate: does })
  else {
    const [word, note] = WORDS[does]
    const end = isDry ? '\n  Nothing was written.\n' : ''
    const head = `hooks out of ${bridge.title}`
    print(`\n  ${screen.bold(head)}\n\n${fileRows([{ word, path, note }], screen).join('\n')}\n${end}\n`)
  }
  return 0
}
