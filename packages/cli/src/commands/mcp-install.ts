// holdfast mcp install and uninstall: adds the gateway to a client's settings, and removes it.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { flag, type Given, list, oneOf, value } from '../arguments.js'
import type { Command } from '../command.js'
import { install, type ServerChange, type ServerReport, type ServerState, uninstall } from '../mcp/install.js'
import { PROJECT_FILES, readSettings, type Settings } from '../mcp/settings.js'
import { home, OUTPUT, roots } from '../option-sections.js'
import { shortPath } from '../print/place.js'
import { type Row, renderRows } from '../print/rows.js'
import { print, printJson, type Screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'

const shared = {
  client: list('FILE', 'settings of an MCP client', {
    defaultText: `those of the project: ${PROJECT_FILES.join(', ')}`,
  }),
  server: list('NAME', 'only this server'),
  'dry-run': flag('show the changes and write nothing'),
  root: roots,
  home,
}

const at = value(
  'URL',
  'for a server with an address: the address of the gateway in front of it; requires --server',
)

export const mcpInstall: Command = {
  name: 'install',
  summary: 'Add the gateway to the settings of an MCP client',
  description:
    'The client then starts the gateway, and the gateway starts the server. For a server with an address, --at replaces the address with that of a gateway that you run with --listen.',
  options: [{ options: { ...shared, at } }, OUTPUT],
  exitCodes: { 0: 'done, or nothing to do', 1: 'a server could not be changed, or the call is wrong' },
  examples: [
    'holdfast mcp install --dry-run',
    'holdfast mcp install --client ~/.claude.json --server files',
    'holdfast mcp install --server docs --at http://127.0.0.1:8383/mcp',
  ],
  run: given => change('install', given),
}

export const mcpUninstall: Command = {
  name: 'uninstall',
  summary: 'Remove the gateway from the settings of an MCP client',
  options: [{ options: shared }, OUTPUT],
  exitCodes: mcpInstall.exitCodes,
  examples: ['holdfast mcp uninstall'],
  run: given => change('uninstall', given),
}

interface Done extends ServerChange {
  readonly file: string
  readonly shown: string
}

async function change(word: 'install' | 'uninstall', given: Given): Promise<number> {
  const { cwd, home, roots, screen } = workspaceOf(given)
  const files = filesOf(given, cwd, roots, screen)
  const all = files
    .map(file => ({ file, shown: shortPath(file, screen) }))
    .map(named => ({
      ...named,
      settings: readSettings(named.file, named.shown),
    }))
  const isWanted = wanted(given, all)
  const at = word === 'install' ? addressGiven(given) : undefined
  const edit = word === 'install' ? install : uninstall
  const done: Done[] = all.map(({ file, shown, settings }) => ({
    file,
    shown,
    ...edit(settings, { home, isWanted, at }),
  }))
  const isDry = given.has('dry-run')
  if (!isDry) for (const { apply } of done) apply()
  if (given.has('json'))
    printJson({ files: done.map(({ file, servers }) => ({ file, servers })), dry_run: isDry })
  else print(report(done, word, isDry, given.list('client').length > 0, screen))
  return done.some(({ servers }) => servers.some(({ state }) => state === 'skipped' || state === 'changed'))
    ? 1
    : 0
}

function addressGiven(given: Given): string | undefined {
  const at = given.value('at')
  if (at === undefined) return undefined
  if (given.list('server').length !== 1) {
    throw new UsageError('A gateway serves one server: name it with --server NAME beside --at.')
  }
  if (URL.canParse(at) && /^https?:$/.test(new URL(at).protocol)) return at
  throw new UsageError(`--at "${at}" is not an address. Write it like http://127.0.0.1:8383/mcp`)
}

function filesOf(given: Given, cwd: string, roots: readonly string[], screen: Screen): string[] {
  const named = given.list('client')
  if (named.length > 0) return [...new Set(named.map(file => resolve(cwd, file)))]
  const found = roots.flatMap(root =>
    PROJECT_FILES.map(file => join(root, file)).filter(file => existsSync(file)),
  )
  if (found.length > 0) return found
  const where = roots.map(root => shortPath(root, screen)).join(', ')
  throw new UsageError(
    `No settings of an MCP client were found in ${where === '.' ? 'this folder' : where}; looked for ${PROJECT_FILES.join(', ')}. Name the file with --client.`,
  )
}

function wanted(given: Given, all: readonly { settings: Settings }[]): (name: string) => boolean {
  const names = given.list('server')
  const there = all.flatMap(({ settings }) => settings.entries.map(({ name }) => name))
  for (const name of names) oneOf('server', name, [...new Set(there)])
  return name => names.length === 0 || names.includes(name)
}

const WORDS: Readonly<Record<ServerState, readonly [done: string, dry: string]>> = {
  through: ['through the gateway', 'would go through the gateway'],
  already: ['already through the gateway', 'already through the gateway'],
  skipped: ['not changed', 'not changed'],
  restored: ['restored', 'would be restored'],
  direct: ['not through the gateway', 'not through the gateway'],
  changed: ['not changed', 'not changed'],
}

function report(
  done: readonly Done[],
  word: string,
  isDry: boolean,
  isNamed: boolean,
  screen: Screen,
): string {
  const parts = done.map(({ shown, servers }) => {
    const rows = servers.map(told => rowOf(told, isDry, screen))
    const body = rows.length > 0 ? renderRows(rows, [{ share: 0.4 }, {}], screen.columns) : ['  no servers']
    return `  ${screen.bold(shown)}\n\n${body.join('\n')}\n`
  })
  const total = done.flatMap(({ servers }) => servers)
  const moved = total.filter(({ state }) => state === 'through' || state === 'restored').length
  return `\n${parts.join('\n')}\n  ${lastWords(moved, word, isDry, isNamed ? done : [])}\n\n`
}

function lastWords(moved: number, word: string, isDry: boolean, named: readonly Done[]): string {
  if (moved === 0) return 'Nothing was changed.'
  if (isDry) return 'Nothing was written. Leave out --dry-run to write it.'
  const restart = `Restart the client, or its ${moved === 1 ? 'server' : 'servers'}.`
  if (word === 'uninstall') return `${count(moved, 'server')} restored. ${restart}`
  const clients = named.map(({ shown }) => ` --client ${shown}`).join('')
  return `${restart} To remove the gateway: holdfast mcp uninstall${clients}`
}

function rowOf({ name, state, text }: ServerReport, isDry: boolean, { amber, green, dim }: Screen): Row {
  const style =
    state === 'skipped' || state === 'changed'
      ? amber
      : state === 'through' || state === 'restored'
        ? green
        : dim
  return {
    cells: [{ text: visible(name) }, { text: WORDS[state][isDry ? 1 : 0], style }],
    ...(text === '' ? {} : { text: { text } }),
  }
}
