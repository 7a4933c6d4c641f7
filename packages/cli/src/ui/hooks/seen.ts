// The state of a hook as a page showed it, as one number: a request to trust or run the hook names that number.

import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { HookDefinition } from '@holdfast/hooks/protocol'

/** Larger scripts are identified by size and time. */
const LARGEST = 8 * 1024 * 1024

/** The engine's own fingerprint if trust depends on it; the same kind of number for all others. */
export function fingerprintOf(hook: HookDefinition): string {
  if (hook.fingerprint !== '') return hook.fingerprint
  const hash = createHash('sha256')
  const { event, type, command, prompt, model, timeoutMs, failClosed, cwd } = hook
  const matcher = hook.matcher.kind === 'all' ? null : hook.matcher.text
  hash.update(JSON.stringify([event, type, command, prompt, model, matcher, timeoutMs, failClosed, cwd]))
  for (const { path } of hook.scripts) {
    hash.update(`\0${path}\0`)
    hash.update(bytesOf(path))
  }
  return hash.digest('hex')
}

function bytesOf(path: string): Buffer | string {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return 'no file'
    return stats.size > LARGEST ? `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : readFileSync(path)
  } catch {
    return 'absent'
  }
}
