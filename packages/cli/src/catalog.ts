// What check, compat and list look at: everything that is configured, without an engine around it.

import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type DiscoverOptions, discover, fileTrustStore, inspectFile } from '@holdfast/hooks'
import { type Catalog, findProfile, type Layer } from '@holdfast/hooks/protocol'
import { Complaint } from './complaint.js'
import { shortPath } from './print/place.js'
import { count } from './print/words.js'
import type { Workspace } from './workspace.js'

export const discoverOptions = ({ host, home, roots, profile, trustFile }: Workspace): DiscoverOptions => ({
  platform: process.platform,
  home,
  ...(host.enterpriseDir === undefined ? {} : { enterpriseDir: host.enterpriseDir }),
  roots,
  env: process.env,
  claude: host.claude === true,
  plugins: host.plugins ?? [],
  required: host.required ?? [],
  pathBase: findProfile(profile)!.config.pathBase,
  trust: fileTrustStore(trustFile),
  trustAll: host.trustAll === true,
})

export interface LookedAt {
  readonly layers: readonly Layer[]
  /** Files that no source would read, looked at as the project file of their folder. */
  readonly loose: readonly string[]
}

/** Files by name instead of the sources of a workspace. Each is read as an agent would read it there. */
export async function lookAtFiles(files: readonly string[], options: DiscoverOptions): Promise<LookedAt> {
  const layers: Layer[] = []
  const loose: string[] = []
  for (const file of new Set(files)) {
    if (!existsSync(file)) throw new Complaint(`There is no file ${file}.`)
    const root = dirname(dirname(file))
    const { layers: around } = await discover({
      ...options,
      roots: [root],
      plugins: ancestors(file).filter(folder => existsSync(join(folder, '.cursor-plugin'))),
      claude: true,
      required: [],
    })
    const own = around.find(({ source }) => source.file === file)
    const project = projectOf(file)
    layers.push(own ?? (await inspectFile(file, options, { root: project, cwd: project })))
    if (!own) loose.push(file)
  }
  return { layers, loose }
}

/** The folders above a file, nearest first. */
function ancestors(file: string): string[] {
  const folder = dirname(file)
  return folder === file ? [] : [folder, ...ancestors(folder)]
}

/** Where the hooks of a file that nothing reads would run: the folder around `.cursor`, or the repository. */
function projectOf(file: string): string {
  const above = ancestors(file)
  const around = above.find(folder => basename(folder) === '.cursor' || basename(folder) === '.claude')
  return (
    (around && dirname(around)) ?? above.find(folder => existsSync(join(folder, '.git'))) ?? dirname(file)
  )
}

/** `2 sources (project, user)`. */
export function sourcesOf(layers: Catalog['layers']): string {
  const there = layers.filter(({ state }) => state !== 'absent')
  const kinds = [...new Set(there.map(({ source }) => source.kind))]
  return `${count(there.length, 'source')}${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}`
}

/** For who has no hooks yet: where they would be, and what to do. */
export function nothingFound(layers: Catalog['layers'], { screen }: Workspace): string {
  const looked = layers.map(({ source }) => `    ${shortPath(source.file, screen)}`)
  return [
    '',
    '  No hooks are configured. Looked for:',
    ...looked,
    '',
    '  Begin with a .cursor/hooks.json such as',
    '    { "version": 1, "hooks": { "beforeShellExecution": [ { "command": "./guard.sh" } ] } }',
    '  or let holdfast write a first hook: holdfast init',
    '',
    '',
  ].join('\n')
}
