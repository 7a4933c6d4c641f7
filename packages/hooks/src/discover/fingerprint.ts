// What a hook is, as one number: its definition and the bytes of the scripts that it names. Trust hangs on it,
// so moving or formatting an entry changes nothing, and one byte of a script changes all.

import type { BigIntStats } from 'node:fs'
import { relative, sep } from 'node:path'
import type { HookDefinition, Script } from '../protocol/config.js'
import type { Draft } from './draft.js'
import { sha256 } from './hash.js'
import { matcherText } from './matcher.js'
import { readFile } from './read.js'
import { ABSENT, stampOf, statOf } from './stamps.js'

/** A file that stands where a script should, as it was when it was looked at. */
export interface ScriptFile extends Script {
  readonly exists: boolean
  readonly isExecutable: boolean
  /** Of the bytes; of size and times when there are too many; empty when there is no file, or nobody asked. */
  readonly digest: string
}

const LARGEST = 8 * 1024 * 1024

/** `hashed`: the bytes matter, because trust or a manifest hangs on them. Otherwise a look at the entry will do. */
export type LookAt = (path: string, hashed: boolean) => ScriptFile

/** Many entries name the same script: each file is looked at once. */
export function openScripts(): LookAt {
  const seen = { read: new Map<string, ScriptFile>(), glanced: new Map<string, ScriptFile>() }
  return (path, hashed) => {
    const known = hashed ? seen.read : seen.glanced
    let script = known.get(path)
    if (!script) {
      script = hashed ? look(path) : glance(path)
      known.set(path, script)
    }
    return script
  }
}

function glance(path: string): ScriptFile {
  const stats = statOf(path)
  if (!stats?.isFile()) return { path, stamp: ABSENT, exists: false, isExecutable: false, digest: '' }
  return { path, stamp: stampOf(stats), exists: true, isExecutable: isExecutable(stats), digest: '' }
}

function look(path: string): ScriptFile {
  const result = readFile(path, LARGEST)
  if (result.kind === 'read' || result.kind === 'too-large') {
    const { stats } = result
    const bytes = result.kind === 'read' ? result.bytes : `${stats.size} ${stats.mtimeNs} ${stats.ino}`
    return {
      path,
      stamp: stampOf(stats),
      exists: true,
      isExecutable: isExecutable(stats),
      digest: sha256(bytes),
    }
  }
  // A program may be allowed to run and not to be read.
  const stats = result.kind === 'unreadable' ? statOf(path) : undefined
  if (!stats?.isFile()) return { path, stamp: ABSENT, exists: false, isExecutable: false, digest: '' }
  const stamp = stampOf(stats)
  return { path, stamp, exists: true, isExecutable: isExecutable(stats), digest: sha256(stamp) }
}

export function fingerprintOf(
  draft: Draft,
  dialect: HookDefinition['dialect'],
  root: string,
  scripts: readonly ScriptFile[],
): string {
  const definition = [
    draft.event,
    draft.type,
    draft.command ?? null,
    draft.prompt ?? null,
    draft.model ?? null,
    matcherText(draft.matcher),
    draft.timeoutMs,
    draft.failClosed ?? null,
    draft.loopLimit,
    dialect,
  ]
  const files = scripts
    .filter(script => script.exists)
    .map(script => [fromRoot(root, script.path), script.digest])
  return sha256(JSON.stringify([definition, files]))
}

/** The same on every machine that has the project, wherever it lies. */
const fromRoot = (root: string, path: string): string =>
  (path.startsWith(root + sep) ? path.slice(root.length + 1) : relative(root, path)).replaceAll(sep, '/')

/** Cheap enough to ask right before a run: have the scripts changed since they were hashed? */
export function isUnchanged(hook: HookDefinition): boolean {
  return hook.scripts.every(({ path, stamp }) => {
    const stats = statOf(path)
    return (stats?.isFile() ? stampOf(stats) : ABSENT) === stamp
  })
}

/** By the bits, as the administrator passes every access check. */
const isExecutable = (stats: BigIntStats) => (stats.mode & 0o111n) !== 0n
