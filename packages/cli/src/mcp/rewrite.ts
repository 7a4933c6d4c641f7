// One server of a client's settings → the same through the gateway, and back. Only the values that must change do;
// comments, order and spaces of the entry stay.

import { posix, win32 } from 'node:path'
import { getNodeValue, type Node, parseTree } from 'jsonc-parser'
import { HEADERS_VARIABLE } from './server.js'
import { type Entry, propertiesOf } from './settings.js'

export interface Through {
  /** How the client starts this command. */
  readonly program: readonly string[]
  /** The folder of the project as the client writes it; undefined where it starts servers there anyway. */
  readonly root: string | undefined
  /** In these clients a plain `url` means the older transport. */
  readonly isOldUrl: boolean
}

export type Rewritten =
  | { readonly kind: 'text'; readonly text: string; readonly note?: string }
  | { readonly kind: 'already' }
  | { readonly kind: 'skipped'; readonly why: string }

const ADDRESSES = ['httpUrl', 'serverUrl', 'url'] as const
const SIGN_IN =
  'If it wants you to sign in, give its token under "headers" first: the gateway has no browser.'

export function throughGateway(entry: Entry, through: Through): Rewritten {
  const parts = new Map(propertiesOf(entry.node))
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
  entry: Entry,
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

function throughAddress(
  entry: Entry,
  parts: ReadonlyMap<string, Node>,
  key: (typeof ADDRESSES)[number],
  through: Through,
): Rewritten {
  const type = parts.get('type')
  const url: unknown = parts.get(key)?.value
  const headers = parts.get('headers')
  const lines = headers ? headerLines(getNodeValue(headers)) : ''
  if (type?.value === 'sse' || (key === 'url' && !type && through.isOldUrl)) {
    return skipped('it speaks the older HTTP+SSE transport, and the gateway only Streamable HTTP')
  }
  if (typeof url !== 'string') return skipped(`its "${key}" is not a string`)
  if (lines === undefined) return skipped('its "headers" are not names with strings')
  if (headers && parts.has('env')) return skipped('it has both "headers" and "env"')
  const [program, ...first] = through.program
  const args = [...first, ...gatewayWords(entry.name, through), '--url', url]
  const start = `"command": ${JSON.stringify(program)}, "args": ${list(args)}`
  const edits: Edit[] = [{ node: parts.get(key)!.parent!, by: start }]
  if (type) edits.push({ node: type, by: '"stdio"' })
  if (headers)
    edits.push({ node: headers.parent!, by: `"env": { "${HEADERS_VARIABLE}": ${JSON.stringify(lines)} }` })
  return { kind: 'text', text: edited(entry, edits), ...(headers ? {} : { note: SIGN_IN }) }
}

const gatewayWords = (name: string, { root }: Through): string[] => [
  'mcp',
  '--name',
  name,
  ...(root === undefined ? [] : ['--root', root]),
]

function headerLines(value: unknown): string | undefined {
  const pairs = typeof value === 'object' && value !== null ? Object.entries(value) : [['', 0]]
  if (pairs.some(([, text]) => typeof text !== 'string' || /[\r\n]/.test(text))) return undefined
  return pairs.map(([name, text]) => `${name}: ${text}`).join('\n')
}

// ——— and back ———

/** The entry as it would be without the gateway; undefined when that cannot be read from it. */
export function withoutGateway(entry: Entry): string | undefined {
  const parts = new Map(propertiesOf(entry.node))
  const words = wordsOf(parts)
  const end = words.indexOf('--')
  const [program, ...args] = end === -1 ? [] : words.slice(end + 1)
  if (program === undefined) return undefined
  return edited(entry, startEdits(parts.get('command')!, parts.get('args'), program, args))
}

export function isThrough({ node }: Entry): boolean {
  const [first = '', second = '', third = ''] = wordsOf(new Map(propertiesOf(node)))
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

/** Whatever the spaces and comments. */
export const isSameValue = (a: string, b: string): boolean =>
  JSON.stringify(plainOf(a)) === JSON.stringify(plainOf(b))

const plainOf = (text: string): unknown => {
  const node = parseTree(text, [], { allowTrailingComma: true })
  return node && getNodeValue(node)
}

// ——— text ———

interface Edit {
  readonly node: Pick<Node, 'offset' | 'length'>
  readonly by: string
}

const startEdits = (
  command: Node,
  args: Node | undefined,
  program: string,
  words: readonly string[],
): Edit[] => [
  { node: command, by: JSON.stringify(program) },
  args
    ? { node: args, by: list(words) }
    : { node: { offset: command.offset + command.length, length: 0 }, by: `, "args": ${list(words)}` },
]

const list = (words: readonly string[]): string => `[${words.map(word => JSON.stringify(word)).join(', ')}]`

function edited(entry: Entry, edits: readonly Edit[]): string {
  let out = entry.text
  for (const { node, by } of edits.toSorted((a, b) => b.node.offset - a.node.offset)) {
    const at = node.offset - entry.from
    out = out.slice(0, at) + by + out.slice(at + node.length)
  }
  return out
}
