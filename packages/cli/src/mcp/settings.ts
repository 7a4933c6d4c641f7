// The MCP servers in a client's settings.

import { statSync } from 'node:fs'
import type { Node } from 'jsonc-parser'
import { type Before, fileAt, targetOf, textOf } from '../edit/change.js'
import { membersOf, nodeAt, placeOf } from '../edit/jsonc.js'
import { parseSettings } from '../edit/settings-editor.js'
import { UsageError } from '../usage-error.js'

/** Settings of clients in a project. */
export const PROJECT_FILES = ['.cursor/mcp.json', '.vscode/mcp.json', '.mcp.json'] as const

/** Cursor, Claude and most others; VS Code. */
const LISTS = ['mcpServers', 'servers'] as const

export interface ServerEntry {
  readonly name: string
  /** Offset in the text of the file. */
  readonly from: number
  readonly text: string
  readonly node: Node
}

export interface Settings {
  /** Behind all links. */
  readonly file: string
  readonly now: Before
  readonly text: string
  readonly entries: readonly ServerEntry[]
}

/** `shown` is the path as the user gave it. */
export function readSettings(path: string, shown: string): Settings {
  const file = targetOf(path)
  const now = statSync(file, { throwIfNoEntry: false })?.isDirectory() ? 'is a folder' : fileAt(file)
  if (now === undefined || typeof now === 'string') {
    throw new UsageError(`${shown} ${now ?? 'does not exist'}. Name the settings of a client with --client.`)
  }
  const text = textOf(now, shown)
  const document = parseSettings(shown, text)
  const list = LISTS.map(name => nodeAt(document, [name])).find(node => node?.type === 'object')
  if (!list) {
    throw new UsageError(`${shown} lists no MCP servers: it has neither "mcpServers" nor "servers".`)
  }
  const entries = membersOf(list).map(([name, node]): ServerEntry => {
    const { offset, length } = node
    return { name, from: offset, text: document.text.slice(offset, offset + length), node }
  })
  const twice = entries.find(({ name }, index) => entries.findIndex(each => each.name === name) !== index)
  if (twice) {
    const { line, column } = placeOf(document.text, twice.from)
    throw new UsageError(
      `${shown}:${line}:${column} The server "${twice.name}" is listed twice. Remove one of them.`,
    )
  }
  return { file, now, text, entries }
}
