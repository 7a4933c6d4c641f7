// Finds values in a prompt that must not be there. Messages name their kind and never repeat them.

export interface Pattern {
  readonly name: string
  readonly regex: RegExp
  /** The number of different values that must occur before it counts. */
  readonly atLeast: number
  readonly check: ((text: string) => boolean) | undefined
}

/** One reason for each kind of finding, with its place. */
export function search(prompt: string, patterns: readonly Pattern[]): string[] {
  // Invisible characters must not hide a value.
  const text = prompt.normalize('NFKC').replace(/\p{Cf}/gu, '')
  return patterns.flatMap(({ name, regex, atLeast, check }) => {
    const found = [...text.matchAll(regex)].filter(([match]) => check?.(match) ?? true)
    const kinds = new Set(found.map(([match]) => match))
    if (kinds.size < atLeast) return []
    const places = [...new Set(found.map(({ index }) => `line ${lineOf(text, index)}`))]
    const where = places.length > 3 ? `${places.slice(0, 3).join(', ')} ...` : places.join(', ')
    const which = atLeast > 1 ? `${kinds.size} of them` : masked(found[0]![0])
    return [`${name} (${which}), ${where}`]
  })
}

/** Enough to find the value, too little to use it. */
const masked = (text: string) => `${text.slice(0, 4).replace(/\s/g, ' ')}..., ${text.length} characters`

const lineOf = (text: string, index: number) => text.slice(0, index).split('\n').length

export const CHECKS = {
  /** Luhn checksum: nine out of ten numbers that only look like a card fail it. */
  card: (text: string): boolean => {
    const digits = [...text.replace(/\D/g, '')].reverse().map(Number)
    const sum = digits.reduce((total, digit, at) => {
      const value = at % 2 === 1 ? digit * 2 : digit
      return total + (value > 9 ? value - 9 : value)
    }, 0)
    return sum % 10 === 0 && new Set(digits).size > 1
  },
  /**
   * IBAN checksum: the first four characters move to the end, letters become numbers, and the remainder modulo 97 is
   * 1.
   */
  iban: (text: string): boolean => {
    const plain = text.replace(/ /g, '')
    const digits = `${plain.slice(4)}${plain.slice(0, 4)}`.replace(/[A-Z]/g, letter =>
      String(letter.charCodeAt(0) - 55),
    )
    return BigInt(digits) % 97n === 1n
  },
}
