// An id of more digits than a JavaScript number has reaches a script as the agent sent it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBridge, runBridge } from '@holdfast/hooks/bridges'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Workspace } from '../fixtures/workspace.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

const ID = '12345678901234567890'

const copyStdin = (name: string) => {
  const file = join(space.base, name)
  return { read: () => readFileSync(file, 'utf8'), command: `cat > ${file}; echo '{}'` }
}

it('through a bridge, in the input of tools and of MCP tools', async () => {
  const [tool, mcp] = [copyStdin('tool'), copyStdin('mcp')]
  space.user({ preToolUse: [{ command: tool.command }], beforeMCPExecution: [{ command: mcp.command }] })
  const text = `{"hook_event_name":"PreToolUse","session_id":"s","cwd":${JSON.stringify(space.root)},
    "tool_name":"mcp__db__query","tool_input":{"id":${ID},"list":[-${ID}],"small":1}}`
  const { home, root, enterprise: enterpriseDir } = space
  await runBridge({
    bridge: findBridge('claude-code')!,
    text,
    host: () => ({ workspaceRoots: [root], home, enterpriseDir, trustAll: true, watch: false }),
    folder: join(space.base, 'conversations'),
    signal: new AbortController().signal,
  })
  expect(tool.read()).toContain(`"tool_input":{"id":${ID},"list":[-${ID}],"small":1}`)
  expect(mcp.read()).toContain(`\\"id\\":${ID}`)
})

it('from a host that gives the input as JSON text, and beside a rewrite of another key', async () => {
  const guard = copyStdin('guard')
  const fix = `grep -q '"a":1' && echo '{"updated_input":{"a":2,"id":${ID}}}' || echo '{}'`
  space.enterpriseHooks({ preToolUse: [{ command: guard.command }] })
  space.user({ preToolUse: [{ command: fix }] })
  const hooks = await space.open()
  const fields = { tool_name: 'Query', tool_input: `{"id":${ID},"a":1}` as never }
  const { updatedInput } = await hooks.fire('preToolUse', fields)
  expect(guard.read()).toContain(`"tool_input":{"id":${ID},"a":2}`)
  expect(Number(updatedInput?.id)).toBe(Number(ID))
})

it.each([
  ['claude-code', 'PreToolUse', { tool_name: 'Query' }, 'tool_input'],
  ['codex', 'PreToolUse', { tool_name: 'Query' }, 'tool_input'],
  ['gemini', 'BeforeTool', { tool_name: 'Query' }, 'tool_input'],
  ['copilot', 'preToolUse', { toolName: 'Query' }, 'toolArgs'],
  ['qwen', 'PreToolUse', { tool_name: 'Query' }, 'tool_input'],
])('through the bridge of %s, in an input whose other key was rewritten', async (agent, event, tool, key) => {
  space.user({ preToolUse: [{ command: `cat > /dev/null; echo '{"updated_input":{"a":2}}'` }] })
  const { home, root, enterprise: enterpriseDir } = space
  const { stdout } = await runBridge({
    bridge: findBridge(agent)!,
    text: `${JSON.stringify({ hook_event_name: event, cwd: root, ...tool }).slice(0, -1)},"${key}":{"a":1,"id":${ID}}}`,
    event,
    host: () => ({ workspaceRoots: [root], home, enterpriseDir, trustAll: true, watch: false }),
    folder: join(space.base, 'conversations'),
    signal: new AbortController().signal,
  })
  expect(stdout.replaceAll('\\', '')).toContain(`{"a":2,"id":${ID}}`)
})
