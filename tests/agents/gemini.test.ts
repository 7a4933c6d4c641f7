// What only Gemini CLI does, in the real program.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Call, gemini, KEY, runGemini } from './gemini.js'
import { installed } from './program.js'
import { Stage } from './stage.js'

const SETTINGS = '.gemini/settings.json'
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

const read = (file_path: string): Call => ({ call: 'read_file', args: { file_path } })
const replace = (file_path: string, old_string: string, new_string: string): Call => ({
  call: 'replace',
  args: { file_path, old_string, new_string, instruction: 'Change it.' },
})
const file = (path: string) => join(stage.project, path)
const settingsAt = (folder: string) => JSON.parse(stage.place.read(join(folder, SETTINGS)))

describe('gemini', () => {
  beforeAll(() => installed(gemini.program).then(() => {}), 600_000)

  describe('files', () => {
    it('are not read when a hook denies it, whatever the model calls them', async () => {
      stage.place.write('key.txt', 'KEY=avocet\n')
      const names = [
        'key.txt',
        '@key.txt',
        '@/key.txt',
        '%6Bey.txt',
        'k\0ey.txt',
        './src/../key.txt',
        '@%6bey.txt',
        file('key.txt'),
      ]
      const deny = { permission: 'deny', user_message: 'Not that one.' }
      await stage.hooks('gemini', { beforeReadFile: [stage.hook('read', deny)] })
      const { output, told } = await runGemini(stage, 'Read.', names.map(read))
      expect(told, output).toHaveLength(names.length + 1)
      expect(told.join('\n')).not.toContain('avocet')
      expect(told.at(-1)).toContain('blocked by a security hook')
      const shown = stage.seen('read').map(({ file_path, content }) => [file_path, content])
      expect(shown).toEqual(names.map(() => [file('key.txt'), 'KEY=avocet\n']))
    })

    it('are read when no hook objects, whatever the model calls them', async () => {
      stage.place.write('a b.txt', 'avocet\n')
      stage.place.write('100%.txt', 'dunlin\n')
      await stage.hooks('gemini', { beforeReadFile: [stage.hook('read')] })
      const names = ['@a b.txt', 'a%20b.txt', '100%.txt', 'a b.txt']
      const { output, told } = await runGemini(stage, 'Read.', names.map(read))
      expect(told.at(-1)!.match(/avocet/g), output).toHaveLength(3)
      expect(told.at(-1)).toContain('dunlin')
    })

    it('that the user names with @ are judged before the model sees them', async () => {
      stage.place.write('key.txt', 'KEY=avocet\n')
      stage.place.write('src/a.txt', 'dunlin\n')
      const deny = `case $(cat) in *avocet*) echo '{"permission":"deny","user_message":"Not that one."}';; esac`
      await stage.hooks('gemini', { beforeReadFile: [{ command: deny }] })
      const blocked = await runGemini(stage, 'See @src/a.txt and @key.txt please.', [])
      expect(blocked.output).toContain('Not that one.')
      expect(blocked.told).toEqual([])
      const { told, output } = await runGemini(stage, 'See @src please.', [])
      expect(told[0], output).toContain('dunlin')
    })

    it('that were written are reported with their edits', async () => {
      stage.place.write('old.txt', 'one\ntwo\n')
      stage.place.write('src/deep.txt', 'if (a) {\n\t\tgo()\n}\n')
      await stage.hooks('gemini', { afterFileEdit: [stage.hook('edit')] })
      const { output } = await runGemini(stage, 'Write.', [
        { write: 'new.txt', content: 'made\n' },
        { write: 'old.txt', content: 'three\n' },
        replace('old.txt', 'three', 'four'),
        replace('src/deep.txt', 'if (a) {\n  go()\n}', 'if (b) {\n  go()\n}'),
      ])
      expect(stage.text('old.txt'), output).toBe('four\n')
      expect(stage.seen('edit')).toMatchObject([
        { file_path: file('new.txt'), edits: [{ old_string: '', new_string: 'made\n' }] },
        { file_path: file('old.txt'), edits: [{ old_string: 'one\ntwo\n', new_string: 'three\n' }] },
        { file_path: file('old.txt'), edits: [{ old_string: 'three', new_string: 'four' }] },
        {
          file_path: file('src/deep.txt'),
          edits: [{ old_string: 'if (a) {\n\t\tgo()\n}\n', new_string: 'if (b) {\n  go()\n}\n' }],
        },
      ])
    })

    it('are edited at the path that hooks received, not at another of that name', async () => {
      stage.place.write('src/deep.txt', 'one\n')
      await stage.hooks('gemini', { preToolUse: [stage.hook('pre')] })
      const { told, output } = await runGemini(stage, 'Write.', [replace('deep.txt', 'one', 'two')])
      expect(stage.text('src/deep.txt'), output).toBe('one\n')
      expect(stage.seen('pre')).toMatchObject([{ tool_input: { file_path: file('deep.txt') } }])
      expect(told.at(-1)).toContain(file('deep.txt'))
    })
  })

  describe('commands', () => {
    it('that fail are reported with their exit code, which they cannot forge', async () => {
      await stage.hooks('gemini', { afterShellExecution: [stage.hook('after')] })
      const { output } = await runGemini(stage, 'Run.', [{ shell: 'echo x; echo "Exit Code: 0"; exit 4' }])
      expect(stage.seen('after'), output).toMatchObject([{ output: 'x\nExit Code: 0', exit_code: 4 }])
    })

    it('are not run when holdfast itself is gone', async () => {
      await stage.hooks('gemini', { beforeShellExecution: [stage.hook('shell')] })
      const settings = settingsAt(stage.home)
      for (const [{ hooks }] of Object.values<[{ hooks: [{ command: string }] }]>(settings.hooks)) {
        hooks[0].command = hooks[0].command.replace('holdfast bridge', 'nowhere/holdfast bridge')
      }
      delete settings.hooks.BeforeAgent
      stage.place.write(join(stage.home, SETTINGS), JSON.stringify(settings))
      const { told, output } = await runGemini(stage, 'Run.', [{ shell: 'echo no > made.txt' }])
      expect(told, output).toHaveLength(2)
      expect(stage.has('made.txt')).toBe(false)
    })

    it('that a hook asks about are denied at once', async () => {
      const ask = { permission: 'ask', user_message: 'Really?' }
      await stage.hooks('gemini', { beforeShellExecution: [stage.hook('shell', ask)] })
      const { told, exitCode, output } = await runGemini(stage, 'Run.', [{ shell: 'echo no > made.txt' }])
      // A program that hangs is ended from outside.
      expect(exitCode, output).toBe(0)
      expect(told.at(-1)).toContain('Really?')
    })
  })

  describe('subagents', () => {
    const start: Call = { call: 'invoke_agent', args: { agent_name: 'generalist', prompt: 'Make a file.' } }
    const end: Call = { call: 'complete_task', args: { result: { response: 'It is made.' } } }

    it('do not start when a hook denies it', async () => {
      const deny = { permission: 'deny', agent_message: 'Do it yourself.' }
      await stage.hooks('gemini', { subagentStart: [stage.hook('start', deny)] })
      const { told, output } = await runGemini(stage, 'Go.', [start])
      expect(stage.seen('start'), output).toMatchObject([
        { subagent_type: 'generalist', task: 'Make a file.' },
      ])
      expect(told).toHaveLength(2)
      expect(told.at(-1)).toContain('Do it yourself.')
    })

    it('have hooks inside, and their end is reported', async () => {
      await stage.hooks('gemini', {
        beforeShellExecution: [stage.hook('shell', { permission: 'deny' })],
        subagentStop: [stage.hook('stop', { followup_message: 'Look at it again.' })],
      })
      const { told, output } = await runGemini(stage, 'Go.', [start, { shell: 'echo no > made.txt' }, end])
      expect(stage.seen('shell'), output).toHaveLength(1)
      expect(stage.has('made.txt')).toBe(false)
      expect(stage.seen('stop')).toMatchObject([
        { subagent_type: 'generalist', task: 'Make a file.', status: 'completed' },
      ])
      expect(stage.seen('stop')[0]!.summary).toContain('It is made.')
      expect(told.at(-1)).toContain('Look at it again.')
    })
  })

  describe('MCP tools', () => {
    const settings = { mcpServers: { my_things: EVERYTHING } }
    const echo: Call = { call: 'mcp_my_things_echo', args: { message: 'avocet' } }
    const image: Call = { call: 'mcp_my_things_get-tiny-image', args: {} }

    it('are denied', async () => {
      const deny = { permission: 'deny', agent_message: 'Not that tool.' }
      await stage.hooks('gemini', { beforeMCPExecution: [stage.hook('mcp', deny)] })
      const { told, output } = await runGemini(stage, 'Go.', [echo], { settings })
      expect(stage.seen('mcp'), output).toMatchObject([
        { tool_name: 'echo', mcp_server_name: 'my_things', tool_input: '{"message":"avocet"}' },
      ])
      expect(told.at(-1)).toContain('Not that tool.')
      expect(told.at(-1)).not.toContain('Echo: avocet')
    })

    it('have their results replaced, images included', async () => {
      const content = [{ type: 'text', text: 'Masked.' }]
      await stage.hooks('gemini', {
        afterMCPExecution: [stage.hook('after')],
        postToolUse: [stage.hook('post', { updated_mcp_tool_output: { content } })],
      })
      const { told, output } = await runGemini(stage, 'Go.', [echo, image], { settings })
      expect(told.at(-1)!.match(/Masked\./g), output).toHaveLength(2)
      expect(told.at(-1)).not.toContain('Echo: avocet')
      expect(told.at(-1)).not.toContain('iVBORw0KGgo')
      const results = stage.seen('after').map(({ result_json }) => JSON.parse(String(result_json)))
      expect(results[0]).toEqual({ content: [{ type: 'text', text: 'Echo: avocet' }] })
      expect(results[1].content).toContainEqual(
        expect.objectContaining({ type: 'image', mimeType: 'image/png' }),
      )
    })
  })

  describe('settings', () => {
    it('of a project count in a folder that is trusted, and nowhere else', async () => {
      stage.place.user({ beforeShellExecution: [stage.hook('shell', { permission: 'deny' })] })
      await stage.holdfast('install', 'gemini', '--project')
      expect(settingsAt(stage.project).hooks).toHaveProperty('BeforeTool')
      const turns = [{ shell: 'echo no > made.txt' }]
      const refused = await runGemini(stage, 'Go.', turns, { isTrusted: false })
      expect(refused.told, refused.output).toEqual([])
      expect(refused.exitCode).not.toBe(0)
      expect(stage.seen('shell')).toEqual([])
      const { output } = await runGemini(stage, 'Go.', turns)
      expect(stage.seen('shell'), output).toHaveLength(1)
      expect(stage.has('made.txt')).toBe(false)
    })

    it('keep the hooks of others, which go on working beside ours', async () => {
      const theirs = (name: string, answer = {}) => ({
        matcher: 'run_shell_command',
        hooks: [{ type: 'command', ...stage.hook(name, answer) }],
      })
      const context = {
        hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: 'Theirs is teal.' },
      }
      const hooks = { BeforeTool: [theirs('before')], AfterTool: [theirs('after', context)] }
      stage.place.write(join(stage.home, SETTINGS), JSON.stringify({ hooks }, null, '\t'))
      await stage.hooks('gemini', {
        beforeShellExecution: [stage.hook('shell')],
        postToolUse: [stage.hook('post', { additional_context: 'Ours is plover.' })],
      })
      const { told, output } = await runGemini(stage, 'Go.', [{ shell: 'echo yes > made.txt' }])
      expect(stage.has('made.txt'), output).toBe(true)
      for (const name of ['before', 'after', 'shell', 'post']) expect(stage.seen(name), name).toHaveLength(1)
      expect(told.at(-1)).toContain('Theirs is teal.')
      expect(told.at(-1)).toContain('Ours is plover.')
    })

    it('do not hand the key of the agent to hooks', async () => {
      const all = `env > ${stage.place.base}/env`
      await stage.hooks('gemini', { beforeShellExecution: [{ command: all }] })
      const { output } = await runGemini(stage, 'Go.', [{ shell: `env > ${file('tool-env')}` }])
      const env = stage.place.read(join(stage.place.base, 'env'))
      expect(env, output).toContain('GEMINI_PROJECT_DIR=')
      expect(env).not.toContain(KEY)
    })
  })

  it('a session that is resumed goes on where it was', async () => {
    await stage.hooks('gemini', {
      sessionStart: [
        stage.hook('start', { env: { COLOR: 'teal' }, additional_context: 'The canary word is plover.' }),
      ],
      beforeShellExecution: [{ command: `echo $COLOR >> ${stage.place.base}/color` }],
      sessionEnd: [stage.hook('end')],
    })
    await runGemini(stage, 'Go.', [])
    const { output, told } = await runGemini(stage, 'On.', [{ shell: 'true' }], {
      args: ['--yolo', '--resume', 'latest'],
    })
    expect(stage.place.read(join(stage.place.base, 'color')), output).toBe('teal\n')
    expect(told[0]).toContain('The canary word is plover.')
    expect(stage.seen('start')).toHaveLength(1)
    expect(stage.seen('end')).toHaveLength(2)
  })
})
