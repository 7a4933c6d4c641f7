// holdfast compat: what does not work in which versions, and how to write it so that it works in all.

import { resolve } from 'node:path'
import { type Layer, PROFILE_NAMES } from '@holdfast/hooks/protocol'
import { flag, type Given, value } from '../arguments.js'
import { discoverOptions, nothingFound } from '../catalog.js'
import type { Command } from '../command.js'
import { compatJson } from '../compat/json.js'
import { judgeAll, type Verdicts } from '../compat/judge.js'
import { rehearse } from '../compat/rehearse.js'
import { compatReport, isTrouble } from '../compat/report.js'
import { interrupted } from '../interrupt.js'
import { OUTPUT, WORKSPACE, without } from '../option-sections.js'
import { shortPath } from '../print/place.js'
import { openProgress } from '../print/progress.js'
import { print, printError, printJson } from '../print/terminal.js'
import { IN_ORDER, profilesOf, TODAY } from '../profiles/names.js'
import { UsageError } from '../usage-error.js'
import { type Workspace, workspaceOf } from '../workspace.js'

export const command: Command = {
  name: 'compat',
  summary: 'Report incompatibilities by Cursor version, and how to fix them',
  description:
    'Compares each hooks.json, or the files given, with what each version supports. Hooks are not run unless you give --run. Findings that depend on what a script does are listed separately as possible.',
  arguments: [
    {
      name: 'file',
      summary: 'hooks file (default: the files of all sources)',
      isOptional: true,
      isRepeatable: true,
    },
  ],
  options: [
    {
      options: {
        run: flag(
          'fire sample events in every version and compare the results. The hooks really run, about 30 times each, with HOLDFAST_CANARY=1; untrusted hooks and prompt hooks do not run, and nothing is logged',
        ),
        profile: value('NAMES', `versions, separated by commas: ${PROFILE_NAMES.join(', ')}`, {
          default: 'all',
        }),
      },
    },
    without(WORKSPACE, 'profile'),
    OUTPUT,
  ],
  sections: [
    {
      title: 'Results in the table',
      rows: [
        ['works', 'no known difference'],
        ['differs', 'it works differently'],
        ['weaker', 'an action that the hook blocks can proceed'],
        ['nothing', 'the hook does not run, or its response has no effect'],
      ],
    },
  ],
  exitCodes: {
    0: 'everything works in these versions, perhaps differently; possible findings do not count',
    1: 'something has no effect or is weaker, a file or an entry cannot be read, or the call is wrong',
  },
  examples: [
    'holdfast compat',
    'holdfast compat --run --profile cursor-2.4,cursor-3',
    'holdfast compat .cursor/hooks.json --json',
  ],
  run,
}

async function run(given: Given): Promise<number> {
  const asked = profilesOf(given.value('profile')!)
  const profiles = IN_ORDER.filter(name => asked.includes(name))
  const workspace = workspaceOf(given, TODAY)
  const files = given.positionals.map(file => resolve(workspace.cwd, file))
  if (given.has('run') && files.length > 0)
    throw new UsageError('--run works on configured hooks only. Leave out the file; see --root and --home.')
  const judged = await judgeAll(discoverOptions(workspace), profiles, files)
  const verdicts = given.has('run') ? await rehearseAll(judged, workspace) : judged
  const { layers, hooks } = verdicts

  if (given.has('json')) printJson(compatJson(verdicts))
  else if (layers.every(({ state }) => state === 'absent')) print(nothingFound(layers, workspace))
  else if (hooks.length > 0) print(compatReport(verdicts, workspace.screen))
  else if (!layers.some(isBroken)) print('\n  The files contain no hooks.\n\n')
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
