// The state of a conversation between two calls of the bridge. One file each, replaced under a lock.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { readFile } from '../config/file.js'
import type { SessionMemory } from '../index.js'
import { rewrite } from '../lock.js'
import { isPins, type Pins } from './pins.js'
import { isObject } from './types.js'

export interface ConversationState {
  readonly session: SessionMemory
  /** Why this session is blocked, or null. */
  readonly blocked: string | null
  /** Why the last prompt was blocked, for agents that send it anyway. */
  readonly prompt: string | null
  /** The last follow-up of a hook: an agent may send it like a prompt of the user. */
  readonly followup: string | null
  readonly compactions: number
  /** The end of the session has been sent. */
  readonly ended: boolean
  /** The context of sessionStart, for agents that lose it. */
  readonly context: string | null
  /** The gates of the session. */
  readonly pins: Pins
  /** The pins that were found lost, so that each change is logged once. */
  readonly lost: readonly string[]
  /** Hook files are protected, whatever their settings become. */
  readonly isProtected: boolean
  /** When the session started; null for agents that do not send changes. */
  readonly settings: BridgeSettings | null
}

/** How the settings of the agent call the bridge. */
export interface BridgeSettings {
  /** The entries of Holdfast, as one text. */
  readonly entries: string
  /** The settings that turn them off, and their files. */
  readonly turnedOffBy: readonly string[]
}

/** The state decides what is denied, so a state that cannot be read is not an empty one. */
export class StateError extends Error {}

const MAX_AGE_DAYS = 30
const MAX_BYTES = 64 * 1024 * 1024
/** The names of all states with pins: a state that is deleted is not a new session. */
const INDEX = 'sessions'

export const newState = (now: number): ConversationState => ({
  session: { startedAt: now, generationId: '', loopCounts: {}, variables: [] },
  blocked: null,
  prompt: null,
  followup: null,
  compactions: 0,
  ended: false,
  context: null,
  pins: {},
  lost: [],
  isProtected: false,
  settings: null,
})

export const statesFolder = (home: string, { name }: { readonly name: string }): string =>
  join(home, '.holdfast', 'bridge', name)

/** For an agent whose entries are installed. */
export async function createStates(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  appendFileSync(join(folder, INDEX), '', { mode: 0o600 })
}

/** A folder that is gone was deleted, and the pins of all sessions with it. */
export function requireStates(folder: string): void {
  const index = join(folder, INDEX)
  if (existsSync(index)) return
  throw new StateError(
    `The state of all sessions is missing: ${index}. It was deleted while an agent ran. ${START_NEW}`,
  )
}

/** Undefined if the conversation is new. */
export function loadState(folder: string, id: string): ConversationState | undefined {
  const file = fileOf(folder, id)
  const state = readState(file)
  if (!state && isIndexed(file))
    throw new StateError(`The state of this session was deleted: ${file}. ${START_NEW}`)
  return state
}

/** Undefined if the file does not exist. */
export function readState(file: string): ConversationState | undefined {
  const result = readFile(file, MAX_BYTES)
  if (result.kind === 'absent') return undefined
  if (result.kind !== 'read') {
    const reason = 'reason' in result ? result.reason : 'it is too large'
    throw new StateError(`The state of this session cannot be read: ${file}: ${reason}. ${START_NEW}`)
  }
  try {
    const value: unknown = { ...EARLIER, ...JSON.parse(result.bytes.toString('utf8')) }
    if (isState(value)) return value
  } catch {
    // Not JSON.
  }
  throw new StateError(`The state of this session is damaged: ${file}. ${START_NEW}`)
}

const START_NEW = 'Start a new session.'

/** Fields that states of earlier versions lack. */
const EARLIER = { context: null, pins: {}, lost: [], isProtected: false, settings: null }

function isIndexed(file: string): boolean {
  const index = readFile(join(file, '..', INDEX), MAX_BYTES)
  if (index.kind === 'absent') return false
  // An index that cannot be read may contain the name.
  return index.kind !== 'read' || index.bytes.toString('utf8').split('\n').includes(basename(file))
}

/** Writes only the changes of this call, because other calls may have written in the meantime. */
export async function saveState(
  folder: string,
  id: string,
  before: ConversationState,
  after: ConversationState,
  isNew = false,
): Promise<void> {
  if (!isNew && JSON.stringify(before) === JSON.stringify(after)) return
  const file = fileOf(folder, id)
  await rewrite(file, () => {
    const now = (isNew ? undefined : readState(file)) ?? before
    return JSON.stringify(mergeStates(now, before, after))
  })
  const isPinned = Object.keys(after.pins).length > 0
  if (isPinned && (isNew || Object.keys(before.pins).length === 0) && !isIndexed(file))
    appendFileSync(join(folder, INDEX), `${basename(file)}\n`, { mode: 0o600 })
}

/** Deletes the states of conversations that are a month old. */
export function deleteOldStates(folder: string, now: number): void {
  const oldest = now - MAX_AGE_DAYS * 86_400_000
  const deleted = new Set<string>()
  try {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name)
      if (name === INDEX || statSync(file).mtimeMs >= oldest) continue
      rmSync(file, { force: true })
      deleted.add(name)
    }
    if (deleted.size === 0) return
    const index = join(folder, INDEX)
    const names = readFileSync(index, 'utf8').split('\n')
    writeFileSync(index, names.filter(name => !deleted.has(name)).join('\n'), { mode: 0o600 })
  } catch {
    // The folder or the index does not exist yet, or another process deletes the same files.
  }
}

function mergeStates(
  now: ConversationState,
  before: ConversationState,
  after: ConversationState,
): ConversationState {
  const variables = mergeVariables(now.session.variables, before.session.variables, after.session.variables)
  const session = { ...takeChanges(now.session, before.session, after.session), variables }
  return { ...takeChanges(now, before, after), session, pins: mergePins(now.pins, before.pins, after.pins) }
}

/** Pins that another call removed in the meantime stay removed. */
function mergePins(now: Pins, before: Pins, after: Pins): Pins {
  const removed = Object.keys(before).filter(key => !Object.hasOwn(after, key))
  const kept = Object.entries(takeChanges(now, before, after)).filter(([key]) => !removed.includes(key))
  return Object.fromEntries(kept)
}

/** `now` with the values that differ between `before` and `after`. */
function takeChanges<T extends object>(now: T, before: T, after: T): T {
  const isChanged = ([key, value]: [string, unknown]) =>
    JSON.stringify(before[key as keyof T]) !== JSON.stringify(value)
  return { ...now, ...Object.fromEntries(Object.entries(after).filter(isChanged)) }
}

type Variables = SessionMemory['variables']

function mergeVariables(now: Variables, before: Variables, after: Variables): Variables {
  if (JSON.stringify(before) === JSON.stringify(after)) return now
  const ranks = new Set([...now, ...after].map(({ rank }) => rank))
  const envOf = (all: Variables, rank: number) => all.find(each => each.rank === rank)?.env ?? {}
  return [...ranks].map(rank => {
    const old = envOf(before, rank)
    const changed = Object.entries(envOf(after, rank)).filter(([key, value]) => old[key] !== value)
    return { rank, env: { ...envOf(now, rank), ...Object.fromEntries(changed) } }
  })
}

/** The id comes from the agent: it must not leave the folder, and two ids must not share a file. */
const fileOf = (folder: string, id: string): string =>
  join(folder, `${/^[\w-]{1,100}$/.test(id) ? id : `x${id.length}.${hashOf(id)}`}.json`)

/** FNV-1a: ids are not secrets, and loading node:crypto takes milliseconds. */
function hashOf(text: string): string {
  let sum = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text)) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n)
  return sum.toString(36)
}

function isState(value: unknown): value is ConversationState {
  if (!isObject(value) || !isObject(value.session) || !isPins(value.pins) || !Array.isArray(value.lost))
    return false
  const { startedAt, generationId, loopCounts, variables } = value.session
  return (
    typeof startedAt === 'number' &&
    typeof generationId === 'string' &&
    isObject(loopCounts) &&
    Object.values(loopCounts).every(count => typeof count === 'number') &&
    Array.isArray(variables) &&
    variables.every(each => isObject(each) && typeof each.rank === 'number' && isObject(each.env))
  )
}
