// The text that a completion inserts, and the part of it that is then selected.

import type { Schema } from './schema.js'

export interface CompletionStub {
  readonly text: string
  /** Relative to the text. */
  readonly select?: readonly [from: number, to: number]
}

export const jsonDraft = (value: unknown): CompletionStub => ({ text: JSON.stringify(value) })

/** A value with `${1:name}` as a placeholder, indented like the line that it begins in. */
export function draftOf(body: unknown, indent: string): CompletionStub {
  const unit = indent.includes('\t') ? '\t' : '  '
  const marked = JSON.stringify(body, null, unit).replaceAll('\n', `\n${indent}`)
  let text = ''
  let select: readonly [number, number] | undefined
  let last = 0
  for (const found of marked.matchAll(/\$\{\d+(?::([^}]*))?\}|\\\\\$/g)) {
    text += marked.slice(last, found.index)
    last = found.index + found[0].length
    if (found[0] === '\\\\$') {
      text += '$'
      continue
    }
    const word = found[1] ?? ''
    select ??= [text.length, text.length + word.length]
    text += word
  }
  text += marked.slice(last)
  return { text, ...(select && { select }) }
}

/** The start of a property: brackets, quotes or its default, with the cursor inside. */
export function emptyOf(all: readonly Schema[], indent: string): CompletionStub {
  const only = all.find(schema => 'const' in schema)
  if (only) return jsonDraft(only.const)
  const types = all.flatMap(({ type }) => (type === undefined ? [] : type))
  const usual = all.find(schema => 'default' in schema)
  if (usual) {
    const text = JSON.stringify(usual.default)
    return { text, select: [0, text.length] }
  }
  if (types.includes('array')) return inside(`[\n${indent}  \n${indent}]`, 2 + indent.length + 2)
  if (types.includes('object')) return inside(`{\n${indent}  \n${indent}}`, 2 + indent.length + 2)
  if (types.includes('string')) return inside('""', 1)
  return { text: '' }
}

const inside = (text: string, at: number): CompletionStub => ({ text, select: [at, at] })
