const whole = new Intl.NumberFormat('en-GB')

/** 48,210 */
export const figure = (value: number): string => whole.format(value)

/** 950, 12k, 3.4M: where there is little room. */
export function rough(value: number): string {
  if (value < 1000) return String(value)
  if (value < 1_000_000)
    return `${value < 10_000 ? (value / 1000).toFixed(1).replace('.0', '') : Math.floor(value / 1000)}k`
  return `${(value / 1_000_000).toFixed(1).replace('.0', '')}M`
}

/** 1 hook, 3 hooks */
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${figure(value)} ${value === 1 ? one : many}`

/** 0.4 %, 12 % */
export const percent = (part: number): string => {
  const value = part * 100
  return `${value >= 10 ? Math.round(value) : Number(value.toFixed(1))} %`
}

const KB = 1024
const MB = KB * KB

/** 950 bytes, 256 KB, 5.0 MB */
export function bytes(value: number): string {
  if (value < KB) return count(value, 'byte')
  return value < MB ? `${Math.round(value / KB)} KB` : `${(value / MB).toFixed(1)} MB`
}
