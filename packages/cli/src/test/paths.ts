// Paths in a test file: always inside the workspace of the case, or its home with ~/.

import { posix } from 'node:path'
import type { TestSource, Tree } from './yaml.js'

/** Undefined, and a problem, if the path would leave the temporary folders. */
export function insidePath(source: TestSource, node: Tree, path: string): string | undefined {
  const inHome = path.startsWith('~/')
  const own = inHome ? path.slice(2) : path
  const leaves =
    own === '' ||
    own.includes('\0') ||
    own.includes('\\') ||
    posix.isAbsolute(own) ||
    /^[a-zA-Z]:/.test(own) ||
    posix.normalize(own).split('/')[0] === '..'
  if (!leaves) return `${inHome ? '~/' : ''}${posix.normalize(own)}`
  return source.complain(
    node,
    `${JSON.stringify(path)} is not inside the workspace. Write it relative to the workspace or to ~/, with forward slashes.`,
  )
}
