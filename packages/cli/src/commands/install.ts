// holdfast install: entries in the settings of another agent, which then calls holdfast bridge. Cursor runs hooks
// itself: they are copied into its own files.

import { realpathSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Hooks, openHooks } from '@holdfast/hooks'
import { type Bridge, createStates, neededEvents, statesFolder } from '@holdfast/hooks/bridges'
import { flag, type Given, list, value } from '../arguments.js'
import type { Command } from '../command.js'
import { installCursor } from '../cursor/install.js'
import { clientCopy, clientProblem, copyClient, findClient } from '../daemon/client.js'
import { fileAt, targetOf, textOf } from '../edit/change.js'
import { planFile, recordsOf, update } from '../edit/settings-editor.js'
import type { NewEntry } from '../init/hooks-file.js'
import { entriesFor, entriesIn, newFile, originIn, withOnly } from '../install/entries.js'
import {
  AGENT_ARGUMENT,
  CURSOR,
  type InstallPlace,
  levelOptions,
  mustBeWritable,
  placeOf,
} from '../install/place.js'
import { refusedBy } from '../install/refused.js'
import { type InstallPlan, planJson, planText, refusedLines, writtenText } from '../install/report.js'
import { installations, requiredIn, requiredSources } from '../install/stale.js'
import { isOnPath, ownProgram } from '../own-program.js'
import { shortPath } from '../print/place.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { UsageError } from '../usage-error.js'
import { requiredOf, type Workspace, workspaceOf } from '../workspace.js'

export const command: Command = {
  name: 'install',
  summary: 'Install your hooks into an agent',
  description: `Adds entries to the settings of the agent; each calls holdfast bridge. Prompts, tool calls and session starts always get an entry; another event gets one if a hook needs it. All other entries, comments and the layout stay the same. Install again after you add hooks; holdfast doctor reports missing entries.

Cursor runs hooks by itself. The hooks of the project are copied with their scripts into its own files, so they run in every project. Install again after you change them.`,
  arguments: [AGENT_ARGUMENT],
  options: levelOptions(
    {
      required: list(
        'SOURCES',
        'sources that must be intact, such as user,team; tool calls are denied if one is broken',
        { defaultText: 'those with hooks that can deny' },
      ),
      client: flag(
        'call the native client, which a daemon answers within milliseconds; without it, each event starts Node',
        { isNegatable: true, defaultText: 'if there is one for this platform' },
      ),
      'accept-loss': flag('install even if the agent would ignore the decisions of some hooks'),
      verbose: flag('also show the limitations of the agent'),
    },
    {
      from: value('FILE', 'the hooks of this hooks.json', { defaultText: 'that of the project' }),
    },
  ),
  exitCodes: { 0: 'installed, or up to date', 1: 'nothing was written' },
  examples: [
    'holdfast install claude-code --dry-run',
    'holdfast install gemini',
    'holdfast install cursor --dry-run',
    'sudo holdfast install cursor --enterprise --from policy/hooks.json',
  ],
  run,
}

async function run(given: Given): Promise<number> {
  if (given.positionals[0] === CURSOR) return installCursor(given)
  const { host, ...rest } = workspaceOf(given)
  // The sources are required of the bridge, not of this command.
  const workspace = { ...rest, host: { ...host, required: [] } }
  const { screen } = workspace
  const place = placeOf('install', given, workspace)
  mustBeOnce(place, workspace)
  const client = clientFor(place, given, workspace)
  const hooks = await openHooks({ ...workspace.host, log: { file: null } })
  try {
    const plan = planFor(place, given, hooks, client)
    const refused = refusedBy(place.bridge, hooks)
    const isDry = given.has('dry-run')
    const isRefused = refused.length > 0 && !given.has('accept-loss')
    const isWritten = !isDry && !isRefused && plan.change !== undefined
    // Before the entries that call it. An update of Holdfast changes the client and no entry.
    if (client && !isDry && !isRefused) placeClient(client, place)
    if (isWritten) {
      mustBeWritable(place, 'install', workspace)
      const { path, before } = plan.change!
      const earlier = plan.origin === undefined ? [] : recordsOf(place, 'install', path)
      update(place, 'install', [plan.change!], path, earlier, plan.origin ?? before)
      // Sessions that run now may call the entries at once.
      if (place.level !== 'managed') await createStates(statesFolder(workspace.home, place.bridge))
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

function planFor(
  place: InstallPlace,
  given: Given,
  hooks: Hooks,
  client: EntryClient | undefined,
): InstallPlan {
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
    program: [...(client ? [client.called] : []), ...programFor(place)],
    events,
    required: [...new Set(required)],
    isShared: level === 'project',
  }
  const entries = entriesFor(bridge, wanted)
  if (before) mustBeReadable(bridge, path, text)
  const known = { ...wanted, isMissing: wanted.isShared && !isOnPath() }
  if (isDeepStrictEqual(sorted(found), sorted(entries))) return { ...known, diff: [] }
  // An update starts from the file before the first installation, so that its layout does not drift.
  const origin = before && found.length > 0 ? originIn(place, path, before) : undefined
  const plan = planFile(path, newFile(path, bridge), now => {
    const from = origin === undefined ? now : origin ? origin.bytes.toString('utf8') : newFile(path, bridge)
    return withOnly(path, from, entries, bridge)
  })
  return { ...known, ...plan, origin }
}

const sorted = (entries: readonly NewEntry[]): NewEntry[] =>
  entries.toSorted((a, b) => a.event.localeCompare(b.event))

/**
 * A shared file must not contain a path of this machine. An entry of the machine must not depend on the PATH of each
 * user.
 */
function programFor({ level }: InstallPlace): string[] {
  if (level === 'project') return ['holdfast']
  return level === 'managed' ? [process.execPath, realpathSync(process.argv[1] ?? '')] : ownProgram()
}

/** An agent that cannot read the file would run none of the hooks in it, ours or others. */
function mustBeReadable({ title, config }: Bridge, path: string, text: string): void {
  if (!config.onlyKeys || !path.endsWith('.json')) return
  const voids = `${title} would skip every hook in it`
  let keys: string[]
  try {
    keys = Object.keys(JSON.parse(text))
  } catch {
    throw new UsageError(
      `${path} is not plain JSON, and ${voids}. Remove comments, commas before a bracket and a byte order mark, then try again.`,
    )
  }
  const other = keys.find(key => !config.onlyKeys!.includes(key))
  if (other === undefined) return
  const known = config.onlyKeys.join(' and ')
  throw new UsageError(
    `${path} has "${visible(other)}" beside ${known}, and ${voids}. Remove it, then try again.`,
  )
}

/** Agents run the entries of all files, so every hook would run twice. */
function mustBeOnce({ bridge, level }: InstallPlace, workspace: Workspace): void {
  const other = installations(workspace, [bridge]).find(({ place }) => place.level !== level)?.place
  if (!other) return
  throw new UsageError(
    `${shortPath(other.file, workspace.screen)} calls holdfast already, and every hook would run twice. Remove that first: holdfast uninstall ${bridge.name} --${other.level}`,
  )
}

interface EntryClient {
  /** The client of the installation. */
  readonly source: string
  /** The path in the entries. */
  readonly called: string
}

/** A shared file calls `holdfast`, which each user has. */
function clientFor({ level }: InstallPlace, given: Given, { home }: Workspace): EntryClient | undefined {
  const choice = given.value('client')
  if (choice === 'no-client' || (level === 'project' && choice === undefined)) return undefined
  if (level === 'project')
    throw new UsageError(
      '--client is for your own entries: a shared file must not contain a path of this machine.',
    )
  const source = findClient()
  const problem = source === undefined ? NO_CLIENT : clientProblem(source)
  if (source === undefined || problem !== undefined) {
    if (choice === undefined) return undefined
    throw new UsageError(`There is no native client for ${process.platform}-${process.arch}. ${problem}`)
  }
  // Other users of the machine cannot read a copy in a home folder.
  return { source, called: level === 'managed' ? source : clientCopy(home) }
}

const NO_CLIENT =
  'Install holdfast again with its optional packages. In the repository, a C compiler builds it: npm run build'

function placeClient({ source, called }: EntryClient, place: InstallPlace): void {
  if (source === called) return
  try {
    copyClient(source, called)
  } catch (error) {
    throw new UsageError(
      `The native client cannot run as ${called}: ${(error as Error).message} Nothing was written. To start Node for each event: holdfast install ${place.bridge.name} --no-client`,
    )
  }
}
