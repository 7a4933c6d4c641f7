// holdfast uninstall cursor: restores Cursor's own files byte for byte. If they were changed since, it removes only the
// entries and scripts of holdfast.

import { discover } from '@holdfast/hooks'
import { type Given, oneOf } from '../arguments.js'
import { discoverOptions } from '../catalog.js'
import { fileAt, targetOf } from '../edit/change.js'
import { originOf } from '../edit/settings-editor.js'
import { schemaAddress } from '../init/hooks-file.js'
import { shortPath } from '../print/place.js'
import { print, printError, printJson } from '../print/terminal.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'
import { applyPlan } from './apply.js'
import { mustBeWritable, targetIn } from './place.js'
import { planFor } from './plan.js'
import { knownIn } from './record.js'
import { takenJson, takenText } from './report.js'

export async function uninstallCursor(given: Given): Promise<number> {
  const workspace = workspaceOf(given)
  const { screen } = workspace
  if (given.has('from'))
    throw new UsageError('uninstall does not take --from. To remove one set of hooks, give its --name.')
  const target = targetIn(given, await discover(discoverOptions(workspace)), workspace)
  const path = targetOf(target.hooksFile)
  const before = knownIn(target, path)
  if (before.packs.length === 0) {
    throw new UsageError(`${shortPath(path, screen)} has no hooks of holdfast, or they were removed already.`)
  }
  const names = before.packs.map(({ name }) => name)
  const wanted = given.value('name')
  const gone = wanted === undefined ? names : [oneOf('set of hooks', wanted, names)]
  const isExact = originOf(before.records, path, fileAt(path)) !== undefined
  const plan = planFor(target, { gone }, schemaAddress(target.hooksFile))
  const isDry = given.has('dry-run')
  if (!isDry) mustBeWritable(target, 'uninstall', screen)
  const folders = isDry ? [] : applyPlan(plan)
  if (given.has('json')) printJson(takenJson(plan, isExact, !isDry))
  else print(`${takenText(plan, isExact, screen)}${isDry ? '  Nothing was written.\n\n' : ''}`)
  if (folders[0] !== undefined && plan.left.length === 0) {
    printError(`${shortPath(folders[0], screen)} stays, because it contains other files.\n`)
  }
  return 0
}
