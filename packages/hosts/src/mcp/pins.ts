// The definition of each tool as it was first seen, or approved. A server that changes what a tool says of itself could
// steer the model, so the next call of a changed tool asks.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from './message.js'

export interface Unpinned {
  readonly question: string
  /** What the model reads after a no, and where nobody can be asked. */
  readonly refusal: string
  readonly hint: string
  accept(): void
}

export interface Pins {
  see(tools: unknown): void
  /** Undefined for a tool as it was, or that was never listed. */
  changeOf(name: string): Unpinned | undefined
}

export interface PinFile {
  readonly tools: Record<string, string>
  /** Definitions that were seen and not approved. */
  readonly changed: Record<string, string>
}

/** One file for each server: `identity` is its name in the client, and its command or address. */
export const pinFileOf = (home: string, identity: string): string =>
  join(home, '.holdfast', 'mcp', `pins-${hashOf(identity).slice(0, 24)}.json`)

export function openPins(file: string, note: (text: string) => void): Pins {
  const store = (next: PinFile) => {
    try {
      writePins(file, next)
    } catch (error) {
      note(`The definitions of tools cannot be stored in ${file}: ${(error as Error).message}`)
    }
  }
  return {
    see(tools) {
      const { tools: pinned, changed } = readPins(file)
      const before = JSON.stringify([pinned, changed])
      for (const tool of Array.isArray(tools) ? tools : []) {
        if (!isObject(tool) || typeof tool.name !== 'string') continue
        const hash = hashOf(JSON.stringify(sorted(definitionOf(tool))))
        const known = Object.hasOwn(pinned, tool.name) ? pinned[tool.name] : undefined
        if (known === undefined) set(pinned, tool.name, hash)
        else if (known === hash) delete changed[tool.name]
        else set(changed, tool.name, hash)
      }
      if (JSON.stringify([pinned, changed]) !== before) store({ tools: pinned, changed })
    },
    changeOf(name) {
      const { changed } = readPins(file)
      if (!Object.hasOwn(changed, name)) return undefined
      return {
        question: `The server changed the description or the schema of "${name}" since it was first used. Use it as it is now?`,
        refusal: `The user did not approve the changed definition of "${name}".`,
        hint: `The server changed the description or the schema of "${name}", and this client cannot ask the user. To approve all changes, the user deletes ${file}.`,
        accept() {
          const now = readPins(file)
          const hash = now.changed[name]
          if (hash !== undefined) set(now.tools, name, hash)
          delete now.changed[name]
          store(now)
        },
      }
    },
  }
}

function readPins(file: string): PinFile {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (isObject(value) && isObject(value.tools) && isObject(value.changed))
      return value as unknown as PinFile
  } catch {
    // None yet, or none that can be read: the tools of today are pinned.
  }
  return { tools: {}, changed: {} }
}

function writePins(file: string, pins: PinFile): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}.tmp`
  writeFileSync(next, `${JSON.stringify(pins, null, 2)}\n`, { mode: 0o600 })
  renameSync(next, file)
}

/** A tool may be called `__proto__`. */
const set = (where: Record<string, string>, name: string, value: string) =>
  Object.defineProperty(where, name, { value, writable: true, enumerable: true, configurable: true })

/** What the model reads, and what it may send. */
const definitionOf = ({
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: Record<string, unknown>) => ({
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
})

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : isObject(value)
      ? Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, each]) => [key, sorted(each)])
      : value
