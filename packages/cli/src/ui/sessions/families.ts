// Which conversations belong together: one that a person began, and the subagents under it.

import type { Row } from '../runs/row.js'

/** From a conversation to the one at its top, which may itself have left no runs. */
export function families(rows: readonly Row[]): (conversationId: string) => string {
  const parents = new Map<string, string>()
  for (const { conversationId, parentId } of rows) {
    if (parentId !== '' && !parents.has(conversationId)) parents.set(conversationId, parentId)
  }
  const tops = new Map<string, string>()
  return conversationId => {
    const way: string[] = []
    let at = conversationId
    // A circle ends where it began to repeat.
    const seen = new Set<string>()
    while (!tops.has(at) && parents.has(at) && !seen.has(at)) {
      seen.add(at)
      way.push(at)
      at = parents.get(at)!
    }
    const top = tops.get(at) ?? at
    for (const one of way) tops.set(one, top)
    return top
  }
}
