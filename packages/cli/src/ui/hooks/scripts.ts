// The scripts of a hook, for display. They are found by the hook, never by a path from a page.

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { extname, isAbsolute, relative, sep } from 'node:path'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { shortPath } from '../../print/place.js'
import type { Screen } from '../../print/terminal.js'

const LONGEST = 256 * 1024

const LANGUAGES: Readonly<Record<string, string>> = {
  '.sh': 'sh',
  '.bash': 'sh',
  '.zsh': 'sh',
  '.js': 'js',
  '.cjs': 'js',
  '.mjs': 'js',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.py': 'py',
}
const SHEBANG = /^#!.*?\b(sh|bash|zsh|dash|node|bun|deno|tsx|python3?)\b/
const OF_INTERPRETER: Readonly<Record<string, string>> = { node: 'js', bun: 'ts', deno: 'ts', tsx: 'ts' }

export const scriptsOf = (hook: HookDefinition, screen: Screen) =>
  hook.scripts.flatMap(({ path }) => readScript(path, hook, screen) ?? [])

/** Undefined if it does not exist, is not text, or is a link that leads out of the allowed folders. */
function readScript(path: string, hook: HookDefinition, screen: Screen) {
  try {
    if (!isOwn(path, hook)) return undefined
    const { bytes, size } = read(path)
    const text = bytes.toString('utf8')
    const isText = !text.includes('\0')
    return {
      shown: shortPath(path, screen),
      text: isText ? text : '',
      cut: size > bytes.length || !isText,
      language: isText ? languageOf(path, text) : '',
      size: BigInt(size),
    }
  } catch {
    return undefined
  }
}

/** A script of the project must be inside it; other sources name files anywhere, and the user trusts their authors. */
function isOwn(path: string, { root, source }: HookDefinition): boolean {
  if (source !== 'project' && source !== 'claude-project' && source !== 'claude-local') return true
  const way = relative(realpathSync(root), realpathSync(path))
  const wayAsNamed = relative(root, path)
  const isInside = (from: string) => from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from)
  // A command that names an absolute path shows that file.
  return isInside(way) || !isInside(wayAsNamed)
}

/** Never blocks, and reads no more than is shown. */
function read(path: string): { bytes: Buffer; size: number } {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Error('not a file')
    const bytes = Buffer.alloc(Math.min(stats.size, LONGEST))
    return { bytes: bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)), size: stats.size }
  } finally {
    closeSync(fd)
  }
}

function languageOf(path: string, text: string): string {
  const byName = LANGUAGES[extname(path).toLowerCase()]
  if (byName !== undefined) return byName
  const [, interpreter = ''] = SHEBANG.exec(text) ?? []
  return (
    OF_INTERPRETER[interpreter] ?? (interpreter.startsWith('python') ? 'py' : interpreter === '' ? '' : 'sh')
  )
}
