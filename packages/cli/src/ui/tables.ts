// The workspace, and the tables that pages are drawn from.

import { basename } from 'node:path'
import { EVENT_SPECS, findProfile } from '@holdfast/hooks/protocol'
import manifest from '../../package.json' with { type: 'json' }
import { shortPath } from '../print/place.js'
import { IN_ORDER } from '../profiles/names.js'
import { hooksOf, type Panel } from './panel.js'

export async function workspaceTables(panel: Panel) {
  const { workspace } = panel
  const catalog = await panel.look()
  const hooks = hooksOf(catalog)
  return {
    name: basename(workspace.roots[0] ?? workspace.cwd),
    roots: [...workspace.roots],
    profile: workspace.profile,
    version: manifest.version,
    logFile: shortPath(workspace.logFile, workspace.screen),
    events: EVENT_SPECS.map(({ name, summary, gate }) => ({ name, summary, gate })),
    profiles: IN_ORDER.map(name => ({ name, summary: findProfile(name)!.summary })),
    hooks: hooks.length,
    untrusted: hooks.filter(({ trusted }) => !trusted).length,
    problems: catalog.issues.filter(({ code }) => code !== 'trust/untrusted').length,
  }
}
