// One tool of an MCP server, as a tool of the AI SDK.

import type { Client } from '@modelcontextprotocol/client'
import { dynamicTool, jsonSchema, type ToolSet } from 'ai'
import { ToolCallError, ToolTimeoutError } from '../agent/tool-errors.js'
import { bounded } from './bounded.js'

export type Listed = Awaited<ReturnType<Client['listTools']>>['tools'][number]

export async function mcpTool(
  client: Client,
  server: string,
  { name, description = '', inputSchema }: Listed,
  timeout: number,
): Promise<ToolSet[string]> {
  const validate = await checkOf(inputSchema)
  return dynamicTool({
    description,
    inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0], validate ? { validate } : {}),
    execute: async (input, { abortSignal }) => {
      // Otherwise the client only reports that it is not connected.
      if (!client.transport) throw gone(server)
      try {
        const given = { name, arguments: input as Record<string, unknown> }
        const signal = abortSignal ? { signal: abortSignal } : {}
        return await client.callTool(given, { timeout, ...signal })
      } catch (error) {
        const { code } = Object(error) as { code?: unknown }
        if (code === CODES.timeout) {
          throw new ToolTimeoutError(`The MCP server "${server}" did not answer within ${timeout} ms.`)
        }
        throw code === CODES.closed ? gone(server) : error
      }
    },
    toModelOutput: ({ output }) => modelOutput(output),
  })
}

const gone = (server: string) =>
  new ToolCallError(`The MCP server "${server}" has ended. It is not started again.`)

/** As the SDK of MCP names them. */
const CODES = { timeout: 'REQUEST_TIMEOUT', closed: 'CONNECTION_CLOSED' }

function modelOutput(output: unknown) {
  const { content } = Object(output) as { content?: unknown }
  if (!Array.isArray(content)) return { type: 'text' as const, value: bounded(JSON.stringify(output) ?? '') }
  return { type: 'content' as const, value: content.map(itemOf) }
}

function itemOf(item: unknown) {
  const { type, text, data, mimeType } = Object(item) as Record<string, unknown>
  if (type === 'text' && typeof text === 'string') return { type: 'text' as const, text: bounded(text) }
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') {
    return { type: 'image-data' as const, data, mediaType: mimeType }
  }
  return { type: 'text' as const, text: bounded(JSON.stringify(item) ?? '') }
}

type Check = NonNullable<Parameters<typeof jsonSchema>[1]>['validate']

/**
 * Checks the input of the model and of hooks against the tool's schema. A schema that cannot be compiled is left to the
 * server.
 */
async function checkOf(inputSchema: Listed['inputSchema']): Promise<Check> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv')
  try {
    const check = new AjvJsonSchemaValidator().getValidator(inputSchema as never)
    return value => {
      const { valid, errorMessage } = check(value)
      return valid ? { success: true, value } : { success: false, error: new Error(errorMessage) }
    }
  } catch {
    return undefined
  }
}
