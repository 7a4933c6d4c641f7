// The targets of a case: a function, an SDK program, a command, or all hooks of a workspace.

import { statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { HooksError } from '../index.js'
import type { EventName } from '../protocol/events.js'
import type { Payload } from '../protocol/payload.js'

export type Handler<E extends EventName> = (payload: Payload<E>) => unknown

/** The part of the result of `hook()` that a case uses. */
export interface Program {
  respondTo(text: string): Promise<{ response: object; problem: string | null }>
}

/** The keys of an entry in hooks.json besides its command. */
export interface ScriptEntry {
  matcher?: string
  /** Seconds. */
  timeout?: number
  failClosed?: boolean
  loop_limit?: number | null
}

export interface Script {
  readonly kind: 'script'
  readonly command: string
  readonly entry: ScriptEntry
}

export interface HooksJson {
  readonly kind: 'hooks.json'
  /** Its workspace. */
  readonly root: string
}

export type Target<E extends EventName> = Handler<E> | Program | Script | HooksJson

/** A command as in hooks.json. */
export const script = (command: string, entry: ScriptEntry = {}): Script => ({
  kind: 'script',
  command,
  entry,
})

/** All hooks of a workspace: its folder, its .cursor folder or its .cursor/hooks.json. */
export function hooksJson(path: string): HooksJson {
  const full = resolve(path)
  const stats = statSync(full, { throwIfNoEntry: false })
  if (!stats) throw new HooksError('use/bad-option', `hooksJson: ${full} does not exist.`)
  const folder = stats.isDirectory() ? full : dirname(full)
  if (basename(folder) === '.cursor') return { kind: 'hooks.json', root: dirname(folder) }
  if (stats.isDirectory()) return { kind: 'hooks.json', root: full }
  throw new HooksError(
    'use/bad-option',
    `hooksJson: ${full} is not in a .cursor folder, so no agent would read it.`,
  )
}

export const isProgram = (target: unknown): target is Program =>
  (typeof target === 'object' || typeof target === 'function') &&
  target !== null &&
  typeof (target as Program).respondTo === 'function'

/** For messages. */
export function nameOf(target: Target<never>): string {
  if (typeof target === 'function') return target.name || 'a function'
  if (isProgram(target)) return 'a hook program'
  return target.kind === 'script' ? target.command : target.root
}
