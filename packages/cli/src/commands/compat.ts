// holdfast compat: what does not work in which versions, and how to write it so that it works everywhere.

import { resolve } from 'node:path'
import { HooksError } from '@holdfast/hooks'
import type { Layer } from '@holdfast/hooks/protocol'
import { discoverOptions, nothingFound } from '../catalog.js'
import { compatJson } from '../compat/json.js'
import { judgeAll, type Verdicts } from '../compat/judge.js'
import { rehearse } from '../compat/rehearse.js'
import { compatReport, isTrouble } from '../compat/report.js'
import { Complaint } from '../complaint.js'
import { interrupted } from '../interrupt.js'
import { showHelp } from '../load.js'
import { parse, SHARED } from '../options.js'
import { shortPath } from '../print/place.js'
import { openProgress } from '../print/progress.js'
import { print, printError, printJson } from '../print/terminal.js'
import { IN_ORDER, profilesOf, TODAY } from '../profiles/names.js'
import { type Workspace, workspaceOf } from '../workspace.js'

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('compat', argv, { ...SHARED, run: 'flag' })
  if (given.has('help')) return showHelp('compat')
  const asked = profilesOf(given.value('profile') ?? 'all')
  const profiles = IN_ORDER.filter(name => asked.includes(name))
  const workspace = workspaceOf(given, TODAY)
  const files = given.positionals.map(file => resolve(workspace.cwd, file))
  if (given.has('run') && files.length > 0)
    throw new Complaint('--run works on configured hooks only. Leave out the file; see --root and --home.')
  const judged = await judgeAll(discoverOptions(workspace), profiles, files)
  const verdicts = given.has('run') ? await rehearseAll(judged, workspace) : judged
  const { layers, hooks } = verdicts

  if (given.has('json')) printJson(compatJson(verdicts))
  else if (layers.every(({ state }) => state === 'absent')) print(nothingFound(layers, workspace))
  else if (hooks.length > 0) print(compatReport(verdicts, workspace.screen))
  else if (!layers.some(isBroken)) print('\n  There are no hooks in the files that were read.\n\n')
  return reportBroken(layers, workspace.screen) || hooks.some(isTrouble) ? 1 : 0
}

async function rehearseAll(verdicts: Verdicts, workspace: Workspace): Promise<Verdicts> {
  const progress = openProgress()
  try {
    return await rehearse(verdicts, {
      workspace,
      signal: interrupted(),
      onEvent: event => progress.say(`${event} in every version`),
    })
  } catch (error) {
    if (HooksError.isInstance(error) && error.code === 'use/aborted')
      throw new Complaint('Interrupted; the hooks were ended, too.')
    throw error
  } finally {
    progress.end()
  }
}

const isBroken = ({ state, dropped }: Layer): boolean => state === 'failed' || dropped > 0

/** A file that cannot be read must not look like a good result. */
function reportBroken(layers: readonly Layer[], screen: Parameters<typeof shortPath>[1]): boolean {
  const failed = layers.filter(({ state }) => state === 'failed')
  const dropped = layers.reduce((sum, layer) => sum + layer.dropped, 0)
  for (const { source } of failed)
    printError(
      `${shortPath(source.file, screen)} cannot be read, so it was not checked. See: holdfast check\n`,
    )
  if (dropped > 0)
    printError(
      `${dropped === 1 ? '1 entry has errors and was' : `${dropped} entries have errors and were`} not checked. See: holdfast check\n`,
    )
  return layers.some(isBroken)
}
