// Locates paths in the workspace. Symbolic links are followed, so that a path is judged by its target.

import { readlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path'

interface Location {
  readonly workspace_roots: readonly string[]
  readonly cwd?: string
}

/** The path relative to its workspace root, with `/`; absolute if it is in none. */
export function workspacePath(payload: Location, path: string): string {
  const target = resolveLinks(absolute(payload, path))
  if (target === undefined) return resolve(absolute(payload, path))
  const root = rootOf(payload, target)
  return root === undefined ? target : relative(root, target).split(sep).join('/') || '.'
}

/** Whether the path, with all links followed, is in a workspace root. The file need not exist. */
export function isInsideWorkspace(payload: Location, path: string): boolean {
  // A file name cannot contain NUL.
  const target = path.includes('\0') ? undefined : resolveLinks(absolute(payload, path))
  return target !== undefined && rootOf(payload, target) !== undefined
}

/** The innermost root that contains the target. */
const rootOf = ({ workspace_roots }: Location, target: string): string | undefined =>
  workspace_roots
    .flatMap(root => resolveLinks(resolve(uriPath(root))) ?? [])
    .filter(root => {
      const path = relative(root, target)
      return path === '' || (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path))
    })
    .sort((a, b) => b.length - a.length)[0]

/** Relative to `cwd`, else to the first root. Expands ~ as a shell would. */
function absolute({ workspace_roots, cwd }: Location, path: string): string {
  const base = resolve(uriPath(workspace_roots[0] ?? '.'), uriPath(cwd ?? ''))
  const plain = uriPath(path).replace(/^~(?=[\\/]|$)/, () => homedir())
  // Not normalised: after a link, ".." is the parent of the link's target.
  return isAbsolute(plain) ? plain : `${base}${sep}${plain}`
}

/** The limit of Linux. */
const MAX_LINKS = 40

/** Follows links one by one, as the system does. A part that does not exist is kept. Undefined if links form a cycle. */
function resolveLinks(path: string): string | undefined {
  const { root } = parse(path)
  let at = root
  let links = 0
  const ahead = partsOf(path.slice(root.length))
  while (ahead.length > 0) {
    const part = ahead.pop()!
    if (part === '..') {
      at = dirname(at)
      continue
    }
    const next = join(at, part)
    const link = linkAt(next)
    if (link === undefined) {
      at = next
      continue
    }
    if (++links > MAX_LINKS) return undefined
    const { root } = parse(link)
    if (root !== '') at = resolve(at, root)
    ahead.push(...partsOf(link.slice(root.length)))
  }
  return at
}

/** In reverse order, for pop(). */
const partsOf = (path: string): string[] =>
  path
    .split(sep === '/' ? '/' : /[\\/]/)
    .filter(part => part !== '' && part !== '.')
    .reverse()

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** On Windows, roots arrive as `/d:/folder`. */
const uriPath = (path: string) => (process.platform === 'win32' ? path.replace(/^\/([a-z]:)/i, '$1') : path)
