// Texts that are expected: the whole of it, a part of it, a pattern, or none.

/** A string is the whole text; null is no text. */
export type Text = string | RegExp | { readonly contains: string } | null

export const SOME_TEXT: Text = Object.freeze({ contains: '' })

export function isText(wanted: Text, got: string | null | undefined): boolean {
  if (wanted === null || got === null || got === undefined) return wanted === null && (got ?? null) === null
  if (typeof wanted === 'string') return got === wanted
  // Not test(): a pattern with the flag g would remember where it stopped.
  return wanted instanceof RegExp ? got.search(wanted) !== -1 : got.includes(wanted.contains)
}

export function sayText(text: Text | undefined): string {
  if (text === null || text === undefined) return 'none'
  if (typeof text === 'string') return inJson(text)
  if (text instanceof RegExp) return String(text)
  return text.contains === '' ? 'some text' : `text that contains ${inJson(text.contains)}`
}

/** Two texts that differ, from a little before where they do: what is alike before that is left out. */
export function whereTheyDiffer(wanted: Text, got: string | null): readonly [expected: string, got: string] {
  if (typeof wanted !== 'string' || got === null || Math.max(wanted.length, got.length) < LONG)
    return [sayText(wanted), sayText(got)]
  let at = 0
  while (at < wanted.length && wanted[at] === got[at]) at++
  const from = at > BEFORE * 2 ? at - BEFORE : 0
  const part = (text: string) => inJson(from === 0 ? text : `…${text.slice(from)}`)
  return [part(wanted), part(got)]
}

const LONG = 80
const BEFORE = 20
const LONGEST = 2_000

/** On one line, and not longer than a person reads. */
export function inJson(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text
}
