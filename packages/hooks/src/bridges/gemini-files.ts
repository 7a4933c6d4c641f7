// Gemini CLI reads more into a path than stands there: it takes a leading @ away, drops NUL and decodes %20, so that one
// file has many names. Hooks are shown the file itself, and a call whose path is not plain is said anew, so that it
// means that file and no other.

import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { ToolRow } from './shape.js'

/** The file that a path of the model stands for. */
export function fileOf(path: string, cwd: string): string {
  const file = resolve(cwd, withoutAt(path.replaceAll('\0', ''), cwd))
  try {
    return resolve(decodeURIComponent(file))
  } catch {
    return file
  }
}

/** An @ is part of the name when such a file, or such a folder for it, is there. */
function withoutAt(path: string, cwd: string): string {
  if (!path.startsWith('@') || existsSync(resolve(cwd, path))) return path
  const rest = path.slice(1).replace(/^[\\/]+/, '')
  const [first = ''] = rest.split(/[\\/]/)
  const isName = !/^@[\\/]/.test(path) && existsSync(resolve(cwd, `@${first}`))
  return isName || rest === '' ? path : rest
}

/** How to name exactly this file. */
export const exactPath = (file: string, cwd: string): string => resolve(cwd, file).replaceAll('%', '%25')

/** Whether the path leads where it says. For an edited file that is missing, another of the same name is looked for. */
export function isPlain(path: string, cwd: string, { does }: ToolRow): boolean {
  if (/^@|[%\0]/.test(path) || fileOf(path, cwd) !== resolve(cwd, path)) return false
  return does !== 'edit' || isAbsolute(path) || existsSync(resolve(cwd, path))
}
