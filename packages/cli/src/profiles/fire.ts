// holdfast fire --profile all: the same event in several versions, one row each.

import type { HostOptions } from '@holdfast/hooks'
import type { Call } from '../call.js'
import { exitCode } from '../commands/fire.js'
import { openProgress } from '../print/progress.js'
import { print, printJson } from '../print/terminal.js'
import { workspaceOf } from '../workspace.js'
import { compare } from './compare.js'
import { matrixJson } from './json.js'
import { profilesOf, TODAY, versionName } from './names.js'
import { matrixReport } from './report.js'
import { simulate } from './simulate.js'

/** The exit code is that of the profile holdfast if it is among them, or else that of the first. */
export async function fireUnderEach(
  call: Call,
  words: string,
  host: Partial<HostOptions>,
  signal: AbortSignal,
): Promise<number> {
  const { given, spec, fields } = call
  const profiles = profilesOf(words)
  const workspace = workspaceOf(given, TODAY)
  const progress = openProgress()
  try {
    const firing = { event: spec.name, fields, workspace, host, signal }
    const all = await simulate(firing, profiles, name =>
      progress.say(
        `${spec.name} in ${versionName(name)}, ${profiles.indexOf(name) + 1} of ${profiles.length}`,
      ),
    )
    progress.end()
    const { rows, reference } = compare(all)
    if (given.has('json')) printJson(matrixJson(rows, reference))
    else print(matrixReport(call, rows, reference, workspace.screen))
    return exitCode(reference.verdict, reference.catalog)
  } finally {
    progress.end()
  }
}
