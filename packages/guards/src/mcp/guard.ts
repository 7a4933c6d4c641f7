// MCP servers and tools: a list of those that may be called, and pins. A server whose program or address changed, or a tool
// whose definition changed, asks again.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type Finding,
  findingOf,
  fitsAny,
  type Guard,
  type Judgement,
  listOf,
  type Payload,
  type Place,
} from '../guard.js'
import { mcpOf } from '../payload.js'

const ALTERNATIVES = {
  'mcp/server':
    'Use a tool of a listed server, or show the list, `holdfast list`, and ask the user to add it.',
  'mcp/tool': 'Use a listed tool, or show the list, `holdfast list`, and ask the user to add it.',
  'mcp/changed': 'Show the change to the user: `git diff .cursor/mcp.json`.',
} as const
const finding = findingOf(ALTERNATIVES)

export const mcp: Guard = {
  name: 'mcp',
  summary: 'MCP servers and tools that may be called, and pins of their definitions',
  options: {
    servers: { type: 'list', about: 'servers that may be called; * is any text (empty: all)', default: [] },
    tools: { type: 'list', about: 'tools that may be called, as server/tool (empty: all)', default: [] },
    deny: { type: 'list', about: 'tools that are denied, as server/tool', default: [] },
    pin: {
      type: 'switch',
      about: 'ask when the program, address or definition of a pinned tool changed',
      default: true,
    },
  },
  alternatives: ALTERNATIVES,
  judge(payload, options, place): Judgement {
    const call = mcpOf(payload)
    if (!call) return { findings: [] }
    const { tool, address } = call
    // Some hosts send no name of the server; then its program or address stands for it.
    const server = call.server === '' ? address : call.server
    const name = `${server}/${tool}`
    const findings: Finding[] = []
    const servers = listOf(options, 'servers')
    const tools = listOf(options, 'tools')
    if (servers.length > 0 && !fitsAny(servers, server))
      findings.push(finding('mcp/server', `The server "${server}" is not on the list.`))
    if (fitsAny(listOf(options, 'deny'), name))
      findings.push(finding('mcp/tool', `The tool ${name} is denied by the options.`))
    else if (tools.length > 0 && !fitsAny(tools, name))
      findings.push(finding('mcp/tool', `The tool ${name} is not on the list.`))
    if (options.pin !== false) findings.push(...checkPins(call.server || tool, name, address, payload, place))
    return { findings }
  },
}

type Pins = Record<string, string>

/** The first call pins. Where the host sends no definition, only the program or address is pinned. */
function checkPins(
  server: string,
  name: string,
  address: string,
  payload: Payload,
  { home, root }: Place,
): Finding[] {
  const parts: Pins = {}
  if (address !== '') parts[`${server} program`] = digest(address)
  const definition = payload.tool_definition ?? payload.tool_schema
  const about = [payload.tool_description, definition].filter(value => value !== undefined)
  if (about.length > 0) parts[`${name} definition`] = digest(JSON.stringify(about))
  if (Object.keys(parts).length === 0) return []
  const file = join(home, '.holdfast', 'guards', 'mcp', `${digest(root).slice(0, 32)}.json`)
  const pins = readPins(file)
  const changed = Object.entries(parts).filter(
    ([key, value]) => pins[key] !== undefined && pins[key] !== value,
  )
  const added = Object.entries(parts).filter(([key]) => pins[key] === undefined)
  if (added.length > 0) writePins(file, { ...pins, ...Object.fromEntries(added) })
  return changed.map(([key]) =>
    finding(
      'mcp/changed',
      `The ${key.split(' ').at(-1)} of ${key.replace(/ \w+$/, '')} changed since it was pinned. To accept it, the user removes ${file}.`,
      'ask',
    ),
  )
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** An unreadable file has no pins to rely on, so it throws, and the guard denies. */
function readPins(file: string): Pins {
  try {
    const pins: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof pins !== 'object' || pins === null) throw new Error(`${file} has no pins. Remove it.`)
    return pins as Pins
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

function writePins(file: string, pins: Pins): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  writeFileSync(next, JSON.stringify(pins), { mode: 0o600 })
  renameSync(next, file)
}
