// holdfast uninstall: restores the settings of another agent byte for byte. If they were changed since, it removes only
// the entries of holdfast.

import { type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { uninstallCursor } from '../cursor/uninstall.js'
import { fileAt, targetOf, textOf } from '../edit/change.js'
import { recordsOf, takeOut } from '../edit/settings-editor.js'
import { originIn, withoutOurs } from '../install/entries.js'
import { mustBeOutsideOfAgents } from '../install/in-agent.js'
import { AGENT_ARGUMENT, CURSOR, levelOptions, mustBeWritable, placeOf } from '../install/place.js'
import { fileRows } from '../print/changes.js'
import { shortPath } from '../print/place.js'
import { print, printJson } from '../print/terminal.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'

const WORDS = {
  removed: ['remove', 'as it was before: there was none'],
  restored: ['restore', 'as it was before'],
  edited: ['change', 'it was changed since, so only the entries of holdfast are removed'],
} as const

export const command: Command = {
  name: 'uninstall',
  summary: 'Remove your hooks from an agent',
  description:
    'The settings of the agent become what they were before, byte for byte. If they were changed since, only the entries of holdfast are removed.',
  arguments: [AGENT_ARGUMENT],
  options: levelOptions({}, { from: value('FILE', 'not valid here', { isHidden: true }) }),
  exitCodes: { 0: 'removed', 1: 'nothing was changed' },
  examples: ['holdfast uninstall gemini', 'holdfast uninstall cursor --name shop'],
  run,
}

async function run(given: Given): Promise<number> {
  mustBeOutsideOfAgents('uninstall')
  if (given.positionals[0] === CURSOR) return uninstallCursor(given)
  const workspace = workspaceOf(given)
  const { screen } = workspace
  const place = placeOf('uninstall', given, workspace)
  const { bridge, level } = place
  const path = targetOf(place.file)
  const before = fileAt(path)
  const next = before && withoutOurs(path, textOf(before, path), bridge)
  if (!before || next === undefined) {
    throw new UsageError(`${shortPath(path, screen)} does not call holdfast. There is nothing to remove.`)
  }
  const origin = originIn(place, path, before)
  const does = origin === undefined ? 'edited' : origin ? 'restored' : 'removed'
  const isDry = given.has('dry-run')
  if (!isDry) {
    mustBeWritable(place, 'uninstall', workspace)
    const after = origin === undefined ? { bytes: Buffer.from(next), mode: before.mode } : origin
    takeOut(place, recordsOf(place, 'install', path), { path, now: before, after })
  }
  if (given.has('json')) printJson({ agent: bridge.name, level, file: path, written: !isDry, fate: does })
  else {
    const [word, note] = WORDS[does]
    const end = isDry ? '\n  Nothing was written.\n' : ''
    const head = `remove hooks from ${bridge.title}`
    print(`\n  ${screen.bold(head)}\n\n${fileRows([{ word, path, note }], screen).join('\n')}\n${end}\n`)
  }
  return 0
}
