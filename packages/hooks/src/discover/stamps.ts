// A stamp tells without reading whether a file is still the one that was read.

import { type BigIntStats, statSync } from 'node:fs'

export const ABSENT = 'absent'

export const stampOf = (stats: BigIntStats): string =>
  `${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}-${stats.ino}`

/** Undefined when there is nothing, or nothing that can be looked at. */
export const statOf = (path: string): BigIntStats | undefined => {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

export const currentStamp = (path: string): string => {
  const stats = statOf(path)
  return stats ? stampOf(stats) : ABSENT
}

// Between reading a file and beginning to watch it there is a moment in which it can change. So each reading
// leaves its stamp here, and who watches compares with what was read, not with what is there when it begins.
const whenRead = new Map<string, string>()

export const rememberReading = (path: string, stats: BigIntStats | undefined): void => {
  whenRead.set(path, stats ? stampOf(stats) : ABSENT)
}

/** The same reading under another name: of the same file, through a link that may lead elsewhere by now. */
export const rememberUnder = (name: string, path: string): void => {
  whenRead.set(name, whenRead.get(path) ?? ABSENT)
}

export const stampWhenRead = (path: string): string => whenRead.get(path) ?? currentStamp(path)
