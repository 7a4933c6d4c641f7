// holdfast install cursor: copies the hooks of a workspace into Cursor's own files, for the user or for the machine.

import { realpathSync } from 'node:fs'
import { discover } from '@holdfast/hooks'
import type { Catalog } from '@holdfast/hooks/protocol'
import type { Given } from '../arguments.js'
import { discoverOptions } from '../catalog.js'
import { targetOf } from '../edit/change.js'
import { mustBeUsable, schemaAddress } from '../init/hooks-file.js'
import { shortPath } from '../print/place.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { UsageError } from '../usage-error.js'
import { type Workspace, workspaceOf } from '../workspace.js'
import { applyPlan } from './apply.js'
import { unheardIn, verdictsOn } from './losses.js'
import { type CursorTarget, mustBeWritable, targetIn } from './place.js'
import { type CursorPlan, isNothing, planFor } from './plan.js'
import { installJson, planText, unheardLines, writtenText } from './report.js'
import { type HooksToInstall, type PreparedHooks, sourceOf, wantedIn } from './source.js'

export async function installCursor(given: Given): Promise<number> {
  const workspace = workspaceOf(given)
  const { screen } = workspace
  const catalog = await discover(discoverOptions(workspace))
  const target = targetIn(given, catalog, workspace)
  const source = await sourceOf(given, workspace)
  mustBeElsewhere(source, target, workspace)
  if (!given.has('from')) mustBeTrusted(source, catalog, workspace)
  const wanted = wantedIn(source, target, workspace)
  if (wanted.stuck.length > 0) return sayStuck(wanted)
  const plan = await planned(source, wanted, target, workspace)
  const verdicts = verdictsOn(source, target, catalog)
  const unheard = unheardIn(verdicts)

  const isDry = given.has('dry-run')
  const isRefused = unheard.length > 0 && !given.has('accept-loss')
  const isWritten = !isDry && !isRefused && !isNothing(plan)
  if (!given.has('json')) print(planText(plan, source, verdicts, isDry, screen))
  if (isWritten) {
    mustBeWritable(target, 'install', screen)
    applyPlan(plan)
  }
  if (given.has('json')) printJson(installJson(plan, source, verdicts, unheard, isWritten))
  if (isRefused) {
    for (const line of unheardLines(unheard, screen)) printError(`${visible(line)}\n`)
    return 1
  }
  if (!given.has('json')) print(isWritten ? writtenText(plan, screen) : '  Nothing was written.\n\n')
  return 0
}

function sayStuck({ stuck }: PreparedHooks): number {
  for (const line of stuck) printError(`${visible(line)}\n`)
  printError(`${stuck.length === 1 ? 'It' : 'They'} cannot be moved, so nothing was written.\n`)
  return 1
}

async function planned(
  { name, file: from }: HooksToInstall,
  { entries, files }: PreparedHooks,
  target: CursorTarget,
  workspace: Workspace,
): Promise<CursorPlan> {
  await mustBeUsable(targetOf(target.hooksFile), workspace)
  const plan = planFor(target, { pack: { name, from, entries, files } }, schemaAddress(target.hooksFile))
  const taken = plan.known.packs.find(pack => pack.name === name)
  if (taken && !isSameFile(taken.from, from)) {
    throw new UsageError(
      `The hooks of ${shortPath(taken.from, workspace.screen)} are called ${name} already. Give these another name: --name ${name}-2`,
    )
  }
  return plan
}

/** A file is not copied onto itself. */
function mustBeElsewhere({ file }: HooksToInstall, { hooksFile }: CursorTarget, { screen }: Workspace): void {
  if (!isSameFile(file, hooksFile)) return
  throw new UsageError(
    `Cursor reads ${shortPath(file, screen)} already. Change to a project, or name another file with --from.`,
  )
}

const isSameFile = (a: string, b: string): boolean => {
  try {
    return realpathSync(a) === realpathSync(b)
  } catch {
    return a === b
  }
}

/** Cursor runs the hooks in its own files without asking for trust. */
function mustBeTrusted({ file }: HooksToInstall, { layers }: Catalog, { screen }: Workspace): void {
  const hooks = layers.flatMap(layer => layer.hooks).filter(hook => hook.file === file)
  const open = hooks.filter(({ trusted }) => !trusted).length
  if (open === 0) return
  const are = open === 1 ? 'is' : 'are'
  throw new UsageError(
    `${count(open, 'hook')} of ${shortPath(file, screen)} ${are} not trusted, and would run in every project. Review ${open === 1 ? 'it' : 'them'} first: holdfast trust`,
  )
}
