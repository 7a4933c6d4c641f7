// A client's settings as text: where its servers stand, and the same text with some of them written anew.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { Complaint } from '../complaint.js'
import { replace } from '../edit/write.js'

/** What clients write down in a project. */
export const PROJECT_FILES = ['.cursor/mcp.json', '.vscode/mcp.json', '.mcp.json'] as const

/** Cursor, Claude and most others; VS Code. */
const LISTS = ['mcpServers', 'servers'] as const

export interface Entry {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly text: string
  readonly node: Node
}

export interface Settings {
  /** Behind all links. */
  readonly file: string
  readonly text: string
  readonly entries: readonly Entry[]
}

/** `shown` is how the person calls the file. */
export function readSettings(path: string, shown: string): Settings {
  const { file, text } = readText(path, shown)
  const errors: ParseError[] = []
  // The mark at the beginning counts as a space, so that places stay what they are.
  const root = parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) {
    const place = placeOf(text, error.offset)
    throw new Complaint(
      `${shown}:${place} This is not valid JSON (${printParseErrorCode(error.error)}). Correct it first.`,
    )
  }
  const list = LISTS.map(name => propertiesOf(root).find(([key]) => key === name)?.[1]).find(
    node => node?.type === 'object',
  )
  if (!list) {
    throw new Complaint(`${shown} lists no MCP servers: it has neither "mcpServers" nor "servers".`)
  }
  const entries = propertiesOf(list).map(([name, node]) => entryOf(name, node, text))
  const twice = entries.find(({ name }, index) => entries.findIndex(each => each.name === name) !== index)
  if (twice) {
    throw new Complaint(
      `${shown}:${placeOf(text, twice.from)} The server "${twice.name}" stands twice. Remove one of them.`,
    )
  }
  return { file, text, entries }
}

const entryOf = (name: string, node: Node, text: string): Entry => {
  const to = node.offset + node.length
  return { name, from: node.offset, to, text: text.slice(node.offset, to), node }
}

export const propertiesOf = (node: Node | undefined): [string, Node][] =>
  (node?.type === 'object' ? (node.children ?? []) : []).flatMap(({ children }): [string, Node][] => {
    const [key, value] = children ?? []
    return key && value ? [[String(key.value), value]] : []
  })

function readText(path: string, shown: string): { file: string; text: string } {
  try {
    const file = realpathSync(path)
    const bytes = readFileSync(file)
    const text = bytes.toString('utf8')
    if (Buffer.from(text).equals(bytes)) return { file, text }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why =
      code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `cannot be read: ${message}`
    throw new Complaint(`${shown} ${why}. Name the settings of a client with --client.`)
  }
  throw new Complaint(`${shown} is not UTF-8 text, so it could not be restored byte for byte.`)
}

const placeOf = (text: string, offset: number): string => {
  const before = text.slice(0, offset).split('\n')
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`
}

/** From the end, so that the places before stay right. */
export function withEntries({ text, entries }: Settings, texts: ReadonlyMap<string, string>): string {
  let out = text
  for (const { name, from, to } of entries.toReversed()) {
    const by = texts.get(name)
    if (by !== undefined) out = out.slice(0, from) + by + out.slice(to)
  }
  return out
}

/** All of it or nothing, and not over what somebody else wrote in the meantime. */
export function writeSettings({ file, text }: Settings, next: string, shown: string): void {
  try {
    if (readFileSync(file, 'utf8') !== text) {
      throw new Complaint(
        `${shown} was changed by another program at the same time. Nothing was written; try again.`,
      )
    }
    replace(file, Buffer.from(next), statSync(file).mode & 0o7777)
  } catch (error) {
    if (error instanceof Complaint) throw error
    throw new Complaint(`${shown} cannot be written: ${(error as Error).message}.`)
  }
}
