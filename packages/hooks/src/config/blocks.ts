// The hooks of a file → drafts: an object of events, each with a list of entries. hooks.json and Claude settings differ in
// what an entry is. An error in one entry does not affect the others.

import { type Draft, type Loaded, reportDuplicate } from './entry.js'
import { type Json, type JsonObject, type Member, mismatch, within } from './json.js'
import type { Report } from './report.js'
import { Turns } from './turns.js'

export interface Dialect<E> {
  /** The event that the key of a list names. */
  find(key: string): E | undefined
  /** Returns the number of hooks that are lost. */
  reportUnknown(member: Member, path: string): number
  /** The drafts of an item of the list; undefined for each hook that is dropped. */
  read(item: Json, path: string, event: E): Iterable<Draft | undefined>
  /** How a list is written. */
  hint(key: string): string
}

/** If `hooks` appears twice, the hooks of both run: keys that contain hooks never replace each other. */
export async function readBlocks<E>(
  blocks: readonly Member[],
  path: string,
  report: Report,
  dialect: Dialect<E>,
): Promise<Loaded> {
  const drafts: Draft[] = []
  let dropped = 0
  for (const [index, block] of blocks.entries()) {
    const { value } = block
    if (index > 0) reportBoth(block, blocks[0]!, path, report)
    if (value.kind === 'object') {
      const part = await readEvents(value, path, report, dialect)
      drafts.push(...part.drafts)
      dropped += part.dropped
    } else {
      report.error('config/no-hooks', { ...mismatch('hooks', value, 'an object with events'), path })
      dropped++
    }
  }
  return { state: 'loaded', drafts, dropped }
}

export async function readEvents<E>(
  node: JsonObject,
  path: string,
  report: Report,
  dialect: Dialect<E>,
): Promise<Loaded> {
  const turns = new Turns()
  const drafts: Draft[] = []
  let dropped = 0
  const seen = new Map<string, Member>()
  for (const member of node.members) {
    const { key, value } = member
    const here = within(path, key)
    const earlier = seen.get(key)
    if (earlier) reportBoth(member, earlier, here, report)
    seen.set(key, member)
    const event = dialect.find(key)
    if (event === undefined) {
      dropped += dialect.reportUnknown(member, here)
    } else if (value.kind !== 'array') {
      const problem = { ...mismatch(key, value, 'an array of hooks'), hint: dialect.hint(key) }
      report.error('config/bad-event', { ...problem, path: here })
      dropped++
    } else {
      for (const [index, item] of value.items.entries()) {
        for (const draft of dialect.read(item, within(here, index), event)) {
          await turns.giveWay()
          if (draft) drafts.push(draft)
          else dropped++
        }
      }
    }
  }
  return { state: 'loaded', drafts, dropped }
}

const reportBoth = (member: Member, earlier: Member, path: string, report: Report): void =>
  reportDuplicate(member, earlier, path, 'the hooks of both run', report)
