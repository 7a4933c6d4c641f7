// One server of a client's settings → the same through the gateway, and back. Only the necessary values change;
// comments, order and spaces stay.

import { posix, win32 } from 'node:path'
import { shellWord } from '@holdfast/hooks'
import { getNodeValue, type Node, parseTree } from 'jsonc-parser'
import { applied, type Edit, membersOf } from '../edit/jsonc.js'
import type { ServerEntry } from './settings.js'

export interface Through {
  /** How the client starts this command. */
  readonly program: readonly string[]
  /** The folder of the project as the client writes it; undefined if the client starts servers there anyway. */
  readonly root: string | undefined
  /** In these clients a plain `url` means the older transport. */
  readonly isOldUrl: boolean
  /** Where a gateway listens, for servers that the client reaches by an address. */
  readonly at: string | undefined
}

export type Rewritten =
  | { readonly kind: 'text'; readonly text: string; readonly note?: string }
  | { readonly kind: 'already' }
  | { readonly kind: 'skipped'; readonly why: string }

const ADDRESSES = ['httpUrl', 'serverUrl', 'url'] as const

export function throughGateway(entry: ServerEntry, through: Through): Rewritten {
  const parts = new Map(membersOf(entry.node))
  const command = parts.get('command')
  const address = ADDRESSES.find(key => parts.has(key))
  if (isThrough(entry)) return { kind: 'already' }
  if (command && address) return skipped(`it has both "command" and "${address}"`)
  if (command) return throughCommand(entry, parts, command, through)
  return address
    ? throughAddress(entry, parts, address, through)
    : skipped('it has neither "command" nor "url"')
}

const skipped = (why: string): Rewritten => ({ kind: 'skipped', why })

function throughCommand(
  entry: ServerEntry,
  parts: ReadonlyMap<string, Node>,
  command: Node,
  through: Through,
): Rewritten {
  const args = parts.get('args')
  const words: unknown[] = args ? getNodeValue(args) : []
  if (command.type !== 'string') return skipped('its "command" is not a string')
  if (!Array.isArray(words) || words.some(word => typeof word !== 'string')) {
    return skipped('its "args" is not a list of strings')
  }
  const [program, ...first] = through.program
  const all = [
    ...first,
    ...gatewayWords(entry.name, through),
    '--',
    command.value as string,
    ...(words as string[]),
  ]
  return { kind: 'text', text: edited(entry, startEdits(command, args, program!, all)) }
}

/** It stays an entry with an address, and keeps its headers and its way to sign in. */
function throughAddress(
  entry: ServerEntry,
  parts: ReadonlyMap<string, Node>,
  key: (typeof ADDRESSES)[number],
  { isOldUrl, at }: Through,
): Rewritten {
  const type: unknown = parts.get('type')?.value
  const url: unknown = parts.get(key)?.value
  if (type === 'sse' || (key === 'url' && type === undefined && isOldUrl)) {
    return skipped('it speaks the older HTTP+SSE transport, and the gateway only Streamable HTTP')
  }
  if (typeof url !== 'string') return skipped(`its "${key}" is not a string`)
  if (url === at) return { kind: 'already' }
  const start = `holdfast mcp --listen 8383 --name ${shellWord(entry.name)} --url ${shellWord(url)}`
  if (at === undefined) {
    return skipped(`it is reached by its address. Start "${start}", then add --at http://127.0.0.1:8383/mcp`)
  }
  const text = edited(entry, [replacing(parts.get(key)!, JSON.stringify(at))])
  return { kind: 'text', text, note: `It works while a gateway listens there: ${start}` }
}

const gatewayWords = (name: string, { root }: Through): string[] => [
  'mcp',
  '--name',
  name,
  ...(root === undefined ? [] : ['--root', root]),
]

// ——— and back ———

/** The entry as it would be without the gateway; undefined if it cannot be derived. */
export function withoutGateway(entry: ServerEntry): string | undefined {
  const parts = new Map(membersOf(entry.node))
  const words = wordsOf(parts)
  const end = words.indexOf('--')
  const [program, ...args] = end === -1 ? [] : words.slice(end + 1)
  if (program === undefined) return undefined
  return edited(entry, startEdits(parts.get('command')!, parts.get('args'), program, args))
}

export function isThrough({ node }: ServerEntry): boolean {
  const [first = '', second = '', third = ''] = wordsOf(new Map(membersOf(node)))
  return (isHoldfast(first) && second === 'mcp') || (isHoldfast(second) && third === 'mcp')
}

const isHoldfast = (word: string): boolean =>
  [posix, win32].some(({ basename }) => /^holdfast(?:\.cjs|\.cmd|\.exe)?$/.test(basename(word)))

function wordsOf(parts: ReadonlyMap<string, Node>): string[] {
  const args = parts.get('args')
  const words: unknown[] = [
    parts.get('command')?.value,
    ...(args?.type === 'array' ? getNodeValue(args) : []),
  ]
  return words.every(word => typeof word === 'string') ? (words as string[]) : []
}

/** Ignores spaces and comments. */
export const isSameValue = (a: string, b: string): boolean =>
  JSON.stringify(plainOf(a)) === JSON.stringify(plainOf(b))

const plainOf = (text: string): unknown => {
  const node = parseTree(text, [], { allowTrailingComma: true })
  return node && getNodeValue(node)
}

// ——— text ———

const replacing = ({ offset, length }: Pick<Node, 'offset' | 'length'>, text: string): Edit => ({
  offset,
  length,
  text,
})

const startEdits = (
  command: Node,
  args: Node | undefined,
  program: string,
  words: readonly string[],
): Edit[] => [
  replacing(command, JSON.stringify(program)),
  args
    ? replacing(args, list(words))
    : replacing({ offset: command.offset + command.length, length: 0 }, `, "args": ${list(words)}`),
]

const list = (words: readonly string[]): string => `[${words.map(word => JSON.stringify(word)).join(', ')}]`

const edited = ({ text, from }: ServerEntry, edits: readonly Edit[]): string =>
  applied(
    text,
    edits.map(edit => ({ ...edit, offset: edit.offset - from })),
  )
