// holdfast check: every problem of every source, grouped by file.

import { resolve } from 'node:path'
import { type DiscoverOptions, discover } from '@holdfast/hooks'
import type { Issue, Layer } from '@holdfast/hooks/protocol'
import { discoverOptions, lookAtFiles, nothingFound, sourcesOf } from '../catalog.js'
import { lintCatalog, lintLayer } from '../check/lint.js'
import { showHelp } from '../load.js'
import { parse, SHARED } from '../options.js'
import { issueJson } from '../print/fire-json.js'
import { shortPath } from '../print/place.js'
import { type Row, renderRows } from '../print/rows.js'
import { isNarrow, print, printJson, type Screen } from '../print/terminal.js'
import { oneLine, visible } from '../print/text.js'
import { count } from '../print/words.js'
import { workspaceOf } from '../workspace.js'

interface Checked {
  readonly layers: readonly Layer[]
  readonly issues: readonly Issue[]
  readonly notes: readonly string[]
}

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('check', argv, SHARED)
  if (given.has('help')) return showHelp('check')
  const workspace = workspaceOf(given)
  const options = discoverOptions(workspace)
  const files = given.positionals.map(file => resolve(workspace.cwd, file))
  const checked = files.length > 0 ? await checkFiles(files, options) : await checkAll(options)
  const errors = checked.issues.filter(({ severity }) => severity === 'error').length
  if (given.has('json')) printJson({ issues: checked.issues.map(issueJson), unread: checked.notes })
  else if (checked.issues.length === 0 && checked.layers.every(({ state }) => state === 'absent')) {
    print(nothingFound(checked.layers, workspace))
  } else print(report(checked, workspace.screen))
  return errors > 0 ? 1 : 0
}

async function checkAll(options: DiscoverOptions): Promise<Checked> {
  const { layers, issues } = lintCatalog(await discover(options), options)
  return { layers, issues, notes: [] }
}

async function checkFiles(files: readonly string[], options: DiscoverOptions): Promise<Checked> {
  const { layers: loaded, loose } = await lookAtFiles(files, options)
  const layers = loaded.map(layer => lintLayer(layer, options))
  // The note about a loose file replaces the issue.
  const issues = layers.flatMap(layer => layer.issues).filter(({ file }) => files.includes(file))
  return { layers, issues: issues.filter(({ code }) => code !== 'config/wrong-folder'), notes: loose }
}

function report({ layers, issues, notes }: Checked, screen: Screen): string {
  const hooks = layers.reduce((sum, layer) => sum + layer.hooks.length, 0)
  const loaded = `${count(hooks, 'hook')} loaded`
  const files = [...new Set(issues.map(({ file }) => file))]
  const blocks = files.map(file => [
    `  ${screen.bold(shortPath(file, screen))}`,
    '',
    ...issueRows(
      issues.filter(issue => issue.file === file),
      screen,
    ),
  ])
  for (const file of notes) {
    blocks.push([
      screen.dim(`  ${shortPath(file, screen)} was checked as the project file of its folder.`),
      screen.dim('  No agent reads hooks there; they belong in .cursor/hooks.json.'),
    ])
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

function issueRows(issues: readonly Issue[], screen: Screen): string[] {
  const hasPaths = issues.some(({ path }) => path !== '')
  const beside = hasPaths && !isNarrow(screen)
  const rows = issues.map(({ line, column, severity, path, message, hint }): Row => {
    const where = visible(path.replace(/^hooks\./, ''))
    const what = { text: oneLine(message) }
    return {
      cells: [
        { text: `${line}:${column}`, style: screen.dim },
        { text: severity, style: severity === 'error' ? screen.red : screen.amber },
        ...(beside ? [{ text: where }] : []),
      ],
      text: beside || where === '' ? what : { text: where },
      below: [...(beside || where === '' ? [] : [what]), { text: oneLine(hint), style: screen.dim }],
    }
  })
  const columns = [{ right: true }, {}, ...(beside ? [{ share: 0.36 }] : [])]
  return renderRows(rows, columns, screen.columns, 2)
}
