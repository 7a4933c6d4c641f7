// The catalogue for check, compat and list: everything that is configured, without an engine.

import { type DiscoverOptions, fileTrustStore } from '@holdfast/hooks'
import { type Catalog, findProfile, type Layer } from '@holdfast/hooks/protocol'
import { shortPath } from './print/place.js'
import type { Screen } from './print/terminal.js'
import { visible } from './print/text.js'
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

/** `2 sources (project, user)`. */
export function sourcesOf(layers: Catalog['layers']): string {
  const there = layers.filter(({ state }) => state !== 'absent')
  const kinds = [...new Set(there.map(({ source }) => source.kind))]
  return `${count(there.length, 'source')}${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}`
}

/** Where and why a file could not be loaded: `.cursor/hooks.json:3:13: …` */
export function mistakeIn({ source, issues }: Layer, screen: Screen): string {
  const file = shortPath(source.file, screen)
  const issue = issues.find(({ severity }) => severity === 'error')
  if (!issue) return file
  const { line, column, message } = issue
  return `${file}${line > 0 ? `:${line}:${column}` : ''}: ${visible(message.replace(/\.$/, ''))}`
}

/** For users without hooks: where hooks would be, and what to do. */
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
