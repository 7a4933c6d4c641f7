// Where a path lies. A path is judged by what it leads to, not by how it is spelled.

import { readlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path'

interface Place {
  readonly workspace_roots: readonly string[]
  readonly cwd?: string
}

/** Relative to the root it lies under, with `/`; absolute when it lies under none. */
export function workspacePath(payload: Place, path: string): string {
  const target = real(absolute(payload, path))
  if (target === undefined) return resolve(absolute(payload, path))
  const root = rootOf(payload, target)
  return root === undefined ? target : relative(root, target).split(sep).join('/') || '.'
}

/** Whether the path, with every link followed, lies under a root. A file that does not exist yet counts, too. */
export function isInsideWorkspace(payload: Place, path: string): boolean {
  // No file has a name with a zero in it.
  const target = path.includes('\0') ? undefined : real(absolute(payload, path))
  return target !== undefined && rootOf(payload, target) !== undefined
}

/** Of roots inside each other, the nearest. */
const rootOf = ({ workspace_roots }: Place, target: string): string | undefined =>
  workspace_roots
    .flatMap(root => real(resolve(uriPath(root))) ?? [])
    .filter(root => {
      const way = relative(root, target)
      return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
    })
    .sort((a, b) => b.length - a.length)[0]

/** From the folder of the call, else from the first root. A shell would expand the ~, so it is expanded here. */
function absolute({ workspace_roots, cwd }: Place, path: string): string {
  const base = resolve(uriPath(workspace_roots[0] ?? '.'), uriPath(cwd ?? ''))
  const plain = uriPath(path).replace(/^~(?=[\\/]|$)/, () => homedir())
  // Not normalised: behind a link ".." means another folder than it seems to.
  return isAbsolute(plain) ? plain : `${base}${sep}${plain}`
}

/** So many links are followed by the system, too. */
const MOST_LINKS = 40

/** Link by link, as the system goes; what does not exist yet is taken as it is. Undefined where links go round. */
function real(path: string): string | undefined {
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
    if (++links > MOST_LINKS) return undefined
    const { root } = parse(link)
    if (root !== '') at = resolve(at, root)
    ahead.push(...partsOf(link.slice(root.length)))
  }
  return at
}

/** The first comes last, to be taken from the end. */
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

/** Windows roots come as `/d:/folder`. */
const uriPath = (path: string) => (process.platform === 'win32' ? path.replace(/^\/([a-z]:)/i, '$1') : path)
