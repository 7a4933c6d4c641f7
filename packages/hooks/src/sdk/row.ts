// What the SDK knows of an event; rows.ts is made from the table.

import type { EventRow } from '../protocol/event-row.js'

export type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'string or null'

export interface Row {
  readonly gate: EventRow['gate']
  readonly ask: EventRow['ask']
  /** Fields of an answer. */
  readonly answer: readonly string[]
  /** Fields that must be there. */
  readonly required?: readonly string[]
  /** What the handler sees where the host said nothing. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /** What each field of its own is. */
  readonly kinds?: Readonly<Record<string, Kind>>
  /** Whether it carries the ids of a conversation. */
  readonly conversation: boolean
  /** Other spelling → today's. */
  readonly accepts?: Readonly<Record<string, string>>
  /** By version: the field that carries another one's value there. */
  readonly inVersion?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** By version: the fields that it sends in seconds. */
  readonly seconds?: Readonly<Record<string, readonly string[]>>
  /** Versions that read `decision` and `reason`. */
  readonly decision?: readonly string[]
}

/** The fields that every event has, and every event of a conversation. */
export interface Common {
  readonly always: Readonly<Record<string, Kind | `optional ${Kind}`>>
  readonly conversation: Readonly<Record<string, Kind | `optional ${Kind}`>>
}
