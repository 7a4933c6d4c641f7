// Patterns of the shell for names: `*`, `?` and `[…]`.

/** Undefined if it is no valid pattern. `*` and `?` stop at `/`. */
export function patternOf(pattern: string): RegExp | undefined {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
    .replaceAll('[!', '[^')
  try {
    return new RegExp(`^${source}$`)
  } catch {
    return undefined
  }
}

export const isPattern = (text: string): boolean => /[*?]|\[.+\]/.test(text)
