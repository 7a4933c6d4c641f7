// Grep and LS: searching the workspace. Limited in files, lines and time; links are not followed.

import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { createContext, Script } from 'node:vm'
import { tool } from 'ai'
import { ToolTimeoutError } from '../agent/tool-errors.js'
import { bounded } from './bounded.js'
import { insideWorkspace, readText } from './files.js'
import { inputOf, maybe, text } from './input.js'

const SKIPPED = new Set(['.git', 'node_modules'])
const MAX_FILES = 20_000
const MAX_HITS = 200
const MAX_ENTRIES = 1_000
const LONGEST_LINE = 500
const LIMIT_MS = 10_000
/** The time limit of the pattern alone; the process is blocked meanwhile. */
const MATCHING_MS = 1_000

export const grepTool = (workspace: string) =>
  tool({
    description: `Finds lines by a regular expression (JavaScript). At most ${MAX_HITS} lines, as file:line:text. With an empty pattern, lists files.`,
    inputSchema: inputOf({
      pattern: text('The regular expression.'),
      file_path: maybe(text('File or folder to look in; the workspace when absent.')),
      glob: maybe(
        text('Only files whose path from the workspace is like this: * inside a name, ** over folders.'),
      ),
    }),
    execute: async ({ pattern, file_path, glob }, { abortSignal }) => {
      const root = await insideWorkspace(workspace, '.')
      const from = await insideWorkspace(workspace, file_path ?? '.')
      const wanted = glob === undefined ? undefined : globPattern(glob)
      const ends = performance.now() + LIMIT_MS
      const find = finder(pattern)
      const hits: string[] = []
      for await (const file of filesUnder(from)) {
        abortSignal?.throwIfAborted()
        if (performance.now() > ends) throw tooLong()
        const name = relative(root, file).split(sep).join('/')
        if (wanted && !wanted.test(name)) continue
        if (pattern === '') hits.push(name)
        else {
          const content = await readText(file).catch(() => '')
          for (const [line, words] of find(content)) hits.push(`${name}:${line}:${words}`)
        }
        if (hits.length > MAX_HITS) break
      }
      if (hits.length === 0) return 'Nothing was found.'
      const more = hits.length > MAX_HITS ? '\n[there is more: look for something narrower]' : ''
      return bounded(hits.slice(0, MAX_HITS).join('\n')) + more
    },
  })

export const lsTool = (workspace: string) =>
  tool({
    description: 'Lists a folder. Folders end with a slash.',
    inputSchema: inputOf({ path: maybe(text('The folder; the workspace when absent.')) }),
    execute: async ({ path }) => {
      const folder = await insideWorkspace(workspace, path ?? '.')
      const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        throw new Error(error.code === 'ENOTDIR' ? `${path} is not a folder.` : `${path} does not exist.`)
      })
      const names = entries.map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort()
      const more = names.length > MAX_ENTRIES ? [`[${names.length - MAX_ENTRIES} more]`] : []
      return [...names.slice(0, MAX_ENTRIES), ...more].join('\n') || 'The folder is empty.'
    },
  })

async function* filesUnder(place: string): AsyncGenerator<string> {
  const waiting = [place]
  let seen = 0
  while (waiting.length > 0 && seen < MAX_FILES) {
    const next = waiting.pop()!
    const entries = await readdir(next, { withFileTypes: true }).catch(() => undefined)
    if (!entries) {
      seen++
      yield next
      continue
    }
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? 1 : -1))) {
      const path = join(next, entry.name)
      if (entry.isDirectory() ? !SKIPPED.has(entry.name) : entry.isFile()) waiting.push(path)
    }
  }
}

/** The model writes the pattern, which may never terminate: a watchdog ends it from outside. */
function finder(pattern: string): (content: string) => [line: number, words: string][] {
  let regex: RegExp
  try {
    regex = new RegExp(pattern)
  } catch (error) {
    throw new Error(`The pattern is not a regular expression: ${(error as Error).message}`)
  }
  let left = MATCHING_MS
  return content => {
    const found: [number, string][] = []
    const search = () =>
      content.split('\n').forEach((words, index) => {
        if (regex.test(words)) found.push([index + 1, words.slice(0, LONGEST_LINE)])
      })
    const began = performance.now()
    try {
      new Script('search()').runInContext(createContext({ search }), {
        timeout: Math.max(1, Math.ceil(left)),
      })
    } catch {
      throw tooLong()
    }
    left -= performance.now() - began
    return found
  }
}

const tooLong = () =>
  new ToolTimeoutError('The search took too long: use a simpler pattern, or look in fewer files.')

function globPattern(glob: string): RegExp {
  const parts = glob
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map(part => GLOB[part] ?? part.replace(/[.+^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${glob.includes('/') ? '' : '(?:.*/)?'}${parts.join('')}$`)
}

const GLOB: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }
