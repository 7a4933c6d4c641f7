// Completions at a place in a text, from a JSON Schema. Pure.

import { findNodeAtLocation, getLocation, type Node, parseTree, visit } from 'jsonc-parser'
import { branches, type Schema, schemasAt } from './schema.js'
import { type CompletionStub, draftOf, emptyOf, jsonDraft } from './stubs.js'

export interface Offer {
  readonly label: string
  readonly detail?: string | undefined
  readonly info?: string | undefined
  readonly draft: CompletionStub
  readonly kind: 'property' | 'value'
  /** Higher comes first. */
  readonly rank: number
}

export interface Offers {
  readonly from: number
  readonly to: number
  readonly offers: readonly Offer[]
}

export function complete(text: string, at: number, schema: Schema): Offers | null {
  if (isInComment(text, at)) return null
  const { path, isAtPropertyKey, previousNode } = getLocation(text, at)
  const { from, to } = extent(text, at, previousNode)
  const indent = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))![0]
  const offers = isAtPropertyKey
    ? properties(without(text, from, to), to, path.slice(0, -1), schema, indent)
    : values(schema, path, indent, text.slice(to))
  return offers.length === 0 ? null : { from, to, offers }
}

/** The range that a completion replaces. */
function extent(text: string, at: number, previous: Node | undefined): { from: number; to: number } {
  if (previous && previous.offset < at && at <= previous.offset + previous.length) {
    const end = previous.offset + previous.length
    // An open quote extends to the end of the line: text after the cursor is not part of it.
    const isClosed = previous.type !== 'string' || (previous.length > 1 && text[end - 1] === '"')
    if (previous.type !== 'string' || !isClosed || at < end)
      return { from: previous.offset, to: isClosed ? end : at }
  }
  return { from: at - /[\w$.-]*$/.exec(text.slice(0, at))![0].length, to: at }
}

/** An incomplete name would hide the text after it from the parser. */
const without = (text: string, from: number, to: number): string =>
  text.slice(0, from) + ' '.repeat(to - from) + text.slice(to)

/** The next character that is neither space nor comment. */
const past = (rest: string): string => rest.replace(/^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/, '')

function properties(
  text: string,
  to: number,
  parent: readonly (string | number)[],
  schema: Schema,
  indent: string,
): Offer[] {
  const objects = schemasAt(schema, parent)
  const taken = new Set(keysOf(text, parent))
  const required = new Set(objects.flatMap(each => each.required ?? []))
  const rest = text.slice(to)
  const hasColon = /^\s*:/.test(rest)
  const comma = !hasColon && /^"/.test(past(rest)) ? ',' : ''
  const offers = new Map<string, Offer>()
  for (const [name, given] of objects.flatMap(each => Object.entries(each.properties ?? {}))) {
    const all = branches(schema, given)
    if (taken.has(name) || offers.has(name) || all.some(each => each.doNotSuggest)) continue
    const value = hasColon ? { text: '' } : emptyOf(all, indent)
    offers.set(name, {
      label: name,
      detail: required.has(name) ? 'required' : undefined,
      info: infoOf(all),
      draft: hasColon ? jsonDraft(name) : after(`${JSON.stringify(name)}: `, value, comma),
      kind: 'property',
      rank: required.has(name) ? 2 : 1,
    })
  }
  return [...offers.values()]
}

const after = (before: string, value: CompletionStub, behind: string): CompletionStub => ({
  text: before + value.text + behind,
  ...(value.select && {
    select: [value.select[0] + before.length, value.select[1] + before.length] as const,
  }),
})

/** Names that the object already has; an incomplete document has a tree, too. */
function keysOf(text: string, path: readonly (string | number)[]): string[] {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const node = tree && findNodeAtLocation(tree, [...path])
  return (node?.children ?? []).flatMap(child =>
    child.children?.[0] ? [String(child.children[0].value)] : [],
  )
}

function values(root: Schema, path: readonly (string | number)[], indent: string, rest: string): Offer[] {
  const offers = new Map<string, Offer>()
  const all = schemasAt(root, path)
  const info = infoOf(all)
  const comma = /^["{[\dtfn-]/.test(past(rest)) ? ',' : ''
  const add = (
    draft: CompletionStub,
    rank: number,
    more: { label?: string; detail?: string; info?: string } = {},
  ) => {
    const label = more.label ?? short(draft.text)
    const offer = { label, detail: more.detail, info: more.info ?? info, kind: 'value' as const, rank }
    if (!offers.has(label)) offers.set(label, { ...offer, draft: after('', draft, comma) })
  }
  for (const schema of all) {
    if (schema.not && Object.keys(schema.not).length === 0) continue
    for (const [index, value] of (schema.enum ?? []).entries()) {
      const words = schema.enumDescriptions?.[index]
      add(jsonDraft(value), 5, { ...(words !== undefined && { info: words }) })
    }
    if ('const' in schema) add(jsonDraft(schema.const), 5)
    for (const snippet of schema.defaultSnippets ?? [])
      add(draftOf(snippet.body, indent), 4, {
        label: snippet.label ?? JSON.stringify(snippet.body),
        ...(snippet.description !== undefined && { info: snippet.description }),
      })
    if ('default' in schema) add(jsonDraft(schema.default), 3, { detail: 'default' })
    for (const example of schema.examples ?? []) add(draftOf(example, indent), 2, { detail: 'example' })
    for (const value of { boolean: [true, false], null: [null] }[typeOf(schema)] ?? [])
      add(jsonDraft(value), 1)
  }
  return [...offers.values()]
}

const short = (text: string): string => {
  const line = text.replace(/\s*\n\s*/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

const typeOf = ({ type }: Schema): 'boolean' | 'null' =>
  (typeof type === 'string' ? type : type?.includes('null') ? 'null' : '') as 'boolean' | 'null'

const infoOf = (all: readonly Schema[]): string | undefined => all.find(each => each.description)?.description

function isInComment(text: string, at: number): boolean {
  let found = false
  visit(text, {
    onComment(offset, length) {
      const end = offset + length
      const isLine = text[offset + 1] === '/'
      if (offset < at && (isLine ? at <= end : at < end)) found = true
    },
  })
  return found
}
