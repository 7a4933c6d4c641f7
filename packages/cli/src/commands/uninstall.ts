// holdfast uninstall: the settings of another agent as they were before, byte for byte; or, where somebody has changed
// them since, without our entries.

import type { Bridge } from '@holdfast/hooks/bridges'
import { Complaint } from '../complaint.js'
import { uninstallCursor } from '../cursor/uninstall.js'
import { fileAt, targetOf, textOf } from '../edit/change.js'
import { forget, journalFolder, stored } from '../edit/journal.js'
import { type Fate, fatesOf, takeBack, type Undone } from '../edit/undo.js'
import { replace } from '../edit/write.js'
import { oursIn, withoutEntries } from '../install/entries.js'
import { CURSOR, OPTIONS, placeOf } from '../install/place.js'
import { showHelp } from '../load.js'
import { parse } from '../options.js'
import { fileRows } from '../print/changes.js'
import { shortPath } from '../print/place.js'
import { print, printJson } from '../print/terminal.js'
import { workspaceOf } from '../workspace.js'

const isRestorable = (fate: Fate): fate is 'removed' | 'restored' => fate === 'removed' || fate === 'restored'

/** What would be put back may be the work of an earlier install. */
const isClean = ({ file: { path, before } }: Undone, bridge: Bridge): boolean =>
  !before ||
  withoutEntries(path, Buffer.from(before.base64, 'base64').toString('utf8'), oursIn(bridge)) === undefined

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
  const { screen, home } = workspace
  const { bridge, level, folder, file } = placeOf('uninstall', given, workspace)
  const path = targetOf(file)
  const before = fileAt(path)
  const next = before && withoutEntries(path, textOf(before, path), oursIn(bridge))
  if (!before || next === undefined) {
    throw new Complaint(`${shortPath(path, screen)} does not call holdfast. There is nothing to take out.`)
  }
  const entries = stored(journalFolder(home, folder)).filter(
    ({ entry }) => entry.kind === 'install' && entry.files.some(one => one.path === path),
  )
  const last = entries.at(-1)
  const fates = last ? fatesOf(last) : []
  const ours = fates.find(one => one.file.path === path)
  const does = ours && isClean(ours, bridge) && isRestorable(ours.fate) ? ours.fate : 'edited'
  const isDry = given.has('dry-run')
  if (!isDry) {
    if (last && does !== 'edited') takeBack(last, fates)
    else replace(path, Buffer.from(next), before.mode)
    for (const one of does === 'edited' ? entries : [last!]) forget(one)
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
