// Where in a shell's text something ends. Each throws when it does not.

/** Where the line ends, or the text. */
export const ends = (text: string, sign: string, from: number) => {
  const at = text.indexOf(sign, from)
  return at < 0 ? text.length : at
}

/** The quote that closes. `skips` takes the sign after it away from its meaning. */
export function closing(text: string, sign: string, from: number, skips = ''): number {
  for (let at = from; at < text.length; at++) {
    if (skips !== '' && text[at] === skips) at++
    else if (text[at] === sign) return at
  }
  throw new Error('a quote is not closed')
}

/** The bracket that closes the one at `from`; quotes inside are stepped over. */
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

/** The end of a double-quoted text, which may hold commands with quotes of their own. */
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
