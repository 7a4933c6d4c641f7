// holdfast uninstall cursor: our hooks out of Cursor's own files, byte for byte; or, where somebody has changed them
// since, our entries and scripts and nothing else.

import { discover } from '@holdfast/hooks'
import { discoverOptions } from '../catalog.js'
import { Complaint } from '../complaint.js'
import { fileAt, targetOf } from '../edit/change.js'
import { schemaAddress } from '../init/hooks-file.js'
import { type Given, known } from '../options.js'
import { shortPath } from '../print/place.js'
import { print, printError, printJson } from '../print/terminal.js'
import { workspaceOf } from '../workspace.js'
import { carry } from './carry.js'
import { mustBeWritable, targetIn } from './place.js'
import { planFor } from './plan.js'
import { knownIn, originOf } from './record.js'
import { takenJson, takenText } from './report.js'

export async function uninstallCursor(given: Given): Promise<number> {
  const workspace = workspaceOf(given)
  const { screen } = workspace
  if (given.has('from'))
    throw new Complaint('uninstall has no use for --from. To take out one set of hooks, give its --name.')
  const target = targetIn('uninstall', given, await discover(discoverOptions(workspace)), workspace)
  const path = targetOf(target.hooksFile)
  const before = knownIn(target, path)
  if (before.packs.length === 0) {
    throw new Complaint(
      `holdfast has put nothing into ${shortPath(path, screen)}, or it was taken out already.`,
    )
  }
  const names = before.packs.map(({ name }) => name)
  const wanted = given.value('name')
  const gone = wanted === undefined ? names : [known('set of hooks', wanted, names)]
  const isExact = originOf(before, path, fileAt(path)) !== undefined
  const plan = planFor(target, { gone }, schemaAddress(target.hooksFile))
  const isDry = given.has('dry-run')
  if (!isDry) mustBeWritable(target, 'uninstall', screen)
  const folders = isDry ? [] : carry(plan)
  if (given.has('json')) printJson(takenJson(plan, isExact, !isDry))
  else print(`${takenText(plan, isExact, screen)}${isDry ? '  Nothing was written.\n\n' : ''}`)
  if (folders[0] !== undefined && plan.left.length === 0) {
    printError(`${shortPath(folders[0], screen)} stays: something else is in it.\n`)
  }
  return 0
}
