// What a conversation remembers between two calls of the bridge: one file each, written whole, by one process at a time.

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionMemory } from '../index.js'
import { rewrite } from '../lock.js'
import { isObject } from './shape.js'

export interface Memory {
  readonly session: SessionMemory
  /** Why this session must not go on; null when it may. */
  readonly blocked: string | null
  /** Why the last prompt was blocked, for agents that send it all the same. */
  readonly prompt: string | null
  /** The follow-up that a hook wanted last: an agent may send it as if the person had. */
  readonly followup: string | null
  readonly compactions: number
  /** Its end was told. */
  readonly ended: boolean
}

const KEPT_DAYS = 30

export const fresh = (now: number): Memory => ({
  session: { startedAt: now, generationId: '', loopCounts: {}, variables: [] },
  blocked: null,
  prompt: null,
  followup: null,
  compactions: 0,
  ended: false,
})

/** Undefined when there is none, or none that can be read. */
export function recall(folder: string, id: string): Memory | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(fileOf(folder, id), 'utf8'))
    return isMemory(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Only what this call changed is written over what other calls have written in the meantime. */
export async function remember(
  folder: string,
  id: string,
  before: Memory,
  after: Memory,
  isNew = false,
): Promise<void> {
  if (!isNew && JSON.stringify(before) === JSON.stringify(after)) return
  await rewrite(fileOf(folder, id), () => {
    const now = (isNew ? undefined : recall(folder, id)) ?? before
    return JSON.stringify(merged(now, before, after))
  })
}

/** Conversations that nobody went on with for a month. */
export function forgetOld(folder: string, now: number): void {
  const oldest = now - KEPT_DAYS * 86_400_000
  try {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name)
      if (statSync(file).mtimeMs < oldest) rmSync(file, { force: true })
    }
  } catch {
    // there is no folder yet, or somebody else is at it
  }
}

function merged(now: Memory, before: Memory, after: Memory): Memory {
  const pick = <T>(current: T, old: T, next: T): T =>
    JSON.stringify(old) === JSON.stringify(next) ? current : next
  return {
    session: {
      startedAt: pick(now.session.startedAt, before.session.startedAt, after.session.startedAt),
      generationId: pick(now.session.generationId, before.session.generationId, after.session.generationId),
      loopCounts: pick(now.session.loopCounts, before.session.loopCounts, after.session.loopCounts),
      variables: joinedVariables(now.session.variables, before.session.variables, after.session.variables),
    },
    blocked: pick(now.blocked, before.blocked, after.blocked),
    prompt: pick(now.prompt, before.prompt, after.prompt),
    followup: pick(now.followup, before.followup, after.followup),
    compactions: pick(now.compactions, before.compactions, after.compactions),
    ended: pick(now.ended, before.ended, after.ended),
  }
}

type Variables = SessionMemory['variables']

function joinedVariables(now: Variables, before: Variables, after: Variables): Variables {
  if (JSON.stringify(before) === JSON.stringify(after)) return now
  const ranks = new Set([...now, ...after].map(({ rank }) => rank))
  const envOf = (all: Variables, rank: number) => all.find(each => each.rank === rank)?.env ?? {}
  return [...ranks].map(rank => {
    const old = envOf(before, rank)
    const changed = Object.entries(envOf(after, rank)).filter(([key, value]) => old[key] !== value)
    return { rank, env: { ...envOf(now, rank), ...Object.fromEntries(changed) } }
  })
}

/** An id is the other agent's word: it must not lead out of the folder, and two must not meet in one file. */
const fileOf = (folder: string, id: string): string =>
  join(folder, `${/^[\w-]{1,100}$/.test(id) ? id : `x${id.length}.${sumOf(id)}`}.json`)

/** FNV-1a. Ids are not secrets, and node:crypto takes milliseconds to load. */
function sumOf(text: string): string {
  let sum = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text)) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n)
  return sum.toString(36)
}

function isMemory(value: unknown): value is Memory {
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
