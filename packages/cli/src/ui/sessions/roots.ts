// Conversations form trees: one that a user began, and those of the subagents under it.

import type { RunRow } from '../runs/row.js'

/** From a conversation to the root of its tree, which may have no runs itself. */
export function findRoots(rows: readonly RunRow[]): (conversationId: string) => string {
  const parents = new Map<string, string>()
  for (const { conversationId, parentId } of rows) {
    if (parentId !== '' && !parents.has(conversationId)) parents.set(conversationId, parentId)
  }
  const roots = new Map<string, string>()
  return conversationId => {
    const known = roots.get(conversationId)
    if (known !== undefined) return known
    // In a cycle, the first conversation that repeats is the root.
    const path = new Set<string>()
    let at = conversationId
    while (!roots.has(at) && parents.has(at) && !path.has(at)) {
      path.add(at)
      at = parents.get(at)!
    }
    const root = roots.get(at) ?? at
    for (const one of [...path, conversationId]) roots.set(one, root)
    return root
  }
}
