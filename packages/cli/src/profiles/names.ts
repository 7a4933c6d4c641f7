// Versions as users name them: "all", lists with commas, and ranges such as "1.7 to 2.3".

import { PROFILE_NAMES, type ProfileName } from '@holdfast/hooks/protocol'
import { oneOf } from '../arguments.js'
import { UsageError } from '../usage-error.js'

export const TODAY: ProfileName = 'holdfast'

/** Oldest first, the default profile last. */
export const IN_ORDER: readonly ProfileName[] = [...PROFILE_NAMES.filter(name => name !== TODAY), TODAY]

/** `all`, or names with commas between them, each once. */
export function profilesOf(words: string): readonly ProfileName[] {
  if (words.trim() === 'all') return IN_ORDER
  const named = words
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '')
  if (named.length === 0)
    throw new UsageError(`--profile "${words}" is not a profile. Known: all, ${IN_ORDER.join(', ')}.`)
  return [...new Set(named.map(word => oneOf('profile', word, PROFILE_NAMES)))]
}

/** `2.3` for `cursor-2.3`: in tables, where every column or row is a version. */
export const versionName = (name: string): string => name.replace(/^cursor-/, '')

/** "1.7 to 2.3", "2.1 and 3", "every version". */
export function rangeOf(names: readonly ProfileName[]): string {
  const places = [...new Set(names.map(name => IN_ORDER.indexOf(name)))].sort((a, b) => a - b)
  if (places.length === IN_ORDER.length) return 'every version'
  const runs: number[][] = []
  for (const place of places) {
    const last = runs.at(-1)
    // The default profile does not continue the series of versions.
    const goesOn = last?.at(-1) === place - 1 && IN_ORDER[place] !== TODAY
    if (last && goesOn) last.push(place)
    else runs.push([place])
  }
  const said = runs.flatMap(run => (run.length > 2 ? [`${at(run[0]!)} to ${at(run.at(-1)!)}`] : run.map(at)))
  return said.length < 2 ? (said[0] ?? '') : `${said.slice(0, -1).join(', ')} and ${said.at(-1)}`
}

const at = (place: number): string => versionName(IN_ORDER[place]!)
