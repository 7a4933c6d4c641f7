// Finds the ends of constructs in shell text. Each function throws if there is none.

/** The end of the line, or of the text. */
export const ends = (text: string, sign: string, from: number) => {
  const at = text.indexOf(sign, from)
  return at < 0 ? text.length : at
}

/** The closing quote. A character of `skips` escapes the next one. */
export function closing(text: string, sign: string, from: number, skips = ''): number {
  for (let at = from; at < text.length; at++) {
    if (skips !== '' && text[at] === skips) at++
    else if (text[at] === sign) return at
  }
  throw new Error('a quote is not closed')
}

/** The bracket that closes the one at `from`, skipping quoted text. */
export function bracket(text: string, from: number): number {
  const open = text[from]!
  const close = open === '(' ? ')' : '}'
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (sign === '\\') at++
    else if (sign === "'") at = closing(text, "'", at + 1)
    else if (sign === '"') at = doubleEnd(text, at + 1)
    else if (sign === open) depth++
    else if (sign === close && --depth === 0) return at
  }
  throw new Error('a bracket is not closed')
}

/** The end of a double-quoted text, which may contain commands with their own quotes. */
function doubleEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') return at
    if (sign === '\\') at++
    else if (sign === '`') at = closing(text, '`', at + 1, '\\')
    else if (sign === '$' && /[({]/.test(text[at + 1] ?? '')) at = bracket(text, at + 1)
  }
  throw new Error('a quote is not closed')
}
