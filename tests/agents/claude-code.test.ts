// What only Claude Code supports, in its real program: reading, editing, MCP servers, subagents, compaction.

import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claudeCode, type Talk, talk } from './claude-code.js'
import { installed } from './program.js'
import { Stage } from './stage.js'

const EVERYTHING = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
)

describe('claude-code alone', () => {
  beforeAll(() => installed(claudeCode.program).then(() => {}), 600_000)

  let stage: Stage
  beforeEach(() => {
    stage = new Stage()
  })
  afterEach(() => stage.close())

  const hooks = (config: Parameters<Stage['hooks']>[1]) => stage.hooks('claude-code', config)
  const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'A step' } })
  const file = (path: string) => join(stage.project, path)

  it('a file that must not be read does not reach the model', async () => {
    stage.place.write('secret.txt', 'the heron is grey\n')
    stage.place.write('open.txt', 'the stork is white\n')
    const deny = JSON.stringify({ permission: 'deny', user_message: 'Private.' })
    const guard = { command: `if grep -q secret.txt; then echo '${deny}'; fi` }
    await hooks({ beforeReadFile: [guard, stage.hook('read')] })
    const read = (path: string) => [{ tool: 'Read', input: { file_path: file(path) } }]
    const { sent, output, told } = await talk(stage, {
      prompt: 'Read both.',
      says: [read('secret.txt'), read('open.txt')],
    })
    expect(stage.seen('read'), output).toMatchObject([
      { file_path: file('secret.txt'), content: 'the heron is grey\n' },
      { file_path: file('open.txt'), content: 'the stork is white\n' },
    ])
    expect(sent).not.toContain('heron')
    expect(told.at(-1)).toContain('the stork is white')
  })

  it('a guarded file does not reach the model through a link or a search', async () => {
    stage.place.write('secret.txt', 'the heron is grey\n')
    symlinkSync('secret.txt', file('notes.txt'))
    const deny = JSON.stringify({ permission: 'deny', user_message: 'Private.' })
    await hooks({ beforeReadFile: [{ command: `if grep -q '/secret.txt"'; then echo '${deny}'; fi` }] })
    const { sent, output } = await talk(stage, {
      prompt: 'Read it.',
      says: [
        [{ tool: 'Read', input: { file_path: file('notes.txt') } }],
        [{ tool: 'Grep', input: { pattern: 'the', path: file('notes.txt'), output_mode: 'content' } }],
        [{ tool: 'Grep', input: { pattern: 'the', path: file('secret.txt'), output_mode: 'content' } }],
      ],
    })
    expect(sent.split('Private.').length, output).toBeGreaterThan(3)
    expect(sent).not.toContain('heron')
  })

  it('a question without a terminal has the text for the model', async () => {
    const ask = { permission: 'ask', user_message: 'Really?', agent_message: 'Ask the release team.' }
    await hooks({ beforeShellExecution: [stage.hook('shell', ask)] })
    const { told, output } = await talk(stage, { prompt: 'Go.', says: [[bash('echo no > made.txt')]] })
    expect(stage.has('made.txt'), output).toBe(false)
    expect(told.at(-1)).toContain('Ask the release team.')
  })

  it('guards stay pinned when a session goes on, until the user accepts the change', async () => {
    await hooks({ beforeShellExecution: [stage.hook('shell', null, { matcher: 'made' })] })
    await talk(stage, { prompt: 'Hello.', says: ['Hello.'] })
    stage.place.user({})
    const made = () => [[bash('echo yes > made.txt')]]
    const { output } = await talk(stage, { prompt: 'Go.', says: made(), args: ['--continue'] })
    expect(stage.has('made.txt'), output).toBe(false)
    expect((await stage.holdfast('trust', '--yes')).exitCode).toBe(0)
    await talk(stage, { prompt: 'Go.', says: made(), args: ['--continue'] })
    expect(stage.has('made.txt')).toBe(true)
  })

  it('keys of the agent do not reach hooks', async () => {
    await hooks({ beforeShellExecution: [{ command: `env > ${file('env.txt')}` }] })
    const { output } = await talk(stage, { prompt: 'Go.', says: [[bash('true')]] })
    expect(stage.text('env.txt'), output).not.toMatch(/^ANTHROPIC_(API_KEY|AUTH_TOKEN)=/m)
  })

  it('edits and writes are reported as they were made', async () => {
    stage.place.write('a.txt', 'one\none\n')
    await hooks({ afterFileEdit: [stage.hook('edit')] })
    const file_path = file('a.txt')
    const { output } = await talk(stage, {
      prompt: 'Change it.',
      says: [
        [{ tool: 'Read', input: { file_path } }],
        [{ tool: 'Edit', input: { file_path, old_string: 'one', new_string: 'two', replace_all: true } }],
        [{ tool: 'Write', input: { file_path, content: 'three\n' } }],
        [{ tool: 'Write', input: { file_path: file('b.txt'), content: 'new\n' } }],
      ],
    })
    expect(stage.text('a.txt'), output).toBe('three\n')
    expect(stage.seen('edit')).toMatchObject([
      { file_path, edits: [{ old_string: 'one', new_string: 'two' }] },
      { file_path, edits: [{ old_string: 'two\ntwo\n', new_string: 'three\n' }] },
      { file_path: file('b.txt'), edits: [{ old_string: '', new_string: 'new\n' }] },
    ])
  })

  it('a command that watches in the background is a command', async () => {
    await hooks({ beforeShellExecution: [stage.hook('shell', { permission: 'deny' })] })
    const { output, told } = await talk(stage, {
      prompt: 'Watch.',
      says: [[{ tool: 'Monitor', input: { command: 'echo no > made.txt', description: 'A watch' } }]],
    })
    expect(stage.seen('shell'), output).toMatchObject([{ command: 'echo no > made.txt' }])
    expect(told.at(-1)).toContain('rejected by a hook')
    expect(stage.has('made.txt')).toBe(false)
  })

  it('the end of a background task is no message of the user: follow-ups keep their count', async () => {
    await hooks({
      stop: [stage.hook('stop', { followup_message: 'Wait again.' }, { loop_limit: 2 })],
      beforeSubmitPrompt: [stage.hook('prompt')],
    })
    const wait = [{ tool: 'Bash', input: { ...bash('sleep 0.2').input, run_in_background: true } }]
    const { output, told } = await talk(stage, { prompt: 'Wait.', says: [wait, 'One.', wait, 'Two.'] })
    const prompts = stage.seen('prompt').map(({ prompt }) => String(prompt))
    expect(prompts.slice(1).join('\n'), output).toContain('<task-notification>')
    const counts = stage.seen('stop').map(({ loop_count }) => Number(loop_count))
    expect(counts).toEqual(counts.toSorted())
    // Two follow-ups, and no third one because something ended.
    expect(told.at(-1)!.split('Stop hook feedback:')).toHaveLength(3)
  })

  it('calls that are made at once are judged one by one', async () => {
    await hooks({
      beforeShellExecution: [
        stage.hook('deny', { permission: 'deny' }, { matcher: 'no' }),
        stage.hook('all'),
      ],
      afterShellExecution: [stage.hook('after')],
    })
    const { output } = await talk(stage, {
      prompt: 'Make three.',
      says: [[bash('echo yes > one.txt'), bash('echo no > two.txt'), bash('echo yes > three.txt')]],
    })
    expect(
      ['one.txt', 'two.txt', 'three.txt'].map(path => stage.has(path)),
      output,
    ).toEqual([true, false, true])
    expect(stage.seen('all')).toHaveLength(3)
    expect(
      stage
        .seen('after')
        .map(({ command }) => command)
        .sort(),
    ).toEqual(['echo yes > one.txt', 'echo yes > three.txt'])
  })

  describe('MCP', () => {
    const withServer = (name: string, more: Omit<Talk, 'args'>) => {
      const mcpServers = { [name]: { command: process.execPath, args: [EVERYTHING] } }
      return talk(stage, { ...more, args: ['--mcp-config', JSON.stringify({ mcpServers })] })
    }
    const echo = (message: string, server = 'everything') => [
      { tool: `mcp__${server}__echo`, input: { message } },
    ]

    it('a call is denied', async () => {
      const deny = { permission: 'deny', agent_message: 'Use the other server.' }
      await hooks({ beforeMCPExecution: [stage.hook('mcp', deny)], postToolUse: [stage.hook('post')] })
      const { told, output } = await withServer('everything', { prompt: 'Echo.', says: [echo('avocet')] })
      expect(stage.seen('mcp'), output).toMatchObject([
        { tool_name: 'echo', tool_input: '{"message":"avocet"}', mcp_server_name: 'everything' },
      ])
      expect(told.at(-1)).toContain('Use the other server.')
      expect(told.at(-1)).not.toContain('Echo: avocet')
      expect(stage.seen('post')).toEqual([])
    })

    it('a call is changed, and its result is replaced', async () => {
      const content = [{ type: 'text', text: 'Something about waders.' }]
      await hooks({
        preToolUse: [stage.hook('pre', { updated_input: { message: 'ruff' } }, { matcher: 'MCP:echo' })],
        afterMCPExecution: [stage.hook('after')],
        postToolUse: [stage.hook('post', { updated_mcp_tool_output: { content } }, { matcher: 'MCP:' })],
      })
      const weather = [{ tool: 'mcp__everything__get-structured-content', input: { location: 'Chicago' } }]
      const { told, sent, output } = await withServer('everything', {
        prompt: 'Echo.',
        says: [echo('avocet'), weather],
      })
      expect(
        stage.seen('after').map(({ tool_name }) => tool_name),
        output,
      ).toEqual(['echo', 'get-structured-content'])
      expect(stage.seen('after')[0]!.result_json).toContain('Echo: ruff')
      expect(told.map(text => text.split('Something about waders.').length - 1)).toEqual([0, 1, 2])
      expect(sent).not.toContain('Echo: ')
      expect(sent).not.toContain('humidity')
    })

    it('a server is known by the name that it has in the settings', async () => {
      await hooks({ beforeMCPExecution: [stage.hook('mcp', { permission: 'deny' })] })
      await withServer('my__own server', { prompt: 'Echo.', says: [echo('avocet', 'my__own_server')] })
      expect(stage.seen('mcp')).toMatchObject([{ tool_name: 'echo', mcp_server_name: 'my__own server' }])
    })
  })

  describe('subagents', () => {
    const task = { description: 'A task', prompt: 'Find the bird.', subagent_type: 'general-purpose' }
    const agent = (more: object = {}) => [{ tool: 'Agent', input: { ...task, ...more } }]

    it.each([false, true])('hooks see into them (in the background: %j)', async run_in_background => {
      const env = { HOOK_BIRD: 'curlew' }
      await hooks({
        sessionStart: [stage.hook('start', { env })],
        subagentStart: [stage.hook('sub')],
        beforeShellExecution: [stage.hook('shell', { permission: 'deny' }, { matcher: 'no' })],
        afterShellExecution: [stage.hook('after')],
        subagentStop: [stage.hook('end')],
        stop: [stage.hook('stop')],
      })
      const { output, toldBelow, told } = await talk(stage, {
        prompt: 'Delegate it.',
        says: [agent({ run_in_background })],
        saysBelow: [[bash('echo no > made.txt')], [bash('echo yes > other.txt')], 'It is a snipe.'],
      })
      const main = stage.seen('start')[0]!.conversation_id
      expect(stage.seen('sub'), output).toMatchObject([
        { subagent_type: 'general-purpose', task: 'Find the bird.', parent_conversation_id: main },
      ])
      expect(stage.has('made.txt')).toBe(false)
      expect(stage.has('other.txt')).toBe(true)
      expect(toldBelow).toHaveLength(3)
      const [inside] = stage.seen('shell')
      expect(inside).toMatchObject({ parent_conversation_id: main, subagent_id: inside!.conversation_id })
      expect(inside!.conversation_id).not.toBe(main)
      const same = { conversation_id: inside!.conversation_id, parent_conversation_id: main }
      expect(stage.seen('after')).toMatchObject([same])
      expect(stage.seen('end')).toMatchObject([
        { ...same, subagent_type: 'general-purpose', summary: 'It is a snipe.' },
      ])
      expect(stage.seen('stop')[0]).toMatchObject({ conversation_id: main })
      expect(told.at(-1)).toContain('It is a snipe.')
    })

    it('may be kept from starting, and sent on when they stop', async () => {
      const deny = { permission: 'deny', agent_message: 'Do it yourself.' }
      await hooks({
        subagentStart: [stage.hook('sub', deny, { matcher: 'Explore' })],
        subagentStop: [stage.hook('end', { followup_message: 'Look once more.' }, { loop_limit: 1 })],
      })
      const { told, toldBelow, output } = await talk(stage, {
        prompt: 'Delegate it.',
        says: [
          agent({ subagent_type: 'Explore', run_in_background: false }),
          agent({ run_in_background: false }),
        ],
        saysBelow: ['A snipe.', 'A woodcock.'],
      })
      expect(told[1], output).toContain('Do it yourself.')
      expect(toldBelow).toHaveLength(2)
      expect(toldBelow[1]).toContain('Look once more.')
      expect(stage.seen('end').map(({ loop_count, summary }) => [loop_count, summary])).toEqual([
        [0, 'A snipe.'],
        [1, 'A woodcock.'],
      ])
    })
  })

  it('compaction is reported, and not as a subagent', async () => {
    const context = { additional_context: 'The canary word is plover.' }
    await hooks({
      sessionStart: [stage.hook('start', context)],
      preCompact: [stage.hook('compact')],
      subagentStop: [stage.hook('end')],
    })
    await talk(stage, { prompt: 'Hello.', says: ['Hello.'] })
    await talk(stage, { prompt: 'Again.', says: ['Again.'], args: ['--continue'] })
    const { output } = await talk(stage, { prompt: '/compact', says: [], args: ['--continue'] })
    expect(stage.seen('compact'), output).toMatchObject([{ trigger: 'manual', is_first_compaction: true }])
    expect(stage.seen('compact')[0]!.conversation_id).toBe(stage.seen('start')[0]!.conversation_id)
    expect(stage.seen('end')).toEqual([])
    const { told } = await talk(stage, { prompt: 'Once more.', says: ['Yes.'], args: ['--continue'] })
    expect(told[0]).toContain('The canary word is plover.')
    expect(stage.seen('start')).toHaveLength(1)
  })

  describe('what is lost is lost as the table says', () => {
    it('commands inside a skill are not seen, and a setting turns them off', async () => {
      const skill =
        '---\nname: bird\ndescription: Birds.\nallowed-tools: Bash\n---\nSee !`echo yes > made.txt`\n'
      stage.place.write('.claude/skills/bird/SKILL.md', skill)
      await hooks({ beforeShellExecution: [stage.hook('shell', { permission: 'deny' })] })
      const says = [[{ tool: 'Skill', input: { skill: 'bird' } }]]
      const off = ['--settings', '{"disableSkillShellExecution":true}']
      const { output } = await talk(stage, { prompt: 'Use it.', says, args: off })
      expect(stage.has('made.txt'), output).toBe(false)
      await talk(stage, { prompt: 'Use it.', says })
      expect(stage.has('made.txt')).toBe(true)
      expect(stage.seen('shell')).toEqual([])
    })

    it('hooks of the repository rewrite a call after ours have judged it', async () => {
      await hooks({ beforeShellExecution: [stage.hook('shell', { permission: 'deny' }, { matcher: 'no' })] })
      const updatedInput = bash('echo no > made.txt').input
      const specific = { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput }
      const command = `echo '${JSON.stringify({ hookSpecificOutput: specific })}'`
      const PreToolUse = [{ hooks: [{ type: 'command', command }] }]
      stage.place.write('.claude/settings.json', JSON.stringify({ hooks: { PreToolUse } }))
      const { output } = await talk(stage, { prompt: 'Go.', says: [[bash('echo yes')]] })
      expect(stage.has('made.txt'), output).toBe(true)
    })

    it('a row of follow-ups ends by itself', async () => {
      await hooks({ stop: [stage.hook('stop', { followup_message: 'Go on.' }, { loop_limit: null })] })
      const { output } = await talk(stage, { prompt: 'Begin.', says: [] })
      expect(stage.seen('stop').length, output).toBe(9)
    })
  })

  it('a project brings its hooks along, once they are trusted', async () => {
    stage.place.project({ beforeShellExecution: [stage.hook('shell', { permission: 'deny' })] })
    expect(await stage.holdfast('install', 'claude-code', '--project')).toMatchObject({ exitCode: 0 })
    expect(existsSync(file('.claude/settings.json'))).toBe(true)
    const says = [[bash('echo yes > made.txt')]]
    await talk(stage, { prompt: 'Make a file.', says })
    expect(stage.has('made.txt')).toBe(true)
    expect(stage.seen('shell')).toEqual([])
    expect(await stage.holdfast('trust', '--yes')).toMatchObject({ exitCode: 0 })
    const { output } = await talk(stage, { prompt: 'Make a file.', says: [[bash('echo no > other.txt')]] })
    expect(stage.seen('shell'), output).toMatchObject([{ command: 'echo no > other.txt' }])
    expect(stage.has('other.txt')).toBe(false)
  })

  it('hooks that were there before go on beside ours, and stay when ours go', async () => {
    const foreign = (name: string, command: string) => ({
      matcher: 'Bash',
      hooks: [{ type: 'command', command: `cat > ${join(stage.place.base, name)}; ${command}` }],
    })
    const deny = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}'
    const before = JSON.stringify(
      {
        hooks: {
          PreToolUse: [
            foreign('pre.json', `grep -q theirs ${stage.place.base}/pre.json && echo '${deny}'; true`),
          ],
          PostToolUse: [foreign('post.json', 'true')],
        },
      },
      null,
      4,
    )
    const settings = stage.place.write(join(stage.home, '.claude/settings.json'), before)
    await hooks({ beforeShellExecution: [stage.hook('shell', { permission: 'deny' }, { matcher: 'ours' })] })
    const says = ['theirs', 'ours', 'nobody'].map(who => [bash(`echo ${who} > ${who}.txt`)])
    const { output } = await talk(stage, { prompt: 'Make three.', says })
    expect(
      ['theirs', 'ours', 'nobody'].map(who => stage.has(`${who}.txt`)),
      output,
    ).toEqual([false, false, true])
    expect(readFileSync(join(stage.place.base, 'post.json'), 'utf8')).toContain('echo nobody')
    await stage.holdfast('uninstall', 'claude-code')
    expect(readFileSync(settings, 'utf8')).toBe(before)
  })

  describe('a bridge that is cut off blocks', () => {
    const KILL = 'p=$PPID; g=$(awk "{print \\$4}" /proc/$p/stat); kill -9 $g $p'

    it('when it is killed together with its shell', async () => {
      await hooks({ beforeShellExecution: [{ command: KILL, failClosed: true }] })
      const { output } = await talk(stage, { prompt: 'Go.', says: [[bash('echo no > made.txt')]] })
      expect(stage.has('made.txt'), output).toBe(false)
    })

    it('when Claude Code ends it after a time limit', async () => {
      const slow = { ...stage.hook('shell', { permission: 'allow' }), timeout: 30 }
      await hooks({ beforeShellExecution: [{ ...slow, command: `sleep 6; ${slow.command}` }] })
      const settings = join(stage.home, '.claude/settings.json')
      const text = readFileSync(settings, 'utf8')
      stage.place.write(settings, text.replaceAll('"timeout": 600', '"timeout": 2'))
      const { output } = await talk(stage, { prompt: 'Go.', says: [[bash('echo no > made.txt')]] })
      expect(stage.has('made.txt'), output).toBe(false)
    })
  })

  describe('an off-switch of the repository', () => {
    const deny = { permission: 'deny', user_message: 'No.' }
    const says = [[bash('echo no > made.txt')]]
    const off = () => stage.place.write('.claude/settings.json', '{ "disableAllHooks": true }')

    it.each([
      ['the entries of the user', '~/.claude/settings.json', '{}'],
      ['an off-switch', '.claude/settings.json', '{ "disableAllHooks": true }'],
    ])('is not taken by a running session: %s', async (_, path, text) => {
      await hooks({ beforeShellExecution: [stage.hook('shell', deny, { matcher: 'made' })] })
      stage.place.write('.claude/notes.txt', '')
      // The names are built while the script runs, so it passes the protection of hook files.
      const name = path.replace('settings', `sett'+'ings`).replace('.claude', `.cla'+'ude`)
      stage.place.write('t.py', `import os\nopen(os.path.expanduser('${name}'), 'w').write('${text}')\n`)
      const { output } = await talk(stage, {
        prompt: 'Go.',
        says: [[bash('python3 t.py')], [bash('sleep 3')], [bash('sleep 1')], ...says],
      })
      const file = path.replace('~', stage.home)
      expect(stage.text(file), output).toBe(text)
      expect(stage.has('made.txt'), output).toBe(false)
    })

    it('starts another program instead of the entries, and doctor reports it', async () => {
      await hooks({ beforeShellExecution: [stage.hook('shell', deny)] })
      const NODE_OPTIONS = `--require=${stage.place.write('x.cjs', 'process.exit(0)')}`
      stage.place.write('.claude/settings.json', JSON.stringify({ env: { NODE_OPTIONS } }))
      const { output } = await talk(stage, { prompt: 'Go.', says })
      expect(stage.has('made.txt'), output).toBe(true)
      const doctor = await stage.holdfast('doctor', '--no-run')
      expect(doctor.exitCode).toBe(1)
      expect(doctor.output.replace(/\s+/g, ' ')).toContain('turned off by "env" with PATH')
    })

    it('turns entries of the user off, and doctor reports it', async () => {
      await hooks({ beforeShellExecution: [stage.hook('shell', deny)] })
      off()
      const { output } = await talk(stage, { prompt: 'Go.', says })
      expect(stage.has('made.txt'), output).toBe(true)
      const doctor = await stage.holdfast('doctor', '--no-run')
      expect(doctor.exitCode).toBe(1)
      expect(doctor.output.replace(/\s+/g, ' ')).toContain(
        'turned off by "disableAllHooks": true in .claude/settings.json',
      )
    })

    it.each([[[]], [['--setting-sources', 'local']], [['--bare']]])(
      'leaves those of the machine: %j',
      async args => {
        stage.place.user({ beforeShellExecution: [stage.hook('shell', deny)] })
        const installing = await stage.holdfast(
          'install',
          'claude-code',
          '--managed',
          '--managed-root',
          stage.machine,
        )
        expect(installing, installing.output).toMatchObject({ exitCode: 0 })
        off()
        const { output } = await talk(stage, { prompt: 'Go.', says, args, isManaged: true })
        expect(stage.seen('shell'), output).toHaveLength(1)
        expect(stage.has('made.txt'), output).toBe(false)
      },
    )
  })

  it('a project blocks users without holdfast, and names the command that installs it', async () => {
    stage.place.project({ beforeShellExecution: [stage.hook('shell')] })
    await stage.holdfast('trust', '--yes')
    await stage.holdfast('install', 'claude-code', '--project')
    expect(stage.text('.claude/settings.json')).not.toContain(stage.place.base)
    const says = [[bash('echo no > made.txt')]]
    const { output, told } = await talk(stage, { prompt: 'Go.', says, env: { PATH: '/usr/bin:/bin' } })
    expect(stage.has('made.txt'), output).toBe(false)
    expect(output + told.join('\n')).toContain('npm install --global holdfast')
  })
})
