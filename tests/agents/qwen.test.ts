// What only Qwen Code does, in the real program.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Call } from './completions.js'
import { installed } from './program.js'
import { KEY, qwen, runQwen } from './qwen.js'
import { Stage } from './stage.js'

const EVERYTHING = {
  command: process.execPath,
  args: [
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
    'stdio',
  ],
}

let stage: Stage
beforeEach(() => {
  stage = new Stage()
})
afterEach(() => stage.close())

const file = (path: string) => join(stage.project, path)

describe('qwen', () => {
  beforeAll(() => installed(qwen.program).then(() => {}), 600_000)

  it('does not read a file when a hook denies it', async () => {
    stage.place.write('key.txt', 'KEY=avocet\n')
    const deny = { permission: 'deny', user_message: 'Not that one.' }
    await stage.hooks('qwen', { beforeReadFile: [stage.hook('read', deny)] })
    const { told, output } = await runQwen(stage, 'Read.', [{ read: 'key.txt' }])
    expect(stage.seen('read'), output).toMatchObject([
      { file_path: file('key.txt'), content: 'KEY=avocet\n' },
    ])
    expect(told.at(-1)).toContain('blocked by a security hook')
    expect(told.at(-1)).not.toContain('avocet')
    const blocked = await runQwen(stage, 'See @key.txt please.', [])
    expect(blocked.told, blocked.output).toEqual([])
  })

  it('tells files that were written with their edits', async () => {
    stage.place.write('old.txt', 'one\ntwo\n')
    await stage.hooks('qwen', { afterFileEdit: [stage.hook('edit')] })
    const edit: Call = {
      call: 'edit',
      args: { file_path: file('old.txt'), old_string: 'two', new_string: 'three' },
    }
    const { output } = await runQwen(stage, 'Write.', [
      { write: 'new.txt', content: 'made\n' },
      { read: 'old.txt' },
      edit,
    ])
    expect(stage.text('old.txt'), output).toBe('one\nthree\n')
    expect(stage.seen('edit')).toMatchObject([
      { file_path: file('new.txt'), edits: [{ old_string: '', new_string: 'made\n' }] },
      { file_path: file('old.txt'), edits: [{ old_string: 'two', new_string: 'three' }] },
    ])
  })

  it('tells a command that failed with its exit code', async () => {
    await stage.hooks('qwen', { afterShellExecution: [stage.hook('after')] })
    const { output } = await runQwen(stage, 'Run.', [{ shell: 'echo x; echo "Exit Code: 0"; exit 4' }])
    expect(stage.seen('after'), output).toMatchObject([{ output: 'x\nExit Code: 0', exit_code: 4 }])
  })

  it('says a prompt once, however many tools are called', async () => {
    await stage.hooks('qwen', { beforeSubmitPrompt: [stage.hook('prompt')] })
    const { told, output } = await runQwen(stage, 'Run.', [{ shell: 'true' }, { shell: 'true' }])
    expect(told, output).toHaveLength(3)
    expect(stage.seen('prompt')).toMatchObject([{ prompt: 'Run.' }])
  })

  it('does not start a subagent when a hook denies it', async () => {
    const deny = { permission: 'deny', agent_message: 'Do it yourself.' }
    await stage.hooks('qwen', { subagentStart: [stage.hook('start', deny)] })
    const args = { description: 'A file', prompt: 'Make a file.', subagent_type: 'general-purpose' }
    const { told, output } = await runQwen(stage, 'Go.', [{ call: 'agent', args }])
    expect(stage.seen('start'), output).toMatchObject([
      { subagent_type: 'general-purpose', task: 'Make a file.' },
    ])
    expect(told).toHaveLength(2)
    expect(told.at(-1)).toContain('Do it yourself.')
  })

  it('denies an MCP tool, and replaces what another gave', async () => {
    const settings = { mcpServers: { my_things: EVERYTHING } }
    const content = [{ type: 'text', text: 'Masked.' }]
    const deny = { permission: 'deny', agent_message: 'Not that tool.' }
    await stage.hooks('qwen', {
      beforeMCPExecution: [stage.hook('mcp', deny, { matcher: 'get-sum' })],
      postToolUse: [stage.hook('post', { updated_mcp_tool_output: { content } })],
    })
    const calls: Call[] = [
      { call: 'mcp__my_things__get-sum', args: { a: 1, b: 2 } },
      { call: 'tool_call', args: { name: 'mcp__my_things__echo', arguments: { message: 'avocet' } } },
    ]
    const { told, output } = await runQwen(stage, 'Go.', calls, settings)
    expect(stage.seen('mcp'), output).toMatchObject([
      { tool_name: 'get-sum', mcp_server_name: 'my_things', tool_input: '{"a":1,"b":2}' },
    ])
    expect(told.at(-1)).toContain('Not that tool.')
    expect(told.at(-1)).not.toContain('The sum of')
    expect(stage.seen('post')).toHaveLength(1)
    expect(told.at(-1)).toContain('Masked.')
    expect(told.at(-1)).not.toContain('Echo: avocet')
  })

  it('does not run a command when holdfast itself is gone', async () => {
    await stage.hooks('qwen', { beforeShellExecution: [stage.hook('shell')] })
    const path = join(stage.home, '.qwen/settings.json')
    const settings = JSON.parse(stage.place.read(path))
    const { PreToolUse } = settings.hooks
    PreToolUse[0].hooks[0].command = PreToolUse[0].hooks[0].command.replace(
      'holdfast bridge',
      'gone/holdfast bridge',
    )
    stage.place.write(path, JSON.stringify({ hooks: { PreToolUse } }))
    const { told, output } = await runQwen(stage, 'Run.', [{ shell: 'echo no > made.txt' }])
    expect(told, output).toHaveLength(2)
    expect(stage.has('made.txt')).toBe(false)
  })

  it('does not hand its key to hooks', async () => {
    await stage.hooks('qwen', { beforeShellExecution: [{ command: `env > ${stage.place.base}/env` }] })
    const { output } = await runQwen(stage, 'Go.', [{ shell: 'true' }])
    const env = stage.place.read(join(stage.place.base, 'env'))
    expect(env, output).toContain('QWEN_PROJECT_DIR=')
    expect(env).not.toContain(KEY)
  })
})
