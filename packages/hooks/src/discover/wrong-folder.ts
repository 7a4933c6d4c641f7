// A hooks.json where nothing reads it: the file looks right, is committed, and never runs.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Source } from '../protocol/config.js'
import { findEvent } from '../protocol/events.js'
import { parseJson } from './parse.js'
import { decode, readFile } from './read.js'
import type { Report } from './report.js'

const LARGEST = 4 * 1024 * 1024

/** Where people put it. Only the first can have no other meaning. */
const WRONG_PLACES = [
  { at: '.cursor/hooks/hooks.json', severity: 'error' },
  { at: 'hooks.json', severity: 'warning' },
  { at: '.cursor/hooks.jsonc', severity: 'warning' },
  { at: '.claude/hooks.json', severity: 'warning' },
  { at: 'hooks/hooks.json', severity: 'warning' },
] as const

export function warnOfWrongFolders(source: Source, report: Report): void {
  const { root } = source
  if (root === undefined) return
  for (const { at, severity } of WRONG_PLACES) {
    const file = join(root, at)
    if (!holdsHooks(file) || isPlugin(root)) continue
    report[severity]('config/wrong-folder', {
      file,
      message: `${at} holds hooks, but nothing reads it there.`,
      hint: `Move its hooks to ${source.file}.`,
    })
  }
}

/** In a plugin, hooks/hooks.json is the right place. */
const isPlugin = (root: string) =>
  existsSync(join(root, '.cursor-plugin')) || existsSync(join(root, '.claude-plugin'))

function holdsHooks(file: string): boolean {
  const result = readFile(file, LARGEST)
  const decoded = result.kind === 'read' ? decode(result.bytes) : undefined
  if (!decoded?.ok) return false
  const parsed = parseJson(decoded.text)
  if (!parsed.ok || parsed.root.kind !== 'object') return false
  return parsed.root.members.some(
    ({ key, value }) =>
      key === 'hooks' && value.kind === 'object' && value.members.some(member => findEvent(member.key)),
  )
}
