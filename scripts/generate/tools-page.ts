// The keys of tool_input for each tool, as hooks receive them.

import { BRIDGES, findBridge } from '../../packages/hooks/src/bridges/index.js'
import { code, codes, page, table } from './markdown.js'
import { TOOL_INPUTS } from './tool-inputs.js'

interface Row {
  /** The name of the tool in payloads. */
  readonly tool: string
  readonly cells: readonly string[]
}

export const toolsPage = (): string => {
  const rows = Object.entries(TOOL_INPUTS).flatMap(([agent, tools]) =>
    Object.entries(tools).map(([tool, keys]) => rowOf(agent, tool, keys.split(' '))),
  )
  const count = (tool: string) => rows.filter(row => row.tool === tool).length
  const names = [...new Set(rows.map(({ tool }) => tool))]
  const [shared, own] = [names.filter(name => count(name) > 1), names.filter(name => count(name) === 1)]
  return page(
    '# Tool input',
    'The keys of `tool_input` in `preToolUse`, `postToolUse` and `postToolUseFailure`, for each `tool_name`. Keys that a bridge renames have the name in the agent in brackets. A call has only some of the keys, and an agent may add others. The tools of MCP servers have the arguments that the server defines.',
    'Helpers read the common ones: `filePathOf`, `commandOf` and `urlOf` in [TypeScript](../guide/typescript.md#helpers), `file_path_of`, `command_of` and `url_of` in [Python](../guide/python.md#other-functions).',
    'With Codex, and with `apply_patch` of Copilot CLI, a `Write` is a patch: its files are in the text of `command` or `input`, and there is no `file_path`.',
    ...shared.flatMap(name => [
      `## ${name}`,
      table(
        ['agent', 'its tool', 'keys of `tool_input`'],
        rows.filter(({ tool }) => tool === name).map(({ cells }) => cells),
      ),
    ]),
    '## Tools of one agent',
    table(
      ['`tool_name`', 'agent', 'keys of `tool_input`'],
      own.map(name => {
        const [agent = '', , keys = ''] = rows.find(({ tool }) => tool === name)!.cells
        return [code(name), agent, keys]
      }),
    ),
  )
}

function rowOf(agent: string, tool: string, keys: readonly string[]): Row {
  const row = findBridge(agent)?.names.tools[tool]
  const renamed = keys.map(key => {
    const ours = row?.keys?.[key]
    return ours === undefined ? code(key) : `${code(ours)} (${code(key)})`
  })
  // An agent may accept both names.
  const all = renamed.filter(
    (key, at) => !renamed.some((other, index) => index !== at && other.startsWith(`${key} (`)),
  )
  const title = BRIDGES.find(({ name }) => name === agent)?.title ?? 'Cursor'
  return { tool: row?.as ?? tool, cells: [title, codes([tool]), all.join(', ')] }
}
