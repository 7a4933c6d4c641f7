// holdfast compat: in which versions what will not work, and how to write it so that it works everywhere.

import { resolve } from 'node:path'
import type { Layer } from '@holdfast/hooks/protocol'
import { discoverOptions, nothingFound } from '../catalog.js'
import { compatJson } from '../compat/json.js'
import { judgeAll } from '../compat/look.js'
import { compatReport, type Verdicts } from '../compat/report.js'
import { showHelp } from '../load.js'
import { parse, SHARED } from '../options.js'
import { shortPath } from '../print/place.js'
import { print, printError, printJson } from '../print/terminal.js'
import { IN_ORDER, profilesOf, TODAY } from '../profiles/names.js'
import { workspaceOf } from '../workspace.js'

const EXIT = { works: 0, fails: 1 } as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('compat', argv, SHARED)
  if (given.has('help')) return showHelp('compat')
  const asked = profilesOf(given.value('profile') ?? 'all')
  const profiles = IN_ORDER.filter(name => asked.includes(name))
  const workspace = workspaceOf(given, TODAY)
  const files = given.positionals.map(file => resolve(workspace.cwd, file))
  const verdicts = await judgeAll(discoverOptions(workspace), profiles, files)
  const { looked, hooks } = verdicts

  if (given.has('json')) printJson(compatJson(verdicts))
  else if (looked.root.every(({ state }) => state === 'absent')) print(nothingFound(looked.root, workspace))
  else if (hooks.length > 0) print(compatReport(verdicts, workspace.screen))
  else print('\n  There are no hooks in what was read.\n\n')
  return sayBroken(looked.root, workspace.screen) || hooks.some(isTrouble) ? EXIT.fails : EXIT.works
}

/** Something does not work, or a guard lets pass what it should not. */
const isTrouble = ({ found }: Verdicts['hooks'][number]) => found.some(({ effect }) => effect !== 'differs')

/** Of what could not be read nothing can be said, and that must not look like good news. */
function sayBroken(layers: readonly Layer[], screen: Parameters<typeof shortPath>[1]): boolean {
  const failed = layers.filter(({ state }) => state === 'failed')
  const dropped = layers.reduce((sum, layer) => sum + layer.dropped, 0)
  for (const { source } of failed) {
    printError(
      `${shortPath(source.file, screen)} cannot be read, so nothing is said about it. See: holdfast check\n`,
    )
  }
  if (dropped > 0) {
    const were = dropped === 1 ? '1 entry was' : `${dropped} entries were`
    printError(`${were} left out, because of mistakes. See: holdfast check\n`)
  }
  return failed.length > 0 || dropped > 0
}
