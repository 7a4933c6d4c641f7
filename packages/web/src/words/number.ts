import { perLocale } from './locale.js'

const integers = perLocale(locale => new Intl.NumberFormat(locale))
const compact = perLocale(
  locale => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }),
)
const decimals = [0, 1, 2].map(digits =>
  perLocale(locale => new Intl.NumberFormat(locale, { maximumFractionDigits: digits })),
)

const fixedDecimals = [0, 1, 2].map(digits =>
  perLocale(
    locale => new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  ),
)

/** 48,210 */
export const figure = (value: number): string => integers().format(value)

/** 950, 12.3K, 3.4M: where space is scarce. */
export const rough = (value: number): string => compact().format(value)

/** 0.42, 1.2, 18: with at most this many digits after the point. */
export const decimal = (value: number, digits: 0 | 1 | 2): string => decimals[digits]!().format(value)

/** 1.20, 5.00: with exactly this many, for comparison in a column. */
export const fixed = (value: number, digits: 0 | 1 | 2): string => fixedDecimals[digits]!().format(value)

/** 1 hook, 3 hooks */
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${figure(value)} ${value === 1 ? one : many}`

/** 0.4 %, 12 % */
export const percent = (part: number): string => {
  const value = part * 100
  return `${decimal(value, value >= 10 ? 0 : 1)} %`
}

const KB = 1024
const MB = KB * KB

/** 950 bytes, 256 KB, 5.0 MB */
export function bytes(value: number): string {
  if (value < KB) return count(value, 'byte')
  return value < MB ? `${decimal(value / KB, 0)} KB` : `${fixed(value / MB, 1)} MB`
}
