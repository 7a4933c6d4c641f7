// The text behind a hook: the files that its command names, as far as they are programs that can be read, and the
// command itself.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import { type HookDefinition, SOURCES } from '@holdfast/hooks/protocol'
import { scan } from './scan.js'
import { type Place, type Traits, together, UNKNOWN } from './traits.js'

const LARGEST = 512 * 1024
const PROGRAM = /\.(?:sh|bash|zsh|js|cjs|mjs|ts|cts|mts|py|rb|pl|php|ps1)$/i

export interface ReadTraits {
  readonly traits: Traits
  readonly files: readonly string[]
}

export function traitsOf(hook: HookDefinition): ReadTraits {
  if (hook.type !== 'command') return { traits: UNKNOWN, files: [] }
  const read = nearest(hook).flatMap(({ path }) => {
    const text = textOf(path)
    return text === undefined ? [] : [{ path, traits: scan(text, path) }]
  })
  return {
    traits: together([...read.map(({ traits }) => traits), inline(hook)]),
    files: read.map(({ path }) => path),
  }
}

/** Where a command changes folders, what it means is guessed, and the guess may lead out of the project. */
function nearest({ scripts, root, source }: HookDefinition): HookDefinition['scripts'] {
  if (!SOURCES[source].needsTrust) return scripts
  const inside = scripts.filter(({ path }) => path.startsWith(root + sep) && existsSync(path))
  return inside.length > 0 ? inside : scripts
}

/** Only plain files: a pipe would never end, and a program without text says nothing. */
function textOf(path: string): string | undefined {
  try {
    const stats = statSync(path)
    if (!stats.isFile() || stats.size > LARGEST) return undefined
    const text = readFileSync(path, 'utf8')
    return text.includes('\0') || !(PROGRAM.test(path) || text.startsWith('#!')) ? undefined : text
  } catch {
    return undefined
  }
}

/** Says all it does by itself, without another program. */
const SELF_CONTAINED = /^\s*(?:cat|true|:|exit|logger|touch|tee)(?:\s|$)/

/** A command may be a whole script on one line. */
function inline({ command = '', file, line }: HookDefinition): Traits {
  const found = scan(command, file ?? '')
  const says = found.writes.size > 0 || found.exitsWith2 || found.printsText || found.allows
  if (!says && !SELF_CONTAINED.test(command)) return UNKNOWN
  return atLine(found, line ?? 1)
}

/** Its first line is a line of hooks.json. */
function atLine(traits: Traits, line: number): Traits {
  const there = (value: unknown): unknown => {
    if (value instanceof Map) return new Map([...value].map(([key, place]) => [key, there(place)]))
    return typeof value === 'object' && value !== null ? { ...(value as Place), line } : value
  }
  return Object.fromEntries(
    Object.entries(traits).map(([name, value]) => [name, there(value)]),
  ) as unknown as Traits
}
