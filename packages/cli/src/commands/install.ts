// holdfast install: one entry for each event in the settings of another agent, which then calls holdfast bridge. Cursor
// runs hooks by itself: they go into its own files.

import type { Bridge } from '@holdfast/hooks/bridges'
import { Complaint } from '../complaint.js'
import { installCursor } from '../cursor/install.js'
import { type Change, creation, fileAt, targetOf, textOf } from '../edit/change.js'
import { type DiffLine, diffOf } from '../edit/diff.js'
import { carryOut, journalFolder } from '../edit/journal.js'
import { withEntries } from '../init/hooks-file.js'
import { entriesFor, isOurs, newFile, oursIn, withoutEntries } from '../install/entries.js'
import { CURSOR, OPTIONS, type Place, placeAt, placeOf } from '../install/place.js'
import { refusedBy } from '../install/refused.js'
import { planJson, planText, refusedLines, writtenText } from '../install/report.js'
import { showHelp } from '../load.js'
import { parse } from '../options.js'
import { ownProgram } from '../own-program.js'
import { shortPath } from '../print/place.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { type Workspace, workspaceOf } from '../workspace.js'

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('install', argv, { ...OPTIONS, 'accept-loss': 'flag' })
  if (given.has('help')) return showHelp('install')
  if (given.positionals[0] === CURSOR) return installCursor(given)
  const workspace = workspaceOf(given)
  const { screen, home } = workspace
  const place = placeOf('install', given, workspace)
  mustBeOnce(place, workspace)
  const isDry = given.has('dry-run')
  const refused = await refusedBy(place.bridge, workspace)
  const { change, diff, events } = planned(place)
  const isRefused = refused.length > 0 && !given.has('accept-loss')
  const isWritten = !isDry && !isRefused && change !== undefined
  if (!given.has('json')) print(planText(place, change, { diff: isDry ? diff : [], events }, screen))
  if (isWritten) carryOut(journalFolder(home, place.folder), 'install', [change], [change.path])
  if (given.has('json')) printJson(planJson(place, events, refused, isWritten))
  if (isRefused) {
    for (const line of refusedLines(place, refused, screen)) printError(`${visible(line)}\n`)
    return 1
  }
  if (!given.has('json')) {
    print(isWritten ? writtenText(place, screen) : `  Nothing was written.\n\n`)
  }
  return 0
}

interface Planned {
  /** Undefined when everything is there already. */
  readonly change: Change | undefined
  readonly diff: readonly DiffLine[]
  readonly events: readonly string[]
}

function planned({ bridge, file }: Place): Planned {
  const path = targetOf(file)
  const before = fileAt(path)
  const text = before ? textOf(before, path) : newFile(bridge)
  const entries = entriesFor(bridge, ownProgram())
  const made = withEntries(path, text, entries, item => isOurs(item, bridge), '')
  if (before) mustBeReadable(bridge, path, text)
  const events = made.added.map(({ event }) => event)
  if (!before) {
    const lines = made.text.trimEnd().split('\n')
    return { change: creation(path, made.text), diff: lines.map(line => ({ mark: '+', text: line })), events }
  }
  const after = Buffer.from(made.text)
  return {
    change: events.length === 0 ? undefined : { path, before, after, mode: before.mode },
    diff: diffOf(text.replace(/^\uFEFF/, ''), made.edits),
    events,
  }
}

/** An agent that cannot read the file would run none of the hooks in it, ours or others. */
function mustBeReadable({ title, config }: Bridge, path: string, text: string): void {
  if (!config.onlyKeys) return
  const voids = `${title} would skip every hook in it`
  let keys: string[]
  try {
    keys = Object.keys(JSON.parse(text))
  } catch {
    throw new Complaint(
      `${path} is not plain JSON, and ${voids}. Take out comments, commas before a bracket and a byte order mark, then try again.`,
    )
  }
  const other = keys.find(key => !config.onlyKeys!.includes(key))
  if (other === undefined) return
  const known = config.onlyKeys.join(' and ')
  throw new Complaint(
    `${path} has "${visible(other)}" beside ${known}, and ${voids}. Take it out, then try again.`,
  )
}

/** Agents add up both of their files: every hook would run twice. */
function mustBeOnce({ bridge, level }: Place, workspace: Workspace): void {
  const { roots, home, screen } = workspace
  if (roots[0] === home) return
  const other = placeAt(bridge, level === 'user' ? 'project' : 'user', workspace)
  const there = fileAt(targetOf(other.file))
  if (!there || withoutEntries(other.file, textOf(there, other.file), oursIn(bridge)) === undefined) return
  throw new Complaint(
    `${shortPath(other.file, screen)} calls holdfast already; with both, every hook would run twice. Take that out first: holdfast uninstall ${bridge.name} --${other.level}`,
  )
}
