// A stamp shows without reading whether a file is still the one that was read.

import { type BigIntStats, statSync } from 'node:fs'

export const ABSENT = 'absent'

export const stampOf = (stats: BigIntStats): string =>
  `${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}-${stats.ino}`

/**
 * The stamp of a file that is about to be read. If the file changed a moment ago, it could change again without a new
 * stamp, because file systems count time in steps. Its stamp then equals no current one, so that it is read again until
 * it is old enough.
 */
export const readStamp = (stats: BigIntStats | undefined): string => {
  if (!stats) return ABSENT
  const { ctimeNs, mtimeNs } = stats
  const newest = [ctimeNs, mtimeNs].sort((a, b) => (a < b ? 1 : -1))[0]!
  const step = newest % 1_000_000_000n === 0n ? COARSE_STEP_NS : STEP_NS
  const isYoung = BigInt(Date.now()) * 1_000_000n - newest < step
  return isYoung ? `${YOUNG}${stampOf(stats)}` : stampOf(stats)
}

const YOUNG = 'young '

/** Without the mark of a young file, for a moment when nothing can be read again. */
export const ageless = (stamp: string): string =>
  stamp.startsWith(YOUNG) ? stamp.slice(YOUNG.length) : stamp

/** Twice the clock tick of common kernels; whole seconds where the file system counts in seconds or pairs of them. */
const STEP_NS = 20_000_000n
const COARSE_STEP_NS = 3_000_000_000n

/** Undefined if there is nothing, or nothing that can be examined. */
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

// A file can change between being read and being watched. Each reading leaves its stamp here, and a watcher compares
// with what was read, not with what is there when it begins.
const whenRead = new Map<string, string>()
const MOST_READINGS = 20_000

export const rememberStamp = (path: string, stamp: string): void => {
  whenRead.delete(path)
  whenRead.set(path, stamp)
  if (whenRead.size > MOST_READINGS) whenRead.delete(whenRead.keys().next().value!)
}

export const rememberReading = (path: string, stats: BigIntStats | undefined): void =>
  rememberStamp(path, stats ? stampOf(stats) : ABSENT)

/** The same reading under another name: of the same file, through a link that may lead elsewhere by now. */
export const rememberUnder = (name: string, path: string): void =>
  rememberStamp(name, whenRead.get(path) ?? ABSENT)

export const stampWhenRead = (path: string): string => whenRead.get(path) ?? currentStamp(path)
