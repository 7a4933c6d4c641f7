// holdfast install: entries in the settings of another agent, which then calls holdfast bridge. Cursor runs hooks
// itself: they are copied into its own files.

import { realpathSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Hooks, openHooks } from '@holdfast/hooks'
import { type Bridge, neededEvents } from '@holdfast/hooks/bridges'
import { Complaint } from '../complaint.js'
import { installCursor } from '../cursor/install.js'
import { type Change, fileAt, modeFor, targetOf, textOf } from '../edit/change.js'
import { diffOf } from '../edit/diff.js'
import { carryOut, type Entry, forget } from '../edit/journal.js'
import type { NewEntry } from '../init/hooks-file.js'
import { entriesFor, entriesIn, newFile, withOnly } from '../install/entries.js'
import { type Original, originalOf } from '../install/original.js'
import { CURSOR, mustBeWritable, OPTIONS, type Place, placeOf } from '../install/place.js'
import { refusedBy } from '../install/refused.js'
import { type Plan, planJson, planText, refusedLines, writtenText } from '../install/report.js'
import { installations, requiredIn, requiredSources } from '../install/stale.js'
import { showHelp } from '../load.js'
import { type Given, parse } from '../options.js'
import { isOnPath, ownProgram } from '../own-program.js'
import { shortPath } from '../print/place.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { requiredOf, type Workspace, workspaceOf } from '../workspace.js'

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('install', argv, {
    ...OPTIONS,
    'accept-loss': 'flag',
    required: 'list',
    verbose: 'flag',
  })
  if (given.has('help')) return showHelp('install')
  if (given.positionals[0] === CURSOR) return installCursor(given)
  const { host, ...rest } = workspaceOf(given)
  // The sources are required of the bridge, not of this command.
  const workspace = { ...rest, host: { ...host, required: [] } }
  const { screen } = workspace
  const place = placeOf('install', given, workspace)
  mustBeOnce(place, workspace)
  const hooks = await openHooks({ ...workspace.host, log: { file: null } })
  try {
    const plan = planFor(place, given, hooks)
    const refused = refusedBy(place.bridge, hooks)
    const isDry = given.has('dry-run')
    const isRefused = refused.length > 0 && !given.has('accept-loss')
    const isWritten = !isDry && !isRefused && plan.change !== undefined
    if (isWritten) {
      mustBeWritable(place, 'install', workspace)
      write(place, plan.change!, plan.original)
    }
    if (given.has('json')) printJson(planJson(place, plan, refused, isWritten, workspace))
    else print(planText(place, plan, { isDry, isVerbose: given.has('verbose') }, workspace))
    if (isRefused) {
      for (const line of refusedLines(place, refused, screen)) printError(`${visible(line)}\n`)
      return 1
    }
    if (!given.has('json')) print(isWritten ? writtenText(place, screen) : `  Nothing was written.\n\n`)
    return 0
  } finally {
    hooks.close()
  }
}

function planFor(place: Place, given: Given, hooks: Hooks): Plan {
  const { bridge, file, level } = place
  const path = targetOf(file)
  const before = fileAt(path)
  const text = before ? textOf(before, path) : newFile(path, bridge)
  const found = entriesIn(path, text, bridge)
  // An event stays installed, because another project may need it.
  const needed = neededEvents(bridge, event => hooks.has(event))
  const events = Object.keys(bridge.names.events).filter(
    event => needed.includes(event) || found.some(one => one.event === event),
  )
  // A required source stays required, because its file may be broken at the moment.
  const required = given.has('required')
    ? requiredOf(given)
    : [...requiredIn(found), ...requiredSources(level, hooks)]
  const wanted = {
    program: programFor(place),
    events,
    required: [...new Set(required)],
    isShared: level === 'project',
  }
  const entries = entriesFor(bridge, wanted)
  if (before) mustBeReadable(bridge, path, text)
  const known = { ...wanted, isMissing: wanted.isShared && !isOnPath() }
  if (isDeepStrictEqual(sorted(found), sorted(entries))) return { ...known, diff: [] }
  const original = before && found.length > 0 ? originalOf(place, path, before) : undefined
  const made = withOnly(path, original ? (original.text ?? newFile(path, bridge)) : text, entries, bridge)
  const after = Buffer.from(made.text)
  const diff = before
    ? diffOf(made.base.replace(/^\uFEFF/, ''), made.edits)
    : made.text
        .trimEnd()
        .split('\n')
        .map(line => ({ mark: '+' as const, text: line }))
  const change = { path, before: before ?? null, after, mode: before?.mode ?? modeFor(after) }
  return { ...known, change, diff, original }
}

const sorted = (entries: readonly NewEntry[]): NewEntry[] =>
  entries.toSorted((a, b) => a.event.localeCompare(b.event))

/**
 * A shared file must not contain a path of this machine. An entry of the machine must not depend on the PATH of each
 * user.
 */
function programFor({ level }: Place): string[] {
  if (level === 'project') return ['holdfast']
  return level === 'managed' ? [process.execPath, realpathSync(process.argv[1] ?? '')] : ownProgram()
}

/** An update is undone to the bytes before the first installation. */
function write({ journal, journalMode }: Place, change: Change, original: Original | undefined): void {
  const complete = (entry: Entry): Entry => {
    if (!original) return entry
    const { file, stored } = original
    return {
      ...entry,
      files: entry.files.map(one => ({ ...one, before: file.before })),
      folders: stored.entry.folders,
    }
  }
  carryOut(journal, 'install', [change], [change.path], { complete, mode: journalMode })
  if (original) forget(original.stored)
}

/** An agent that cannot read the file would run none of the hooks in it, ours or others. */
function mustBeReadable({ title, config }: Bridge, path: string, text: string): void {
  if (!config.onlyKeys || !path.endsWith('.json')) return
  const voids = `${title} would skip every hook in it`
  let keys: string[]
  try {
    keys = Object.keys(JSON.parse(text))
  } catch {
    throw new Complaint(
      `${path} is not plain JSON, and ${voids}. Remove comments, commas before a bracket and a byte order mark, then try again.`,
    )
  }
  const other = keys.find(key => !config.onlyKeys!.includes(key))
  if (other === undefined) return
  const known = config.onlyKeys.join(' and ')
  throw new Complaint(
    `${path} has "${visible(other)}" beside ${known}, and ${voids}. Remove it, then try again.`,
  )
}

/** Agents run the entries of all files: every hook would run twice. */
function mustBeOnce({ bridge, level }: Place, workspace: Workspace): void {
  const other = installations(workspace, [bridge]).find(({ place }) => place.level !== level)?.place
  if (!other) return
  throw new Complaint(
    `${shortPath(other.file, workspace.screen)} calls holdfast already; with both, every hook would run twice. Remove that first: holdfast uninstall ${bridge.name} --${other.level}`,
  )
}
