// Adds to JSON that users wrote, and changes nothing else: comments, indentation, line ends and trailing commas stay.
// jsonc-parser finds the positions; its own edits move comments and reformat neighbours, so the text is built here.

import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

export interface Edit {
  readonly offset: number
  readonly length: number
  readonly text: string
}

export interface Document {
  /** Without the byte order mark. */
  readonly text: string
  readonly root: Node
  readonly eol: string
  /** One step of indentation. */
  readonly unit: string
}

export interface SyntaxProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

const MARK = '\uFEFF'

export function openDocument(whole: string): Document | SyntaxProblem {
  const text = whole.startsWith(MARK) ? whole.slice(1) : whole
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) return { ...placeOf(text, error.offset), message: inWords(error) }
  if (!root) return { line: 1, column: 1, message: 'the file is empty' }
  return { text, root, eol: /\r\n|\n|\r/.exec(text)?.[0] ?? '\n', unit: unitOf(text, root) }
}

export const isProblem = (value: Document | SyntaxProblem): value is SyntaxProblem => 'message' in value

/** If a key occurs twice, readers use the last one. */
export const nodeAt = ({ root }: Document, path: readonly string[]): Node | undefined =>
  path.reduce<Node | undefined>(
    (node, key) =>
      node?.type === 'object'
        ? node.children?.findLast(member => member.children?.[0]?.value === key)?.children?.[1]
        : undefined,
    root,
  )

/** The members of an object, in their order. */
export const membersOf = (node: Node | undefined): [string, Node][] =>
  (node?.type === 'object' ? (node.children ?? []) : []).flatMap(({ children }): [string, Node][] => {
    const [key, value] = children ?? []
    return key && value ? [[String(key.value), value]] : []
  })

export function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/)
  return { line: lines.length, column: lines.at(-1)!.length + 1 }
}

/** The text of the file after the edits, with its byte order mark. */
export function applied(whole: string, edits: readonly Edit[]): string {
  const start = whole.startsWith(MARK) ? 1 : 0
  let out = whole
  for (const { offset, length, text } of inOrder(edits).toReversed()) {
    out = out.slice(0, start + offset) + text + out.slice(start + offset + length)
  }
  return out
}

export const inOrder = (edits: readonly Edit[]): Edit[] => [...edits].sort((a, b) => a.offset - b.offset)

export const addItems = (document: Document, array: Node, items: readonly unknown[]): Edit[] =>
  insert(document, array, indent => items.map(item => written(document, item, indent)))

export const addMembers = (document: Document, object: Node, members: readonly [string, unknown][]): Edit[] =>
  insert(document, object, indent =>
    members.map(([key, value]) => `${JSON.stringify(key)}: ${written(document, value, indent)}`),
  )

/** As the first member, where readers look for it. */
export function addFirst(document: Document, object: Node, key: string, value: unknown): Edit[] {
  const { text, eol } = document
  const first = object.children?.[0]
  if (!first) return addMembers(document, object, [[key, value]])
  const indent = indentOf(text, first)
  const between = text.slice(object.offset + 1, first.offset)
  // On a line of its own after the bracket and a comment beside it.
  const line = /^[ \t]*(?:\/\/[^\r\n]*)?(?:\r\n|\n|\r)/.exec(between)?.[0]
  if (indent !== undefined && line !== undefined) {
    const put = `${indent}${JSON.stringify(key)}: ${written(document, value, indent)},${eol}`
    return [{ offset: object.offset + 1 + line.length, length: 0, text: put }]
  }
  const put = `${JSON.stringify(key)}: ${written(document, value, null)}, `
  return [{ offset: first.offset, length: 0, text: put }]
}

/** Removes some parts of an array or an object. Comments of the others stay. */
export function removeParts({ text }: Document, parent: Node, gone: readonly Node[]): Edit[] {
  const all = parent.children ?? []
  const edits: Edit[] = []
  for (let from = 0; from < all.length; from++) {
    if (!gone.includes(all[from]!)) continue
    let to = from
    while (to + 1 < all.length && gone.includes(all[to + 1]!)) to++
    edits.push(...removeRun(text, parent, all, from, to))
    from = to
  }
  return edits
}

function removeRun(text: string, parent: Node, all: readonly Node[], from: number, to: number): Edit[] {
  const before = all[from - 1]
  if (!before && to === all.length - 1) {
    return [{ offset: parent.offset + 1, length: parent.length - 2, text: '' }]
  }
  const start = all[from]!.offset
  const comma = commaAfter(text, all[to]!)
  const end = comma === undefined ? endOf(all[to]!) : comma + 1
  // With the space before it, so that no empty or longer line remains.
  const space = /\s*$/.exec(text.slice(before ? endOf(before) : parent.offset + 1, start))![0].length
  const cut = { offset: start - space, length: end - start + space, text: '' }
  const loose = before && comma === undefined ? commaAfter(text, before) : undefined
  return loose === undefined || loose >= cut.offset ? [cut] : [{ offset: loose, length: 1, text: '' }, cut]
}

export const setValue = (node: Node, value: unknown): Edit => ({
  offset: node.offset,
  length: node.length,
  text: JSON.stringify(value),
})

/** `indent` is that of the new parts, or null if they share a line with their neighbours. */
function insert(document: Document, node: Node, make: (indent: string | null) => string[]): Edit[] {
  const { text, eol, unit } = document
  const close = node.offset + node.length - 1
  const last = node.children?.at(-1)
  const closing = lineAt(text, close)
  const comma = last && !hasComma(text, last) ? [{ offset: endOf(last), length: 0, text: ',' }] : []
  if (text.slice(closing, close).trim() === '') {
    const indent = indentOf(text, last) ?? text.slice(closing, close) + unit
    const parts = make(indent).map(part => indent + part)
    return [...comma, { offset: closing, length: 0, text: parts.join(`,${eol}`) + eol }]
  }
  const inside = text.slice(node.offset + 1, close)
  if (inside.trim() === '' && (isLaidOut(text) || node === document.root)) {
    const own = /^[ \t]*/.exec(text.slice(lineAt(text, node.offset)))![0]
    const parts = make(own + unit).map(part => own + unit + part)
    const between = `${eol}${parts.join(`,${eol}`)}${eol}${own}`
    return [{ offset: node.offset + 1, length: inside.length, text: between }]
  }
  const parts = make(null).join(', ')
  const after = node.offset + 1 + inside.trimEnd().length
  if (last) return [...comma, { offset: after, length: 0, text: ` ${parts}` }]
  const pad = node.type === 'object' || inside.trim() !== '' ? ' ' : ''
  return [{ offset: after, length: 0, text: `${pad}${parts}${/\s$/.test(inside) ? '' : pad}` }]
}

const endOf = (node: Node) => node.offset + node.length
const lineAt = (text: string, offset: number) =>
  Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
const isLaidOut = (text: string) => /[\r\n]/.test(text.trim())

const hasComma = (text: string, node: Node): boolean => commaAfter(text, node) !== undefined

/** The offset of the comma; comments before it are skipped. */
function commaAfter(text: string, node: Node): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(endOf(node))
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text.charAt(at) === ',' ? at : undefined
}

/** The indentation of a neighbour that begins its line. */
function indentOf(text: string, node: Node | undefined): string | undefined {
  if (!node) return undefined
  const before = text.slice(lineAt(text, node.offset), node.offset)
  return before.trim() === '' ? before : undefined
}

/** Derived from the first member inside the outermost brackets. */
function unitOf(text: string, root: Node): string {
  const found = indentOf(text, root.children?.[0])
  return found === undefined || found === '' ? '  ' : found
}

const WIDEST = 100

/** A value without nested values is written on one line, as users write entries of hooks. */
function written(document: Document, value: unknown, indent: string | null): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const line = inLine(value)
  const isFlat = Object.values(value).every(part => typeof part !== 'object' || part === null)
  if (indent === null || (isFlat && indent.length + line.length <= WIDEST)) return line
  const { eol, unit } = document
  const deeper = indent + unit
  const parts = Array.isArray(value)
    ? value.map(item => written(document, item, deeper))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${written(document, item, deeper)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return open + close
  return `${open}${eol}${parts.map(part => deeper + part).join(`,${eol}`)}${eol}${indent}${close}`
}

function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inLine(item)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** `CommaExpected` → `comma expected`. */
const inWords = ({ error }: ParseError) =>
  printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
