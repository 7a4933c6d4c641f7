// Paths as a user reads and clicks them.

import { relative, sep } from 'node:path'
import type { Screen } from './terminal.js'
import { visible } from './text.js'

type PathBase = Pick<Screen, 'cwd' | 'home'>

/** Relative to the current folder or to ~, or absolute: whichever is shortest. */
export function shortPath(file: string, { cwd, home }: PathBase): string {
  const fromHere = relative(cwd, file) || '.'
  const fromHome = relative(home, file)
  const inHome = fromHome !== '' && !fromHome.startsWith('..') && fromHome !== file
  const names = [fromHere, file, ...(inHome ? [`~${sep}${fromHome}`] : [])]
  return visible(names.reduce((best, name) => (name.length < best.length ? name : best)))
}

/** `.cursor/hooks.json:9`. */
export const place = (file: string | null, line: number | null, from: PathBase): string =>
  file === null ? 'given by the host' : `${shortPath(file, from)}${line === null ? '' : `:${line}`}`
