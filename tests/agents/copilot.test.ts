// What only Copilot CLI does, in the real program.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Call } from './completions.js'
import { copilot, KEY, runCopilot } from './copilot.js'
import { installed } from './program.js'
import { Stage } from './stage.js'

const HOOKS = '.copilot/hooks/holdfast.json'
const EVERYTHING = {
  type: 'local',
  command: process.execPath,
  args: [
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
    'stdio',
  ],
  tools: ['*'],
}

let stage: Stage
beforeEach(() => {
  stage = new Stage()
})
afterEach(() => stage.close())

const file = (path: string) => join(stage.project, path)

/** As if the program had been removed. */
function loseHoldfast(): void {
  const text = stage.place.read(join(stage.home, HOOKS))
  stage.place.write(join(stage.home, HOOKS), text.replaceAll('holdfast bridge', 'gone/holdfast bridge'))
}

describe('copilot', () => {
  beforeAll(() => installed(copilot.program).then(() => {}), 600_000)

  it('does not read a file when a hook denies it', async () => {
    stage.place.write('key.txt', 'KEY=avocet\n')
    const deny = { permission: 'deny', user_message: 'Not that one.' }
    await stage.hooks('copilot', { beforeReadFile: [stage.hook('read', deny)] })
    const names = ['key.txt', file('key.txt')]
    const calls = names.map((path): Call => ({ call: 'view', args: { path } }))
    const { told, output } = await runCopilot(stage, 'Read.', calls)
    const shown = stage.seen('read').map(({ file_path, content }) => [file_path, content])
    expect(shown, output).toEqual(names.map(() => [file('key.txt'), 'KEY=avocet\n']))
    expect(told.at(-1)).toContain('blocked by a security hook')
    expect(told.at(-1)).not.toContain('avocet')
  })

  it('tells files that were written with their edits', async () => {
    stage.place.write('old.txt', 'one\ntwo\n')
    await stage.hooks('copilot', { afterFileEdit: [stage.hook('edit')] })
    const edit: Call = { call: 'edit', args: { path: file('old.txt'), old_str: 'two', new_str: 'three' } }
    const { output } = await runCopilot(stage, 'Write.', [{ write: 'new.txt', content: 'made\n' }, edit])
    expect(stage.text('old.txt'), output).toBe('one\nthree\n')
    expect(stage.seen('edit')).toMatchObject([
      { file_path: file('new.txt'), edits: [{ old_string: '', new_string: 'made\n' }] },
      { file_path: file('old.txt'), edits: [{ old_string: 'two', new_string: 'three' }] },
    ])
  })

  it('tells a command that failed with its exit code, and a tool that failed', async () => {
    await stage.hooks('copilot', {
      afterShellExecution: [stage.hook('after')],
      postToolUseFailure: [stage.hook('failed')],
    })
    const { output } = await runCopilot(stage, 'Run.', [{ shell: 'echo out; exit 4' }, { read: 'none.txt' }])
    expect(stage.seen('after'), output).toMatchObject([{ output: 'out', exit_code: 4 }])
    expect(stage.seen('failed')).toMatchObject([{ tool_name: 'Read' }])
  })

  it('has hooks inside subagents, and asks before one starts', async () => {
    await stage.hooks('copilot', {
      sessionStart: [stage.hook('start', { env: { COLOR: 'teal' } })],
      beforeSubmitPrompt: [stage.hook('prompt')],
      subagentStart: [stage.hook('sub', { permission: 'deny' }, { matcher: 'explore' })],
      beforeShellExecution: [
        { command: `echo $COLOR > ${stage.place.base}/color; exit 2`, failClosed: true },
      ],
      subagentStop: [stage.hook('end')],
    })
    const start = (agent_type: string): Call => ({
      call: 'task',
      args: { description: 'A file', prompt: 'Make a file.', agent_type, name: 'one', mode: 'sync' },
    })
    const { output } = await runCopilot(stage, 'Go.', [
      start('explore'),
      start('general-purpose'),
      { shell: 'echo no > made.txt' },
      { say: 'I may not.' },
    ])
    expect(stage.seen('sub'), output).toMatchObject([{ subagent_type: 'explore', task: 'Make a file.' }])
    expect(stage.has('made.txt')).toBe(false)
    expect(stage.place.read(join(stage.place.base, 'color'))).toBe('teal\n')
    expect(stage.seen('prompt')).toMatchObject([{ prompt: 'Go.' }])
    expect(stage.seen('end')).toMatchObject([{ subagent_type: 'general-purpose', summary: 'I may not.' }])
  })

  it('denies an MCP tool under its own name, and replaces what another gave', async () => {
    stage.addToHome('.copilot/mcp-config.json', { mcpServers: { my_things: EVERYTHING } })
    const content = [{ type: 'text', text: 'Masked.' }]
    await stage.hooks('copilot', {
      preToolUse: [
        stage.hook('pre', { permission: 'deny', agent_message: 'Not that tool.' }, { matcher: 'get-sum' }),
      ],
      postToolUse: [stage.hook('post', { updated_mcp_tool_output: { content } })],
    })
    const calls: Call[] = [
      { call: 'my_things-get-sum', args: { a: 1, b: 2 } },
      { call: 'my_things-echo', args: { message: 'avocet' } },
    ]
    const { told, output } = await runCopilot(stage, 'Go.', calls)
    expect(stage.seen('pre'), output).toMatchObject([{ tool_name: 'my_things-get-sum' }])
    expect(told.at(-1)).toContain('Not that tool.')
    expect(told.at(-1)).toContain('Masked.')
    expect(told.at(-1)).not.toMatch(/The sum of|Echo: avocet/)
  })

  it('lets no prompt and no command pass when holdfast itself is gone', async () => {
    await stage.hooks('copilot', { beforeShellExecution: [stage.hook('shell')] })
    loseHoldfast()
    const { told, output } = await runCopilot(stage, 'Run.', [{ shell: 'echo no > made.txt' }])
    expect(told, output).toEqual([])
    expect(output).toContain('holdfast could not be started')
    stage.place.write(
      join(stage.home, HOOKS),
      stage.place.read(join(stage.home, HOOKS)).replaceAll('"userPromptSubmitted"', '"notThisOne"'),
    )
    const ran = await runCopilot(stage, 'Run.', [{ shell: 'echo no > made.txt' }])
    expect(ran.told, ran.output).toHaveLength(2)
    expect(stage.has('made.txt')).toBe(false)
  })

  it('runs hooks of a project that is trusted, and of no other', async () => {
    stage.place.user({ beforeShellExecution: [stage.hook('shell', { permission: 'deny' })] })
    await stage.holdfast('install', 'copilot', '--project', '--accept-loss')
    expect(stage.has('.github/hooks/holdfast.json')).toBe(true)
    const turns = [{ shell: 'echo no > made.txt' }]
    const { output } = await runCopilot(stage, 'Go.', turns, ['--trust-folder'])
    expect(stage.seen('shell'), output).toHaveLength(1)
    expect(stage.has('made.txt')).toBe(false)
    await runCopilot(stage, 'Go.', turns)
    expect(stage.seen('shell')).toHaveLength(1)
  })

  it('runs entries of the machine although the repository turns hooks off', async () => {
    stage.place.user({ beforeShellExecution: [stage.hook('shell', { permission: 'deny' })] })
    const at = ['--managed', '--managed-root', stage.machine]
    await stage.holdfast('install', 'copilot', '--accept-loss', ...at)
    stage.place.write('.github/copilot/settings.json', '{ "disableAllHooks": true }')
    const turns = [{ shell: 'echo no > made.txt' }]
    const { output, told } = await runCopilot(stage, 'Go.', turns, ['--trust-folder'], true)
    expect(stage.seen('shell'), output).toHaveLength(1)
    expect(stage.has('made.txt')).toBe(false)
    expect(told).toHaveLength(2)
    await stage.holdfast('uninstall', 'copilot', ...at)
    // The folder of the machine is gone, too.
    await runCopilot(stage, 'Go.', turns)
    expect(stage.has('made.txt')).toBe(true)
  })

  it('does not hand its key to hooks', async () => {
    await stage.hooks('copilot', { beforeShellExecution: [{ command: `env > ${stage.place.base}/env` }] })
    const { output } = await runCopilot(stage, 'Go.', [{ shell: 'true' }])
    const env = stage.place.read(join(stage.place.base, 'env'))
    expect(env, output).toContain('COPILOT_PROJECT_DIR=')
    expect(env).not.toContain(KEY)
  })
})
