// What only OpenCode does, in the real program.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Call } from './completions.js'
import { opencode, runOpencode } from './opencode.js'
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

describe('opencode', () => {
  beforeAll(() => installed(opencode.program).then(() => {}), 600_000)

  it('does not read a file when a hook denies it, also not one of a prompt', async () => {
    stage.place.write('key.txt', 'KEY=avocet\n')
    const deny = { permission: 'deny', user_message: 'Not that one.' }
    await stage.hooks('opencode', { beforeReadFile: [stage.hook('read', deny)] })
    const { told, output } = await runOpencode(stage, 'Read.', [{ read: 'key.txt' }])
    expect(stage.seen('read'), output).toMatchObject([
      { file_path: file('key.txt'), content: 'KEY=avocet\n' },
    ])
    expect(told.at(-1)).toContain('blocked by a security hook')
    expect(told.at(-1)).not.toContain('avocet')
    const attached = await runOpencode(stage, 'See it.', [], ['--file', file('key.txt'), '--'])
    expect(attached.told, attached.output).toEqual([])
  })

  it('sends files that were written with their edits, and the exit code of a command', async () => {
    stage.place.write('old.txt', 'one\ntwo\n')
    await stage.hooks('opencode', {
      afterFileEdit: [stage.hook('edit')],
      afterShellExecution: [stage.hook('after')],
    })
    const edit: Call = {
      call: 'edit',
      args: { filePath: file('old.txt'), oldString: 'two', newString: 'three' },
    }
    const { output } = await runOpencode(stage, 'Write.', [
      { write: 'new.txt', content: 'made\n' },
      { read: 'old.txt' },
      edit,
      { shell: 'echo x; exit 4' },
    ])
    expect(stage.text('old.txt'), output).toBe('one\nthree\n')
    expect(stage.seen('edit')).toMatchObject([
      { file_path: file('new.txt'), edits: [{ old_string: '', new_string: 'made\n' }] },
      { file_path: file('old.txt'), edits: [{ old_string: 'two', new_string: 'three' }] },
    ])
    expect(stage.seen('after')).toMatchObject([{ exit_code: 4 }])
    expect(stage.seen('after')[0]!.output).toContain('x\n')
  })

  it('guards the calls of a subagent, and denies its start', async () => {
    const deny = { permission: 'deny', agent_message: 'Not here.' }
    await stage.hooks('opencode', {
      subagentStart: [stage.hook('start')],
      subagentStop: [stage.hook('stop')],
      beforeShellExecution: [stage.hook('shell', deny)],
      beforeSubmitPrompt: [stage.hook('prompt')],
    })
    const args = { description: 'A file', prompt: 'Make a file.', subagent_type: 'general' }
    const turns = [{ call: 'task', args }, { shell: 'echo no > made.txt' }, { say: 'I cannot.' }]
    const { told, output } = await runOpencode(stage, 'Go.', turns)
    expect(stage.has('made.txt'), output).toBe(false)
    expect(stage.seen('start')).toMatchObject([{ subagent_type: 'general', task: 'Make a file.' }])
    const [shell] = stage.seen('shell')
    expect(shell).toMatchObject({ command: 'echo no > made.txt' })
    expect(shell!.parent_conversation_id).toBe(stage.seen('start')[0]!.conversation_id)
    expect(stage.seen('stop')).toMatchObject([{ summary: 'I cannot.' }])
    expect(stage.seen('prompt')).toHaveLength(1)
    expect(told.at(-1)).toContain('I cannot.')
  })

  it('denies an MCP tool, and replaces what another gave', async () => {
    const mcp = { 'my things': { type: 'local', command: [process.execPath, EVERYTHING, 'stdio'] } }
    stage.addToHome('.config/opencode/opencode.json', { mcp })
    const content = [{ type: 'text', text: 'Masked.' }]
    const deny = { permission: 'deny', agent_message: 'Not that tool.' }
    await stage.hooks('opencode', {
      beforeMCPExecution: [stage.hook('mcp', deny, { matcher: 'get-sum' })],
      postToolUse: [stage.hook('post', { updated_mcp_tool_output: { content } })],
    })
    const calls: Call[] = [
      { call: 'my_things_get-sum', args: { a: 1, b: 2 } },
      { call: 'my_things_echo', args: { message: 'avocet' } },
    ]
    const { told, output } = await runOpencode(stage, 'Go.', calls)
    expect(stage.seen('mcp'), output).toMatchObject([
      { tool_name: 'get-sum', mcp_server_name: 'my things', tool_input: '{"a":1,"b":2}' },
    ])
    expect(told.at(-1)).toContain('Not that tool.')
    expect(told.at(-1)).not.toContain('The sum of')
    expect(told.at(-1)).toContain('Masked.')
    expect(told.at(-1)).not.toContain('Echo: avocet')
  })

  it('stops the call when holdfast cannot start', async () => {
    await stage.hooks('opencode', { beforeShellExecution: [stage.hook('shell')] })
    const plugin = join(stage.home, '.config/opencode/plugins/holdfast.js')
    stage.place.write(plugin, stage.text(plugin).replaceAll('holdfast bridge', 'holdfast-gone bridge'))
    const { told, output } = await runOpencode(stage, 'Make a file.', [{ shell: 'echo no > made.txt' }])
    expect(stage.has('made.txt'), output).toBe(false)
    expect(told.join('\n')).not.toContain('Done.')
  })

  it('marks the commands of its tools', async () => {
    await stage.hooks('opencode', { beforeShellExecution: [stage.hook('shell')] })
    const { output } = await runOpencode(stage, 'Look.', [{ shell: 'env > env.txt' }])
    expect(stage.text('env.txt'), output).toMatch(/^OPENCODE=1$/m)
  })
})
