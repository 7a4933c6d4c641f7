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
    const known = tops.get(conversationId)
    if (known !== undefined) return known
    // A circle ends where it began to repeat.
    const way = new Set<string>()
    let at = conversationId
    while (!tops.has(at) && parents.has(at) && !way.has(at)) {
      way.add(at)
      at = parents.get(at)!
    }
    const top = tops.get(at) ?? at
    for (const one of [...way, conversationId]) tops.set(one, top)
    return top
  }
}
