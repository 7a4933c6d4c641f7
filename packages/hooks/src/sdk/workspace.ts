// Where a path lies. A path is judged by what it leads to, not by how it is spelled.

import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

interface Place {
  readonly workspace_roots: readonly string[]
  readonly cwd?: string
}

/** Relative to the root it lies under, with `/`; absolute when it lies under none. */
export function workspacePath(payload: Place, path: string): string {
  const target = resolved(payload, path)
  const root = rootOf(payload, target)
  return root === undefined ? target : relative(root, target).split(sep).join('/') || '.'
}

/** Whether the path, with every link followed, lies under a root. A file that does not exist yet counts, too. */
export const isInsideWorkspace = (payload: Place, path: string): boolean =>
  rootOf(payload, resolved(payload, path)) !== undefined

const rootOf = ({ workspace_roots }: Place, target: string): string | undefined =>
  workspace_roots.map(real).find(root => {
    const way = relative(root, target)
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
  })

const resolved = ({ workspace_roots, cwd }: Place, path: string): string =>
  real(resolve(cwd || workspace_roots[0] || '.', path))

/** Of what does not exist yet, the nearest folder that does is followed; so is a link that leads to nothing. */
function real(path: string, depth = 0): string {
  const plain = uriPath(path)
  try {
    return realpathSync(plain)
  } catch {
    const folder = dirname(plain)
    if (folder === plain || depth > 100) return plain
    const link = linkAt(plain)
    return link === undefined
      ? join(real(folder, depth + 1), basename(plain))
      : real(resolve(real(folder, depth + 1), link), depth + 1)
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Windows roots come as `/d:/folder`. */
const uriPath = (path: string) => (process.platform === 'win32' ? path.replace(/^\/([a-z]:)/i, '$1') : path)
