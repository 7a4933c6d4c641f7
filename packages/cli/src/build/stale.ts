// Hooks whose bundle is not what their TypeScript source gives: the code that runs is not the code that was edited.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CODES, type HookDefinition, type Issue } from '@holdfast/hooks/protocol'
import { isUsageError } from '../usage-error.js'
import { here, isFresh, sourceNamed } from './bundle.js'

/** The mark is on the first line. */
const HEAD_BYTES = 1024

/** What is wrong with each bundle, by its path. */
export type Compared = Map<string, Promise<string | undefined>>

export async function staleBundles(
  hooks: readonly HookDefinition[],
  found: Compared = new Map(),
): Promise<Issue[]> {
  const issues: Issue[] = []
  for (const hook of hooks) {
    for (const { path } of hook.scripts) {
      if (!found.has(path)) found.set(path, problemOf(path))
      const message = await found.get(path)
      if (message === undefined || hook.file === null) continue
      issues.push({
        code: 'config/stale-bundle',
        severity: 'error',
        source: hook.source,
        file: hook.file,
        line: hook.line ?? 1,
        column: 1,
        path: hook.path ?? '',
        message,
        hint: CODES['config/stale-bundle'].hint,
      })
    }
  }
  return issues
}

async function problemOf(out: string): Promise<string | undefined> {
  const name = sourceNamed(headOf(out))
  const source = name === undefined ? undefined : join(dirname(out), name)
  // A bundle can be shipped without its source.
  if (source === undefined || !statSync(source, { throwIfNoEntry: false })?.isFile()) return undefined
  if (!(await canBuild())) return undefined
  try {
    return (await isFresh(source, out)) ? undefined : `${here(out)} is not what ${here(source)} gives.`
  } catch (error) {
    // Packages that only the bundle contains are not installed here.
    if (isUsageError(error) && error.message.includes('Could not resolve')) return undefined
    if (isUsageError(error)) return `${here(out)} cannot be compared with its source: ${error.message}`
    throw error
  }
}

/** esbuild is not installed for users who only run hooks. */
const canBuild = (): Promise<boolean> =>
  import('esbuild').then(
    () => true,
    () => false,
  )

function headOf(file: string): string {
  try {
    const fd = openSync(file, 'r')
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      return head.toString('utf8', 0, readSync(fd, head, 0, HEAD_BYTES, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}
