// What one document may cost in the record, and what was altered in it.

/** What may be stored of one document in all; the string that goes over it is the last. */
const MAX_CHARACTERS = 64 * 1024
/** Marks may be shorter or longer than what they stand for, so this much of any text is not counted. */
const FREE_CHARACTERS = 40
const MAX_NODES = 5000
const MAX_NOTES = 50
export const MAX_ITEMS = 1000
export const MAX_DEPTH = 20

export interface State {
  readonly notes: string[]
  readonly parents: object[]
  nodes: number
  characters: number
  changed: boolean
  /** How many strings of JSON this document stands in. */
  readonly level: number
}

export const newState = (level: number): State => ({
  notes: [],
  parents: [],
  nodes: 0,
  characters: 0,
  changed: false,
  level,
})

export function note(state: State, at: string, what: string): void {
  state.changed = true
  if (state.notes.length < MAX_NOTES) state.notes.push(`${at}: ${what}`)
  else if (state.notes.length === MAX_NOTES) state.notes.push('… and more')
}

export function changed<T>(state: State, at: string, what: string, value: T): T {
  note(state, at, what)
  return value
}

export function count(state: State, text: string): void {
  if (text.length > FREE_CHARACTERS) state.characters += text.length - FREE_CHARACTERS
}

/** Counts one more value, and says whether there was still room for it. */
export const isFull = (state: State): boolean =>
  ++state.nodes > MAX_NODES || state.characters >= MAX_CHARACTERS

export const thousands = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
