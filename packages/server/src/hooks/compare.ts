// The difference between two versions of a hook: fields one by one, the script line by line.

import { structuredPatch } from 'diff'
import type { Content, Draft } from './content.js'

export interface FieldDifference {
  readonly field: string
  readonly from: string
  readonly to: string
}

export function differences(from: Content, to: Content): FieldDifference[] {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
  const say = (content: Content, field: string): string => {
    const value = (content as unknown as Record<string, unknown>)[field]
    return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  }
  return fields
    .map(field => ({ field, from: say(from, field), to: say(to, field) }))
    .filter(difference => difference.from !== difference.to)
}

/** Beyond this number of changed lines an exact diff takes too long: everything is shown as replaced. */
const MOST_CHANGED = 2000

/** A unified diff; empty if nothing differs. */
export function scriptDiff(before: Draft, after: Draft): string {
  const [old, now] = [textOf(before), textOf(after)] as const
  if (old === now) return ''
  const patch = structuredPatch('', '', old, now, '', '', { context: 3, maxEditLength: MOST_CHANGED })
  const [olds, news] = [linesOf(old), linesOf(now)] as const
  const replaced = [...olds.map(line => `-${line}`), ...news.map(line => `+${line}`)]
  const all = { oldStart: 1, oldLines: olds.length, newStart: 1, newLines: news.length, lines: replaced }
  return (patch?.hunks ?? [all])
    .map(({ oldStart, oldLines, newStart, newLines, lines }) =>
      [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n'),
    )
    .join('\n')
}

/** Whether the last line ends with a line break makes no difference. */
const textOf = ({ script }: Draft): string => (script ? script.replace(/\n?$/, '\n') : '')
const linesOf = (text: string): string[] => text.split('\n').slice(0, -1)
