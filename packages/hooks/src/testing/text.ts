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

const LONGEST = 2_000

/** On one line, and not longer than a person reads. */
export function inJson(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text
}
