// The arguments of an MCP call. They travel as a JSON string, which every second guard parses by hand.

import { parsedObject } from './normal.js'

/** Throws where the arguments are not an object: a guard cannot judge what it cannot read. */
export function mcpInput({ tool_input }: { readonly tool_input: unknown }): Record<string, unknown> {
  if (typeof tool_input === 'object' && tool_input !== null && !Array.isArray(tool_input))
    return tool_input as Record<string, unknown>
  // A call without arguments.
  if (typeof tool_input === 'string' && tool_input.trim() === '') return {}
  const input = parsedObject(String(tool_input))
  if (!input) throw new TypeError('the arguments of the tool are not a JSON object')
  return input
}
