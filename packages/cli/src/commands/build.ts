// holdfast build: bundles TypeScript hooks into files that run on their own.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { flag, type Given, value } from '../arguments.js'
import { bundle, here, isFresh, isOurs } from '../build/bundle.js'
import type { Command } from '../command.js'
import { OUTPUT, roots } from '../option-sections.js'
import { print, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'

interface Built {
  readonly source: string
  readonly out: string
  readonly bytes: number
  readonly state: 'built' | 'fresh' | 'stale'
}

export const command: Command = {
  name: 'build',
  summary: 'Bundle TypeScript hooks, each into one file without dependencies',
  description:
    'guard.ts becomes guard.cjs in the same folder, and hooks.json runs "node .cursor/hooks/guard.cjs". Types are not checked; use tsc for that.',
  arguments: [
    {
      name: 'file',
      summary: 'source file (default: each TypeScript file in .cursor/hooks that imports the SDK)',
      isOptional: true,
      isRepeatable: true,
    },
  ],
  options: [
    {
      options: {
        out: value('FILE', 'where to write the bundle; a name that ends with .mjs makes an ES module'),
        check: flag('write nothing, and exit with 1 if a bundle is not up to date'),
        root: roots,
      },
    },
    OUTPUT,
  ],
  exitCodes: { 0: 'built, or up to date', 1: 'a source has an error, or a bundle is not up to date' },
  examples: ['holdfast build .cursor/hooks/guard.ts', 'holdfast build --check'],
  run,
}

async function run(given: Given): Promise<number> {
  const { cwd, roots } = workspaceOf(given)
  const out = given.value('out')
  const sources =
    given.positionals.length > 0 ? given.positionals.map(name => resolve(cwd, name)) : roots.flatMap(hooksOf)
  if (sources.length === 0) {
    throw new UsageError(
      'There is no TypeScript hook in .cursor/hooks here. Name a file: holdfast build guard.ts',
    )
  }
  if (out !== undefined && sources.length !== 1)
    throw new UsageError('--out is for one file. Name that file.')
  const outs = sources.map(source => (out === undefined ? besides(source) : resolve(cwd, out)))
  mustDiffer(sources, outs)
  const results: Built[] = []
  for (const [at, source] of sources.entries())
    results.push(await build(source, outs[at]!, given.has('check')))
  if (given.has('json')) printJson(results)
  else for (const result of results) print(`  ${words(result)}\n`)
  return results.some(({ state }) => state === 'stale') ? 1 : 0
}

async function build(source: string, out: string, onlyCheck: boolean): Promise<Built> {
  if (!statSync(source, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`There is no file "${here(source)}".`)
  if (source === out)
    throw new UsageError(`${here(source)} would be overwritten by its own bundle. Name another --out.`)
  if (!onlyCheck) {
    if (!isOurs(read(out)))
      throw new UsageError(
        `${here(out)} was not made by holdfast build and is not overwritten. Move it away, or name another --out.`,
      )
    await bundle(source, out)
    return { source, out, bytes: statSync(out).size, state: 'built' }
  }
  const isStale = !(await isFresh(source, out))
  const bytes = statSync(out, { throwIfNoEntry: false })?.size ?? 0
  return { source, out, bytes, state: isStale ? 'stale' : 'fresh' }
}

function mustDiffer(sources: readonly string[], outs: readonly string[]): void {
  const at = outs.findIndex(
    (out, at) => outs.indexOf(out) !== at && sources[outs.indexOf(out)] !== sources[at],
  )
  if (at === -1) return
  const [one, other] = [sources[outs.indexOf(outs[at]!)]!, sources[at]!].map(here)
  throw new UsageError(
    `${one} and ${other} would both become ${here(outs[at]!)}. Rename one, or build it with --out.`,
  )
}

function words({ source, out, bytes, state }: Built): string {
  const [from, to] = [source, out].map(file => visible(here(file)))
  if (state === 'built') return `${from} \u2192 ${to}   ${(bytes / 1024).toFixed(1)} KB`
  if (state === 'fresh') return `${to} is what ${from} gives`
  return `${to} is not what ${from} gives. Run: holdfast build ${from}`
}

const besides = (source: string) => `${source.replace(/\.[cm]?[jt]s$/, '')}.cjs`

/** Sources in the hooks folder that use the SDK; what only they import is bundled with them. */
function hooksOf(root: string): string[] {
  const folder = join(root, '.cursor', 'hooks')
  try {
    return readdirSync(folder)
      .filter(name => /(?<!\.d|\.test)\.[cm]?ts$/.test(name))
      .map(name => join(folder, name))
      .filter(file => /['"]@holdfast\/hooks\/sdk['"]/.test(read(file) ?? ''))
      .sort()
  } catch {
    return []
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
