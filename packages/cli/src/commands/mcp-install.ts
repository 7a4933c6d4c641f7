// holdfast mcp install and uninstall: puts the gateway into a client's settings, and takes it out again.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Complaint } from '../complaint.js'
import { showHelp } from '../load.js'
import { type Change, install, type State, type Told, uninstall } from '../mcp/install.js'
import { PROJECT_FILES, readSettings, type Settings } from '../mcp/settings.js'
import { type Given, known, noMore, OUTPUT, parse } from '../options.js'
import { shortPath } from '../print/place.js'
import { type Row, renderRows } from '../print/rows.js'
import { print, printJson, type Screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { workspaceOf } from '../workspace.js'

const TABLE = {
  client: 'list',
  server: 'list',
  root: 'list',
  home: 'value',
  'dry-run': 'flag',
  ...OUTPUT,
} as const

interface Done extends Change {
  readonly file: string
  readonly shown: string
}

export async function run([word = '', ...argv]: readonly string[]): Promise<number> {
  const given = parse(`mcp ${word}`, argv, TABLE)
  if (given.has('help')) return showHelp('mcp')
  noMore(`mcp ${word}`, given.positionals, 0)
  const { cwd, home, roots, screen } = workspaceOf(given)
  const files = filesOf(given, cwd, roots, screen)
  const all = files
    .map(file => ({ file, shown: shortPath(file, screen) }))
    .map(named => ({
      ...named,
      settings: readSettings(named.file, named.shown),
    }))
  const isWanted = wanted(given, all)
  const change = word === 'install' ? install : uninstall
  const done: Done[] = all.map(({ file, shown, settings }) => ({
    file,
    shown,
    ...change(settings, { home, shown, isWanted }),
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

function filesOf(given: Given, cwd: string, roots: readonly string[], screen: Screen): string[] {
  const named = given.list('client')
  if (named.some(file => file === '')) throw new Complaint('--client is empty. Give it a file.')
  if (named.length > 0) return [...new Set(named.map(file => resolve(cwd, file)))]
  const found = roots.flatMap(root =>
    PROJECT_FILES.map(file => join(root, file)).filter(file => existsSync(file)),
  )
  if (found.length > 0) return found
  const where = roots.map(root => shortPath(root, screen)).join(', ')
  throw new Complaint(
    `No settings of an MCP client were found in ${where === '.' ? 'this folder' : where}; looked for ${PROJECT_FILES.join(', ')}. Name the file with --client.`,
  )
}

function wanted(given: Given, all: readonly { settings: Settings }[]): (name: string) => boolean {
  const names = given.list('server')
  const there = all.flatMap(({ settings }) => settings.entries.map(({ name }) => name))
  for (const name of names) known('server', name, [...new Set(there)])
  return name => names.length === 0 || names.includes(name)
}

const WORDS: Readonly<Record<State, readonly [done: string, dry: string]>> = {
  through: ['through the gateway', 'would go through the gateway'],
  already: ['already through the gateway', 'already through the gateway'],
  skipped: ['left as it is', 'left as it is'],
  restored: ['put back', 'would be put back'],
  direct: ['not through the gateway', 'not through the gateway'],
  changed: ['left as it is', 'left as it is'],
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
  if (isDry) return 'Nothing was written. Without --dry-run it would be.'
  const restart = `Restart the client, or its ${moved === 1 ? 'server' : 'servers'}.`
  if (word === 'uninstall') return `${count(moved, 'server')} put back. ${restart}`
  const clients = named.map(({ shown }) => ` --client ${shown}`).join('')
  return `${restart} To take the gateway out again: holdfast mcp uninstall${clients}`
}

function rowOf({ name, state, text }: Told, isDry: boolean, { amber, green, dim }: Screen): Row {
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
