// What only Cline does, in the real program.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cline, runCline } from './cline.js'
import type { Call } from './completions.js'
import { installed } from './program.js'
import { Stage } from './stage.js'

const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
)

let stage: Stage
beforeEach(() => {
  stage = new Stage()
})
afterEach(() => stage.close())

const file = (path: string) => join(stage.project, path)

describe('cline', () => {
  beforeAll(() => installed(cline.program).then(() => {}), 600_000)

  it('does not read a file when a hook denies it, also not one of a prompt', async () => {
    stage.place.write('key.txt', 'KEY=avocet\n')
    const deny = { permission: 'deny', user_message: 'Not that one.' }
    await stage.hooks('cline', { beforeReadFile: [stage.hook('read', deny)] })
    const { told, output } = await runCline(stage, 'Read it.', [{ read: 'key.txt' }])
    expect(stage.seen('read'), output).toMatchObject([
      { file_path: file('key.txt'), content: 'KEY=avocet\n' },
    ])
    expect(told.at(-1)).toContain('Not that one.')
    expect(told.at(-1)).not.toContain('avocet')
    const named = await runCline(stage, 'Look at @key.txt', [])
    expect(named.told, named.output).toEqual([])
  })

  it('judges each command of a call, and runs none if one is denied', async () => {
    const deny = { permission: 'deny', agent_message: 'Only the other one.' }
    await stage.hooks('cline', {
      beforeShellExecution: [stage.hook('shell', deny, { matcher: 'second' })],
      preToolUse: [stage.hook('tool')],
    })
    const both: Call = { call: 'run_commands', args: { commands: ['echo > first', 'echo > second'] } }
    const other: Call = { call: 'run_commands', args: { commands: 'echo > second' } }
    const { told, output } = await runCline(stage, 'Go on.', [both, other])
    expect(stage.has('first') || stage.has('second'), output).toBe(false)
    expect(stage.seen('shell')).toMatchObject([{ command: 'echo > second' }])
    const commands = stage.seen('tool').map(({ tool_input }) => (tool_input as { command: string }).command)
    expect(commands.sort()).toEqual(['echo > first', 'echo > second'])
    expect(told.at(-1)).toContain('Only the other one.')
    expect(told.at(-1)).toContain('Call run_commands with a list in')
  })

  it('sends files that were written with their edits, and the exit code of a command', async () => {
    stage.place.write('old.txt', 'one\ntwo\n')
    await stage.hooks('cline', {
      afterFileEdit: [stage.hook('edit')],
      afterShellExecution: [stage.hook('after')],
    })
    const edit: Call = { call: 'editor', args: { path: file('old.txt'), old_text: 'two', new_text: 'three' } }
    const turns = [{ write: 'new.txt', content: 'made\n' }, edit, { shell: 'echo x; exit 4' }]
    const { output } = await runCline(stage, 'Write it.', turns)
    expect(stage.text('old.txt'), output).toBe('one\nthree\n')
    expect(stage.seen('edit')).toMatchObject([
      { file_path: file('new.txt'), edits: [{ old_string: '', new_string: 'made\n' }] },
      { file_path: file('old.txt'), edits: [{ old_string: 'two', new_string: 'three' }] },
    ])
    expect(stage.seen('after')).toMatchObject([{ exit_code: 4, output: 'x\n' }])
  })

  it('guards the calls of a subagent, and denies its start', async () => {
    const deny = { permission: 'deny', agent_message: 'Not here.' }
    await stage.hooks('cline', {
      subagentStart: [stage.hook('start')],
      subagentStop: [stage.hook('stop')],
      beforeShellExecution: [stage.hook('shell', deny)],
      beforeSubmitPrompt: [stage.hook('prompt')],
    })
    const args = { systemPrompt: 'You help.', task: 'Make a file.' }
    const turns = [{ call: 'spawn_agent', args }, { shell: 'echo no > made.txt' }, { say: 'I cannot.' }]
    const { told, output } = await runCline(stage, 'Go on.', turns)
    expect(stage.has('made.txt'), output).toBe(false)
    expect(stage.seen('start')).toMatchObject([{ task: 'Make a file.' }])
    expect(stage.seen('shell')[0]!.parent_conversation_id).toBe(stage.seen('start')[0]!.conversation_id)
    expect(stage.seen('stop')).toMatchObject([{ summary: 'I cannot.' }])
    expect(stage.seen('prompt')).toHaveLength(1)
    expect(told.at(-1)).toContain('I cannot.')
  })

  it('denies an MCP tool, and replaces what another gave', async () => {
    const mcpServers = { ev: { command: process.execPath, args: [EVERYTHING, 'stdio'] } }
    stage.addToHome('.cline/data/settings/cline_mcp_settings.json', { mcpServers })
    const content = [{ type: 'text', text: 'Masked.' }]
    const deny = { permission: 'deny', agent_message: 'Not that tool.' }
    await stage.hooks('cline', {
      beforeMCPExecution: [stage.hook('mcp', deny, { matcher: 'get-sum' })],
      postToolUse: [stage.hook('post', { updated_mcp_tool_output: { content } })],
    })
    const calls: Call[] = [
      { call: 'ev__get-sum', args: { a: 1, b: 2 } },
      { call: 'ev__echo', args: { message: 'avocet' } },
    ]
    const { told, output } = await runCline(stage, 'Go on.', calls)
    expect(stage.seen('mcp'), output).toMatchObject([
      { tool_name: 'get-sum', mcp_server_name: 'ev', tool_input: '{"a":1,"b":2}' },
    ])
    expect(told.at(-1)).toContain('Not that tool.')
    expect(told.at(-1)).not.toContain('The sum of')
    expect(told.at(-1)).toContain('Masked.')
    expect(told.at(-1)).not.toContain('Echo: avocet')
  })

  it('stops the call when holdfast cannot start, or takes too long', async () => {
    await stage.hooks('cline', { beforeShellExecution: [stage.hook('shell')] })
    const plugin = join(stage.home, '.cline/plugins/holdfast.js')
    const text = stage.text(plugin)
    stage.place.write(plugin, text.replaceAll('holdfast bridge', 'holdfast-gone bridge'))
    const gone = await runCline(stage, 'Make a file.', [{ shell: 'echo no > made.txt' }])
    expect(stage.has('made.txt'), gone.output).toBe(false)
    expect(gone.told.join('\n')).not.toContain('Done.')
    stage.place.write(plugin, text)
    stage.place.user({ beforeShellExecution: [{ command: 'sleep 20', timeout: 30 }] })
    const slow = await runCline(stage, 'Make a file.', [{ shell: 'echo no > made.txt' }])
    expect(stage.has('made.txt'), slow.output).toBe(false)
    expect(slow.told.at(-1)).toContain('holdfast did not respond in time.')
  })

  it('marks the commands of its tools', async () => {
    await stage.hooks('cline', { beforeShellExecution: [stage.hook('shell')] })
    const { output } = await runCline(stage, 'Look around.', [{ shell: 'env > env.txt' }])
    expect(stage.text('env.txt'), output).toMatch(/^CLINE_CONNECTOR_CLI_LAUNCH=/m)
  })
})
