// Files of the workspace: resolves paths and reads content. A path that leaves the workspace, also by a link, is
// rejected.

import { lstat, open, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'

export const MAX_FILE_BYTES = 10 * 1024 * 1024

export interface HeldFile {
  /** Absolute, with links resolved, in the host's spelling of the workspace. */
  readonly path: string
  readonly content: string
}

/** The resolved path; the file itself need not exist. */
export async function insideWorkspace(workspace: string, path: string): Promise<string> {
  if (path.includes('\0')) throw new Error('The path contains a character that is not valid in paths.')
  const root = await realpath(workspace)
  const wanted = await realPlace(resolve(workspace, path))
  const way = relative(root, wanted)
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(root, way) !== wanted) {
    throw new Error(`${path} is outside of the workspace.`)
  }
  return resolve(workspace, way)
}

/** The path with its existing links resolved. Undefined for a link that cannot be resolved. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const isLink = await lstat(path).then(
      found => found.isSymbolicLink(),
      () => false,
    )
    if (isLink) throw new Error(`${path} is a link that leads nowhere.`)
    const parent = dirname(path)
    return parent === path ? path : join(await realPlace(parent), path.slice(parent.length))
  }
}

/** The file for hooks and the tool, read once. */
export async function holdFile(workspace: string, path: string): Promise<HeldFile> {
  const place = await insideWorkspace(workspace, path)
  return { path: place, content: await readText(place, path) }
}

/** The file before it is written; empty if it does not exist or is not text. */
export async function holdOldFile(workspace: string, path: string): Promise<HeldFile> {
  const place = await insideWorkspace(workspace, path)
  return { path: place, content: await readText(place, path).catch(() => '') }
}

/** One handle, so that the checked size is that of the file that is read. */
export async function readText(place: string, name = place): Promise<string> {
  const handle = await open(place, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `${name} does not exist.` : `${name}: ${error.message}`)
  })
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new Error(`${name} is not a file.`)
    if (found.size > MAX_FILE_BYTES) throw new Error(`${name} is larger than ${MAX_FILE_BYTES} bytes.`)
    const text = await handle.readFile('utf8')
    if (text.includes('\0')) throw new Error(`${name} is not text.`)
    return text
  } finally {
    await handle.close()
  }
}
