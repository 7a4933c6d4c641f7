// The examples that come with the command: complete hooks with their tests, to be copied.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { parse } from 'jsonc-parser'
import { oneOf } from '../arguments.js'
import { UsageError } from '../usage-error.js'
import type { GuardOptions } from './guard-options.js'
import type { NewEntry } from './hooks-file.js'
import type { NewFile } from './language.js'
import { type Level, withFolder } from './level.js'

/** The bundle is CommonJS, and the examples are beside it. */
declare const __dirname: string

export interface Example {
  readonly name: string
  readonly summary: string
  readonly folder: string
}

export function examples(folder: string = join(__dirname, 'examples')): Example[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => existsSync(join(folder, name, '.cursor', 'hooks.json')))
    .sort()
    .map(name => ({ name, summary: summaryOf(join(folder, name)), folder: join(folder, name) }))
}

export function exampleNamed(name: string, all: readonly Example[]): Example {
  if (all.length === 0) {
    throw new UsageError('The examples are missing from this installation. Install holdfast again.')
  }
  const names = all.map(({ name }) => name)
  return all.find(one => one.name === oneOf('example', name, names))!
}

/** Its files, its entries with the paths of the level, and the options of its guards. */
export function readExample(
  { folder }: Example,
  level: Level,
): { files: readonly NewFile[]; entries: readonly NewEntry[]; guards: GuardOptions } {
  const scripts = join(folder, '.cursor', 'hooks')
  const { hooks } = parse(readFileSync(join(folder, '.cursor', 'hooks.json'), 'utf8')) as {
    hooks: Record<string, Record<string, unknown>[]>
  }
  const options = join(folder, '.cursor', 'holdfast.json')
  const { guards = {} } = existsSync(options)
    ? (parse(readFileSync(options, 'utf8')) as { guards?: GuardOptions })
    : {}
  return {
    guards,
    files: filesUnder(scripts).map(name => ({ name, text: readFileSync(join(scripts, name)) })),
    entries: Object.entries(hooks).flatMap(([event, list]) =>
      list.map(entry => ({ event, entry: withPaths(entry, level) })),
    ),
  }
}

function withPaths(entry: Readonly<Record<string, unknown>>, { prefix }: Level): Record<string, unknown> {
  const { command } = entry
  return typeof command === 'string'
    ? { ...entry, command: withFolder(command, '.cursor/hooks/', prefix) }
    : { ...entry }
}

const filesUnder = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile() && !entry.name.endsWith('.pyc'))
        .map(entry =>
          relative(folder, join(entry.parentPath ?? entry.path, entry.name))
            .split(sep)
            .join('/'),
        )
        .sort()
    : []

/** The first sentence of its page. */
function summaryOf(folder: string): string {
  try {
    const text = readFileSync(join(folder, 'README.md'), 'utf8')
    const paragraph = text.split(/\r?\n\s*\r?\n/).find(part => /^[^#<`\s]/.test(part)) ?? ''
    return (/^.*?[.:](?=\s|$)/s.exec(paragraph)?.[0] ?? paragraph).replace(/\s+/g, ' ').replace(/:$/, '.')
  } catch {
    return ''
  }
}
