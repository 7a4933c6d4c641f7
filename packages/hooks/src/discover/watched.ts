// Every path whose change can change the catalog, also those that are not there yet.

import { dirname, join } from 'node:path'
import type { Catalog } from '../protocol/config.js'
import { locations, managedFolder } from './locations.js'
import type { DiscoverOptions } from './options.js'
import { defaultHooks } from './plugin.js'
import { findTeams, settle } from './settle.js'

export function watchedPaths(given: DiscoverOptions, catalog: Catalog): string[] {
  const options = settle(given)
  const paths = new Set<string>()
  for (const source of locations({ ...options, teams: findTeams(options, catalog).ids })) {
    paths.add(source.file)
    if (source.plugin !== undefined) paths.add(defaultHooks(source.plugin))
  }
  // A team that is joined later appears as a new folder in here.
  if (options.teamId === undefined) paths.add(managedFolder(options))
  if (options.trust.file !== undefined) paths.add(options.trust.file)
  for (const layer of catalog.layers) {
    paths.add(layer.source.file)
    // What may be restored without a change of the manifest.
    if (layer.source.kind === 'team' && layer.state === 'failed') {
      const folder = dirname(layer.source.cwd)
      for (const name of ['enrolment.json', 'state.json', 'trust']) paths.add(join(folder, name))
      paths.add(join(layer.source.cwd, 'release.json'))
    }
    // All hooks of a source share the list.
    for (const { path } of layer.hooks[0]?.covered ?? []) paths.add(path)
  }
  return [...paths]
}
