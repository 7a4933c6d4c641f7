// Where something stands in a prompt that must not be there. It is named, and never repeated.

export interface Pattern {
  readonly name: string
  readonly regex: RegExp
  /** So many different ones before it counts. */
  readonly atLeast: number
  readonly check: ((text: string) => boolean) | undefined
}

/** One reason for each thing that was found, with its place. */
export function search(prompt: string, patterns: readonly Pattern[]): string[] {
  // Characters that nobody sees do not hide anything.
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

/** Enough to find it, too little to use it. */
const masked = (text: string) => `${text.slice(0, 4).replace(/\s/g, ' ')}..., ${text.length} characters`

const lineOf = (text: string, index: number) => text.slice(0, index).split('\n').length

export const CHECKS = {
  /** Luhn: numbers that only look like a card fail it nine times of ten. */
  card: (text: string): boolean => {
    const digits = [...text.replace(/\D/g, '')].reverse().map(Number)
    const sum = digits.reduce((total, digit, at) => {
      const value = at % 2 === 1 ? digit * 2 : digit
      return total + (value > 9 ? value - 9 : value)
    }, 0)
    return sum % 10 === 0 && new Set(digits).size > 1
  },
  /** The first four go to the end, letters become numbers, and the rest of a division by 97 is 1. */
  iban: (text: string): boolean => {
    const plain = text.replace(/ /g, '')
    const digits = `${plain.slice(4)}${plain.slice(0, 4)}`.replace(/[A-Z]/g, letter =>
      String(letter.charCodeAt(0) - 55),
    )
    return BigInt(digits) % 97n === 1n
  },
}
