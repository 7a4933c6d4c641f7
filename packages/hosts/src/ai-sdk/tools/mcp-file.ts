// mcp.json: the list of servers. An invalid entry is reported, and the others are used.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { McpServerInfo } from '../agent/tool-events.js'

export interface McpServer {
  readonly name: string
  readonly fields: McpServerInfo
  readonly reach:
    | {
        readonly kind: 'process'
        readonly command: string
        readonly args: string[]
        readonly env: Record<string, string>
        readonly cwd: string
      }
    | { readonly kind: 'http'; readonly url: URL; readonly headers: Record<string, string> }
}

export interface McpFile {
  readonly servers: readonly McpServer[]
  readonly problems: readonly string[]
}

export const MCP_FILE = join('.cursor', 'mcp.json')

export async function readMcpFile(file: string, workspace: string, env: NodeJS.ProcessEnv): Promise<McpFile> {
  const list = await listOf(file)
  const servers: McpServer[] = []
  const problems: string[] = []
  for (const [name, entry] of Object.entries(list)) {
    try {
      servers.push(serverOf(name, entry, { workspace, env }))
    } catch (error) {
      problems.push(`${file}: the server "${name}" ${(error as Error).message}`)
    }
  }
  return { servers, problems }
}

async function listOf(file: string): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`)
  }
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`)
  }
  const list = isObject(value) ? value.mcpServers : undefined
  if (!isObject(list))
    throw new Error(`${file} has no "mcpServers": {"mcpServers": {"name": {"command": …}}}.`)
  return list
}

interface Around {
  readonly workspace: string
  readonly env: NodeJS.ProcessEnv
}

function serverOf(name: string, entry: unknown, around: Around): McpServer {
  if (!isObject(entry)) throw new Error('must be an object with "command" or "url".')
  if (entry.command !== undefined) return processOf(name, entry, around)
  const address = filled(entry.url, 'url', around)
  if (!URL.canParse(address) || !/^https?:/.test(address)) throw new Error('needs an http or https "url".')
  const url = new URL(address)
  return {
    name,
    fields: { mcp_server_name: name, mcp_server_url: url.href, url: url.href },
    reach: { kind: 'http', url, headers: texts(entry.headers, 'headers', around) },
  }
}

function processOf(name: string, entry: Record<string, unknown>, around: Around): McpServer {
  const command = filled(entry.command, 'command', around)
  const given = entry.args ?? []
  if (!Array.isArray(given)) throw new Error('has "args" that are not a list.')
  const args = given.map(arg => text(arg, 'args', around))
  const cwd = entry.cwd === undefined ? around.workspace : filled(entry.cwd, 'cwd', around)
  return {
    name,
    fields: { mcp_server_name: name, command: [command, ...args].join(' ') },
    reach: { kind: 'process', command, args, env: texts(entry.env, 'env', around), cwd },
  }
}

/** Values that must not be empty. */
function filled(value: unknown, name: string, around: Around): string {
  if (value === '') throw new Error(`needs text in "${name}".`)
  return text(value, name, around)
}

function text(value: unknown, name: string, { workspace, env }: Around): string {
  if (typeof value !== 'string') throw new Error(`needs text in "${name}".`)
  return value
    .replaceAll('${workspaceFolder}', () => workspace)
    .replace(/\$\{env:(\w+)\}/g, (_, variable: string) => env[variable] ?? '')
}

function texts(value: unknown, name: string, around: Around): Record<string, string> {
  if (value === undefined) return {}
  if (!isObject(value)) throw new Error(`has "${name}" that is not an object.`)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, text(each, name, around)]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
