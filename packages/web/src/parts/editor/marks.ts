// Problems as places in a text: by line and column, or by the path in a JSON document.

import { findNodeAtLocation, type JSONPath, parseTree } from 'jsonc-parser'

export interface Mark {
  /** From 1; 0 or absent when only the path is known. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** hooks.stop[0].command, or the same without its beginning. */
  readonly path?: string | undefined
  readonly severity: string
  readonly message: string
  readonly hint?: string | undefined
}

export interface Placed {
  readonly from: number
  readonly to: number
  readonly mark: Mark
}

export function place(text: string, marks: readonly Mark[]): Placed[] {
  return marks.map(mark => ({ ...(mark.line ? byLine(text, mark) : byPath(text, mark)), mark }))
}

/** The word at this place, or the rest of the line. */
function byLine(text: string, { line = 1, column = 0 }: Mark): { from: number; to: number } {
  const lines = text.split('\n')
  const index = Math.min(line, lines.length) - 1
  const start = lines.slice(0, index).reduce((sum, each) => sum + each.length + 1, 0)
  const words = lines[index]!
  const from = Math.min(Math.max(column - 1, column ? 0 : words.search(/\S|$/)), words.length)
  const word = /^(?:"(?:[^"\\]|\\.)*"?|[\w$-]+|\S)/.exec(words.slice(from))?.[0].length ?? 0
  return { from: start + from, to: start + (column ? from + word : words.trimEnd().length) }
}

function byPath(text: string, { path = '' }: Mark): { from: number; to: number } {
  const tree = parseTree(text)
  const steps = pathOf(path)
  for (const way of [steps, ['hooks', ...steps]]) {
    const node = tree && steps.length > 0 ? findNodeAtLocation(tree, way) : undefined
    if (node) return { from: node.offset, to: node.offset + node.length }
  }
  return byLine(text, { line: 1, severity: '', message: '' })
}

export const pathOf = (path: string): JSONPath =>
  [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) => (index ? Number(index) : name!))
