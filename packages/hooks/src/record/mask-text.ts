// One string: masked, and cut to the size limit of a record. Masking repeats until nothing changes, so that a second
// pass has no effect.

import { maskKeyed, mayHoldKeys } from './secret-keys.js'
import { mark, maskShapes } from './secret-patterns.js'

export const MAX_STRING = 16 * 1024
/** The searched prefix of a long string: enough for a complete secret that begins before the cut. */
export const WINDOW = 20 * 1024

/** Redacts the text of a JSON document; returns the same text if nothing changes. */
export type JsonMasker = (text: string, what: Set<string>) => string

/** Masks and cuts until nothing changes; adds the reasons to `what`. */
export function settle(text: string, what: Set<string>, maskJson: JsonMasker | null): string {
  let out = text
  if (text.length > WINDOW) {
    // A slice would keep all of a long string in memory for as long as the record lives.
    out = Buffer.from(text.slice(0, WINDOW)).toString()
    out = withoutTail(maskOnce(out, what, maskJson))
    what.add(`cut at ${MAX_STRING} characters`)
  }
  for (let round = 0; round < 8; round++) {
    const next = maskOnce(out, what, maskJson)
    if (next === out && out.length <= MAX_STRING) return out
    out = next
    if (next.length > MAX_STRING) {
      out = cut(next, MAX_STRING)
      what.add(`cut at ${MAX_STRING} characters`)
    }
  }
  return mark('text')
}

function maskOnce(text: string, what: Set<string>, maskJson: JsonMasker | null): string {
  const found = (kind: string) => what.add(`secret (${kind})`)
  const hasKeys = mayHoldKeys(text)
  // An escape can hide a name from a search in the text.
  const isJson = maskJson !== null && looksLikeJson(text) && (hasKeys || text.includes('\\u00'))
  const out = maskShapes(isJson ? maskJson(text, what) : text, found)
  return hasKeys || out !== text ? maskKeyed(out, found) : out
}

/**
 * The end of a window may hold the beginning of a secret that was not recognised without its rest. A mark that replaced
 * a long secret is safe, so the text is kept at least up to it.
 */
function withoutTail(masked: string): string {
  const safe = Math.max(0, masked.length - (WINDOW - MAX_STRING))
  const last = masked.lastIndexOf('[secret: ')
  const lastEnd = last === -1 ? 0 : masked.indexOf(']', last) + 1
  return cut(masked, Math.max(safe, lastEnd))
}

/** Never inside a mark or a surrogate pair. */
function cut(text: string, length: number): string {
  let end = Math.min(length, text.length)
  const last = text.lastIndexOf('[secret: ', end)
  if (last !== -1 && last < end && text.indexOf(']', last) >= end && end - last < 40) end = last
  if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--
  return text.slice(0, end)
}

const looksLikeJson = (text: string): boolean =>
  /^\s{0,100}[[{]/.test(text) && /[\]}]\s{0,100}$/.test(text.slice(-101))
