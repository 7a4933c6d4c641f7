// An admin action as received, with the current names of its objects.

import type { AdminAction, CalledToday } from '@holdfast/team/messages'
import { line } from '../../../words/plain.js'

export type ActionFields = Readonly<Record<string, unknown>>

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

/** An object by its name, and by its id in the audit log, safe to show. */
export interface Thing {
  readonly text: string
  /** Empty: the name is sufficient. */
  readonly id: string
}

const LONG = 16

/** The name at that time, or the current one; without either the beginning of the id. */
export function thing(id: string, ...names: readonly unknown[]): Thing {
  const name = names.find(each => typeof each === 'string' && each !== '')
  const text = line(typeof name === 'string' ? name : id.length > LONG ? `${id.slice(0, 8)}…` : id)
  return { text, id: text === id ? '' : line(id) }
}

/** A name without an id: a group, a ring, an address. It is not shortened. */
export const named = (name: string): Thing => thing(name, name)

/** The actor. Two members can choose the same name, so the email address follows it. */
export function whoIn({ actor, action, names, detailJson }: Told): Thing & { readonly beside: string } {
  if (actor === 'server') return { text: 'The server', id: '', beside: '' }
  if (actor === 'nobody') return { text: 'An unauthenticated caller', id: '', beside: '' }
  if (actor.startsWith('device ')) {
    const id = actor.slice('device '.length)
    const own = action.startsWith('device.') ? fieldsIn(detailJson).name : undefined
    return { ...thing(id, own, names.get(`device ${id}`)), beside: 'device' }
  }
  const name = names.get(`member ${actor}`)
  return { ...thing(actor, name, actor), beside: name ? line(actor) : '' }
}

export function fieldsIn(json: string): ActionFields {
  try {
    const value: unknown = JSON.parse(json)
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

export const isFields = (value: unknown): value is ActionFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
