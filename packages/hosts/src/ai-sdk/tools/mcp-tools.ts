// The tools of the MCP servers in an mcp.json, each with its row for the table of the host. The client is the official
// SDK, an optional peer; it is loaded if there is a server.

import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import type { ToolSet } from 'ai'
import { messageOf } from '../agent/tool-errors.js'
import { mcpEvents, type ToolEvents } from '../agent/tool-events.js'
import { MCP_FILE, type McpServer, readMcpFile } from './mcp-file.js'
import { type Listed, mcpTool } from './mcp-tool.js'

export interface McpToolsOptions {
  readonly workspace: string
  /** (default: `.cursor/mcp.json` of the workspace). Its commands are started, so only name a file that is trusted. */
  readonly file?: string
  readonly env?: NodeJS.ProcessEnv
  /** Time limit of a server for one response (default: one minute). */
  readonly timeoutMs?: number
}

export interface McpTools {
  readonly tools: ToolSet
  readonly toolEvents: Readonly<Record<string, ToolEvents>>
  /** Servers that could not be used, with the reason. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

const TIMEOUT_MS = 60_000
const MAX_PAGES = 100
/** A server of an earlier revision may not respond to the question which one it has. */
const PROBE_MS = 5000

export async function mcpTools({
  workspace,
  file,
  env = process.env,
  timeoutMs = TIMEOUT_MS,
}: McpToolsOptions): Promise<McpTools> {
  const found = await readMcpFile(resolve(workspace, file ?? MCP_FILE), workspace, env)
  const tools: ToolSet = {}
  const toolEvents: Record<string, ToolEvents> = {}
  const problems = [...found.problems]
  const clients: Client[] = []
  const ready = found.servers.map(async server => {
    const client = await connect(server, env, timeoutMs)
    clients.push(client)
    return { client, listed: await listTools(client, timeoutMs) }
  })
  // All at once, but named in the order of the file: numbering must not depend on speed.
  for (const [index, outcome] of (await Promise.allSettled(ready)).entries()) {
    const server = found.servers[index]!
    if (outcome.status === 'rejected') {
      problems.push(`The MCP server "${server.name}" cannot be used: ${messageOf(outcome.reason)}`)
      continue
    }
    const { client, listed } = outcome.value
    for (const each of listed) {
      const name = freeName(`${server.name}_${each.name}`, tools)
      tools[name] = await mcpTool(client, server.name, each, timeoutMs)
      toolEvents[name] = mcpEvents(each.name, server.fields)
    }
  }
  const close = async () => void (await Promise.allSettled(clients.map(client => client.close())))
  return { tools, toolEvents, problems, close }
}

async function connect({ reach }: McpServer, env: NodeJS.ProcessEnv, timeout: number): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client')
  const { version } = createRequire(import.meta.url)('@holdfast/hosts/package.json') as { version: string }
  // Either revision of the protocol, whichever the server has.
  const client = new Client(
    { name: 'holdfast-agent', version },
    { versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(timeout, PROBE_MS) } } },
  )
  await client.connect(await transportOf(reach, env), { timeout })
  return client
}

async function transportOf(reach: McpServer['reach'], env: NodeJS.ProcessEnv) {
  if (reach.kind === 'process') {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
    const inherited = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)
    // The stderr of a server would mix with the agent's own output.
    const { command, args, cwd } = reach
    const all = { ...Object.fromEntries(inherited), ...reach.env }
    return new StdioClientTransport({ command, args, cwd, env: all, stderr: 'ignore' })
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  return new StreamableHTTPClientTransport(reach.url, { requestInit: { headers: reach.headers } })
}

async function listTools(client: Client, timeout: number): Promise<Listed[]> {
  const all: Listed[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { tools, nextCursor } = await client.listTools(cursor ? { cursor } : {}, { timeout })
    all.push(...tools)
    cursor = nextCursor
    if (!cursor) break
  }
  return all
}

/** Providers accept letters, digits, _ and -, at most 64 of them. */
function freeName(wanted: string, taken: ToolSet): string {
  const plain = wanted.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60)
  for (let count = 1; ; count++) {
    const name = count === 1 ? plain : `${plain}_${count}`
    if (!Object.hasOwn(taken, name)) return name
  }
}
