// The text of hooks.json with these packs. A file that holdfast wrote last is rebuilt from the state before the first
// installation; a file that was changed since is edited.

import { type Before, textOf } from '../edit/change.js'
import type { Pack } from '../edit/journal.js'
import { originOf } from '../edit/settings-editor.js'
import { emptyFile, isSameProgram, withEntries } from '../init/hooks-file.js'
import { type Ours, withoutEntries } from '../install/entries.js'
import { type InstalledPacks, oursAmong } from './record.js'

export interface Settled {
  /** Null if the file is removed. */
  readonly after: Before | null
  /** The state without the entries of holdfast. */
  readonly origin: Before | null
}

export function settled(
  path: string,
  now: Before | undefined,
  packs: readonly Pack[],
  known: InstalledPacks,
  schema: string,
): Settled {
  const origin = known.records.length === 0 ? (now ?? null) : originOf(known.records, path, now)
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

/** Entries that stay as wanted: if the user has changed one since, the change stays. */
const unchanged = (was: readonly Pack[], packs: readonly Pack[]): Pack['entries'][number][] =>
  packs.flatMap(({ name, entries }) => {
    const before = was.find(pack => pack.name === name)?.entries ?? []
    return entries.filter(one => before.some(old => JSON.stringify(old) === JSON.stringify(one)))
  })
