// holdfast check: every problem of every source, grouped by file.

import { resolve } from 'node:path'
import { type DiscoverOptions, discover } from '@holdfast/hooks'
import type { Issue, Layer } from '@holdfast/hooks/protocol'
import type { Given } from '../arguments.js'
import { staleBundles } from '../build/stale.js'
import { discoverOptions, nothingFound, sourcesOf } from '../catalog.js'
import { isInClaudePlugin, type NamedFile, readFiles } from '../check/files.js'
import { lintCatalog, lintLayer } from '../check/lint.js'
import type { Command } from '../command.js'
import { OUTPUT, WORKSPACE } from '../option-sections.js'
import { issueJson } from '../print/fire-json.js'
import { shortPath } from '../print/place.js'
import { indented, type Row, renderRows } from '../print/rows.js'
import { isNarrow, print, printJson, type Screen } from '../print/terminal.js'
import { oneLine, visible } from '../print/text.js'
import { count } from '../print/words.js'
import { workspaceOf } from '../workspace.js'

interface Checked {
  readonly layers: readonly Layer[]
  readonly issues: readonly Issue[]
  readonly notes: readonly Note[]
}

interface Note {
  readonly file: string
  readonly message: string
}

export const command: Command = {
  name: 'check',
  summary: 'Find mistakes in every hooks.json, or in the files given',
  description: 'A file is checked as a file of the project, plugin or repository that contains it.',
  arguments: [
    {
      name: 'file',
      summary: 'hooks file (default: the files of all sources)',
      isOptional: true,
      isRepeatable: true,
    },
  ],
  options: [WORKSPACE, OUTPUT],
  exitCodes: { 0: 'no errors; there can be warnings', 1: 'errors, or a wrong call' },
  examples: ['holdfast check', 'holdfast check --claude --json', 'holdfast check .cursor/hooks.json'],
  run,
}

async function run(given: Given): Promise<number> {
  const workspace = workspaceOf(given)
  const options = discoverOptions(workspace)
  const files = given.positionals.map(file => resolve(workspace.cwd, file))
  const checked = files.length > 0 ? await checkFiles(files, options) : await checkAll(options)
  const errors = checked.issues.filter(({ severity }) => severity === 'error').length
  if (given.has('json')) printJson({ issues: checked.issues.map(issueJson), notes: checked.notes })
  else if (checked.issues.length === 0 && checked.layers.every(({ state }) => state === 'absent')) {
    print(nothingFound(checked.layers, workspace))
  } else print(report(checked, workspace.screen))
  return errors > 0 ? 1 : 0
}

async function checkAll(options: DiscoverOptions): Promise<Checked> {
  const { layers, issues } = lintCatalog(await discover(options), options)
  const stale = await staleBundles(layers.flatMap(({ hooks }) => hooks))
  return { layers, issues: [...issues, ...stale], notes: [] }
}

async function checkFiles(files: readonly string[], options: DiscoverOptions): Promise<Checked> {
  const checked = (await readFiles(files, options)).map(named => checkFile(named, files, options))
  return {
    layers: checked.flatMap(({ layers }) => layers),
    issues: checked.flatMap(({ issues }) => issues),
    notes: checked.flatMap(({ notes }) => notes),
  }
}

/** Nothing can be missing from a folder that is not known. */
const NEEDS_FOLDER: readonly string[] = ['config/script-missing', 'config/path-base']

function checkFile(
  { layer, isLoose, hasFolder }: NamedFile,
  files: readonly string[],
  options: DiscoverOptions,
): Checked {
  const linted = lintLayer(layer, options)
  const issues = linted.issues.filter(
    ({ file, code, severity }) =>
      files.includes(file) &&
      (hasFolder || !NEEDS_FOLDER.includes(code)) &&
      // The note below has the same content.
      (code !== 'config/wrong-folder' || severity === 'error'),
  )
  const { file, root } = layer.source
  const has = (wanted: string) => issues.some(({ code }) => code === wanted)
  if (isLoose && has('config/claude-shaped') && isInClaudePlugin(file)) {
    const message = 'It belongs to a plugin of Claude Code, which reads it in its own format. Not checked.'
    return { layers: [layer], issues: [], notes: [{ file, message }] }
  }
  const message = `No agent reads this file. Hooks of a project belong in .cursor/hooks.json, hooks of a plugin in a file that .cursor-plugin/plugin.json names. Checked as a file of the project ${root}.`
  const notes = isLoose && !has('config/wrong-folder') ? [{ file, message }] : []
  return { layers: [linted], issues, notes }
}

function report({ layers, issues, notes }: Checked, screen: Screen): string {
  const hooks = layers.reduce((sum, layer) => sum + layer.hooks.length, 0)
  const loaded = `${count(hooks, 'hook')} loaded`
  const files = [...new Set(issues.map(({ file }) => file))]
  const blocks = files.map(file => [
    `  ${screen.bold(shortPath(file, screen))}`,
    '',
    ...issueRows(grouped(issues.filter(issue => issue.file === file)), screen),
  ])
  for (const { file, message } of notes) {
    const text = `${shortPath(file, screen)}: ${oneLine(message)}`
    blocks.push(indented({ text, style: screen.dim }, 2, screen.columns))
  }
  const where = `in ${sourcesOf(layers)} · ${loaded}`
  blocks.push([issues.length === 0 ? `  No problems ${where}` : `  ${totals(issues, screen)} ${where}`])
  return `\n${blocks.map(block => block.join('\n')).join('\n\n')}\n\n`
}

function totals(issues: readonly Issue[], screen: Screen): string {
  const errors = issues.filter(({ severity }) => severity === 'error').length
  const warnings = issues.length - errors
  return [
    ...(errors > 0 ? [screen.red(count(errors, 'error'))] : []),
    ...(warnings > 0 ? [screen.amber(count(warnings, 'warning'))] : []),
  ].join(', ')
}

interface Group extends Issue {
  readonly more: number[]
}

/** A sentence about several entries of a file is printed once, with the other lines. */
function grouped(issues: readonly Issue[]): Group[] {
  const groups = new Map<string, Group>()
  for (const issue of issues) {
    const key = `${issue.code} ${issue.message} ${issue.hint}`
    const group = groups.get(key)
    if (group) group.more.push(issue.line)
    else groups.set(key, { ...issue, more: [] })
  }
  return [...groups.values()]
}

const MOST_LINES = 8

function moreWords(lines: readonly number[]): string {
  const shown = [...new Set(lines)].slice(0, MOST_LINES).join(', ')
  return `${count(lines.length, 'more place')}: line${lines.length > 1 ? 's' : ''} ${shown}${lines.length > MOST_LINES ? ', \u2026' : ''}`
}

function issueRows(issues: readonly Group[], screen: Screen): string[] {
  const hasPaths = issues.some(({ path }) => path !== '')
  const beside = hasPaths && !isNarrow(screen)
  const rows = issues.map(({ line, column, severity, path, message, hint, more }): Row => {
    const where = visible(path.replace(/^hooks\./, ''))
    const what = { text: oneLine(message) }
    return {
      cells: [
        { text: `${line}:${column}`, style: screen.dim },
        { text: severity, style: severity === 'error' ? screen.red : screen.amber },
        ...(beside ? [{ text: where }] : []),
      ],
      text: beside || where === '' ? what : { text: where },
      below: [
        ...(beside || where === '' ? [] : [what]),
        { text: oneLine(hint), style: screen.dim },
        ...(more.length > 0 ? [{ text: moreWords(more), style: screen.dim }] : []),
      ],
    }
  })
  const columns = [{ right: true }, {}, ...(beside ? [{ share: 0.36 }] : [])]
  return renderRows(rows, columns, screen.columns, 2)
}
