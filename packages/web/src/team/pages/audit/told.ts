// An admin action as it came, with what those that it names are called.

import type { AdminAction, CalledToday } from '@holdfast/team/messages'
import { line } from '../../../words/plain.js'

export type Fields = Readonly<Record<string, unknown>>

export interface Told {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detailJson: string
  readonly hash: string
  readonly prev: string
  readonly names: Names
}

export type Kind = 'device' | 'member' | 'hook' | 'enrolment-key' | 'team'
export type Names = ReadonlyMap<string, string>

export function toldOf(actions: readonly AdminAction[], names: readonly CalledToday[]): Told[] {
  const called: Names = new Map(names.map(({ kind, id, name }) => [`${kind} ${id}`, name]))
  return actions.map(({ seq, at, actor, action, subject, detailJson, hash, prev }) => ({
    id: String(seq),
    at,
    actor,
    action,
    subject,
    detailJson,
    hash,
    prev,
    names: called,
  }))
}

/** Something by its name, and by what it is in the chain: safe to be shown. */
export interface Thing {
  readonly text: string
  /** Empty: the name says it all. */
  readonly id: string
}

const LONG = 16

/** The name of its day, or the one of today; without either the beginning of the id. */
export function thing(id: string, ...names: readonly unknown[]): Thing {
  const name = names.find(each => typeof each === 'string' && each !== '')
  const text = line(typeof name === 'string' ? name : id.length > LONG ? `${id.slice(0, 8)}…` : id)
  return { text, id: text === id ? '' : line(id) }
}

/** What is called by nothing else: a group, a ring, an address. It stays whole. */
export const named = (name: string): Thing => thing(name, name)

/** Who did it. Names of people are free to choose and may be alike, so the address stands beside. */
export function whoIn({ actor, action, names, detailJson }: Told): Thing & { readonly beside: string } {
  if (actor === 'server') return { text: 'The server', id: '', beside: '' }
  if (actor === 'nobody') return { text: 'Nobody who is known', id: '', beside: '' }
  if (actor.startsWith('device ')) {
    const id = actor.slice('device '.length)
    const own = action.startsWith('device.') ? fieldsIn(detailJson).name : undefined
    return { ...thing(id, own, names.get(`device ${id}`)), beside: 'device' }
  }
  const name = names.get(`member ${actor}`)
  return { ...thing(actor, name, actor), beside: name ? line(actor) : '' }
}

export function fieldsIn(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json)
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
