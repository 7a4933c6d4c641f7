// The row of an event in rows.ts, which is generated from the event table.

import type { EventRow } from '../protocol/event-row.js'

export type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'string or null'

export interface Row {
  readonly gate: EventRow['gate']
  readonly ask: EventRow['ask']
  /** Fields of a response. */
  readonly answer: readonly string[]
  /** Fields that a payload must have. */
  readonly required?: readonly string[]
  /** Values of fields that the host leaves out. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /** Types of the fields that only this event has. */
  readonly kinds?: Readonly<Record<string, Kind>>
  /** Whether the payload has the ids of a conversation. */
  readonly conversation: boolean
  /** Old name → current name. */
  readonly accepts?: Readonly<Record<string, string>>
  /** By version: old name → current name. */
  readonly inVersion?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** By version: fields that it sends in seconds. */
  readonly seconds?: Readonly<Record<string, readonly string[]>>
  /** Versions that read `decision` and `reason`. */
  readonly decision?: readonly string[]
}

/** The fields of every event, and of every event of a conversation. */
export interface Common {
  readonly always: Readonly<Record<string, Kind | `optional ${Kind}`>>
  readonly conversation: Readonly<Record<string, Kind | `optional ${Kind}`>>
}
