// Everything that is configured, or these files, held against every rule.

import { type DiscoverOptions, discover } from '@holdfast/hooks'
import type { Layer, ProfileName } from '@holdfast/hooks/protocol'
import { lookAtFiles } from '../catalog.js'
import { judge } from './judge.js'
import type { Verdicts } from './report.js'
import { subjectsOf } from './subjects.js'

export async function judgeAll(
  options: DiscoverOptions,
  profiles: readonly ProfileName[],
  files: readonly string[] = [],
): Promise<Verdicts> {
  const looked = {
    root: await look(files, { ...options, pathBase: 'root' }),
    file: await look(files, { ...options, pathBase: 'file' }),
  }
  const hooks = subjectsOf(looked).map(subject => ({ subject, found: judge(subject, profiles) }))
  return { looked, profiles, hooks }
}

const look = async (files: readonly string[], options: DiscoverOptions): Promise<readonly Layer[]> =>
  files.length > 0 ? (await lookAtFiles(files, options)).layers : (await discover(options)).layers
