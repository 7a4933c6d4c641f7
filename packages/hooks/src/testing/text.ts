// Expected texts: the complete text, a part of it, a pattern, or none.

/** A string is the complete text; null means that there is none. */
export type Text = string | RegExp | { readonly contains: string } | null

export const SOME_TEXT: Text = Object.freeze({ contains: '' })

export function matchesText(wanted: Text, got: string | null | undefined): boolean {
  if (wanted === null || got === null || got === undefined) return wanted === null && (got ?? null) === null
  if (typeof wanted === 'string') return got === wanted
  // Not test(): a pattern with the flag g keeps its position between calls.
  return wanted instanceof RegExp ? got.search(wanted) !== -1 : got.includes(wanted.contains)
}

export function describeText(text: Text | undefined): string {
  if (text === null || text === undefined) return 'none'
  if (typeof text === 'string') return toShortJson(text)
  if (text instanceof RegExp) return String(text)
  return text.contains === '' ? 'some text' : `text that contains ${toShortJson(text.contains)}`
}

/** Both texts. Long ones start shortly before the first difference. */
export function describeDifference(
  wanted: Text,
  got: string | null,
): readonly [expected: string, got: string] {
  if (typeof wanted !== 'string' || got === null || Math.max(wanted.length, got.length) < LONG_TEXT)
    return [describeText(wanted), describeText(got)]
  let at = 0
  while (at < wanted.length && wanted[at] === got[at]) at++
  const from = at > CONTEXT * 2 ? at - CONTEXT : 0
  const part = (text: string) => toShortJson(from === 0 ? text : `…${text.slice(from)}`)
  return [part(wanted), part(got)]
}

const LONG_TEXT = 80
const CONTEXT = 20
const MAX_LENGTH = 2_000

/** One line of limited length. */
export function toShortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}… (${text.length} characters)` : text
}
