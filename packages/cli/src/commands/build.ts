// holdfast build: TypeScript hooks → files that run without anything beside them.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundle, here, isFresh, isOurs } from '../build/bundle.js'
import { Complaint } from '../complaint.js'
import { showHelp } from '../load.js'
import { OUTPUT, parse } from '../options.js'
import { print, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { workspaceOf } from '../workspace.js'

const OPTIONS = { root: 'list', out: 'value', check: 'flag', ...OUTPUT } as const

interface Built {
  readonly source: string
  readonly out: string
  readonly bytes: number
  readonly state: 'built' | 'fresh' | 'stale'
}

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('build', argv, OPTIONS)
  if (given.has('help')) return showHelp('build')
  const { cwd, roots } = workspaceOf(given)
  const out = given.value('out')
  const sources =
    given.positionals.length > 0 ? given.positionals.map(name => resolve(cwd, name)) : roots.flatMap(hooksOf)
  if (sources.length === 0) {
    throw new Complaint(
      'There is no TypeScript hook in .cursor/hooks here. Name a file: holdfast build guard.ts',
    )
  }
  if (out !== undefined && sources.length !== 1) throw new Complaint('--out is for one file. Name that file.')
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
    throw new Complaint(`There is no file "${here(source)}".`)
  if (source === out)
    throw new Complaint(`${here(source)} would be overwritten by its own bundle. Name another --out.`)
  if (!onlyCheck) {
    if (!isOurs(read(out)))
      throw new Complaint(
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
  throw new Complaint(
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
