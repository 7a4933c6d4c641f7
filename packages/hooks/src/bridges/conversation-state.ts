// The state of a conversation between two calls of the bridge. One file each, replaced under a lock.

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionMemory } from '../index.js'
import { rewrite } from '../lock.js'
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
}

const MAX_AGE_DAYS = 30

export const newState = (now: number): ConversationState => ({
  session: { startedAt: now, generationId: '', loopCounts: {}, variables: [] },
  blocked: null,
  prompt: null,
  followup: null,
  compactions: 0,
  ended: false,
})

/** Undefined if it is missing or unreadable. */
export function loadState(folder: string, id: string): ConversationState | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(fileOf(folder, id), 'utf8'))
    return isState(value) ? value : undefined
  } catch {
    return undefined
  }
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
  await rewrite(fileOf(folder, id), () => {
    const now = (isNew ? undefined : loadState(folder, id)) ?? before
    return JSON.stringify(mergeStates(now, before, after))
  })
}

/** Deletes the states of conversations that are a month old. */
export function deleteOldStates(folder: string, now: number): void {
  const oldest = now - MAX_AGE_DAYS * 86_400_000
  try {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name)
      if (statSync(file).mtimeMs < oldest) rmSync(file, { force: true })
    }
  } catch {
    // The folder does not exist yet, or another process deletes the same files.
  }
}

function mergeStates(
  now: ConversationState,
  before: ConversationState,
  after: ConversationState,
): ConversationState {
  const pick = <T>(current: T, old: T, next: T): T =>
    JSON.stringify(old) === JSON.stringify(next) ? current : next
  return {
    session: {
      startedAt: pick(now.session.startedAt, before.session.startedAt, after.session.startedAt),
      generationId: pick(now.session.generationId, before.session.generationId, after.session.generationId),
      loopCounts: pick(now.session.loopCounts, before.session.loopCounts, after.session.loopCounts),
      variables: mergeVariables(now.session.variables, before.session.variables, after.session.variables),
    },
    blocked: pick(now.blocked, before.blocked, after.blocked),
    prompt: pick(now.prompt, before.prompt, after.prompt),
    followup: pick(now.followup, before.followup, after.followup),
    compactions: pick(now.compactions, before.compactions, after.compactions),
    ended: pick(now.ended, before.ended, after.ended),
  }
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
  if (!isObject(value) || !isObject(value.session)) return false
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
