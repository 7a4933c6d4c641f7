// What hooks.json must read when these packs are in it. As long as it is as we left it, it is made anew from what it
// was before us; what somebody has changed since is edited instead.

import { type Before, textOf } from '../edit/change.js'
import type { Pack } from '../edit/journal.js'
import { emptyFile, isSameProgram, withEntries } from '../init/hooks-file.js'
import { type Ours, withoutEntries } from '../install/entries.js'
import { type Known, originOf, oursAmong } from './record.js'

export interface Settled {
  /** Null when there shall be no file. */
  readonly after: Before | null
  /** What it would be without us. */
  readonly origin: Before | null
}

export function settled(
  path: string,
  now: Before | undefined,
  packs: readonly Pack[],
  known: Known,
  schema: string,
): Settled {
  const origin = known.records.length === 0 ? (now ?? null) : originOf(known, path, now)
  if (origin !== undefined || !now) {
    const from = origin ?? null
    const text = from ? textOf(from, path) : emptyFile(schema)
    return { after: packs.length === 0 ? from : withPacks(path, text, packs, now?.mode), origin: from }
  }
  const { mode } = now
  const text = textOf(now, path)
  const ours = oursAmong(known.packs, known, path)
  const rest = { bytes: Buffer.from(withoutEntries(path, text, ours) ?? text), mode }
  if (packs.length === 0) return { after: rest, origin: rest }
  const stays = unchanged(known.packs, packs)
  const isOutdated: Ours = (item, event) =>
    ours(item, event) && !stays.some(one => one.event === event && isSameProgram(item, one.entry))
  const kept = withoutEntries(path, text, isOutdated) ?? text
  return { after: withPacks(path, kept, packs, mode), origin: rest }
}

const withPacks = (path: string, text: string, packs: readonly Pack[], mode = 0o644): Before => ({
  bytes: Buffer.from(packs.reduce((all, { entries }) => withEntries(path, all, entries).text, text)),
  mode,
})

/** Entries that are wanted as they were: where the person has changed one of them since, it stays so. */
const unchanged = (was: readonly Pack[], packs: readonly Pack[]): Pack['entries'][number][] =>
  packs.flatMap(({ name, entries }) => {
    const before = was.find(pack => pack.name === name)?.entries ?? []
    return entries.filter(one => before.some(old => JSON.stringify(old) === JSON.stringify(one)))
  })
