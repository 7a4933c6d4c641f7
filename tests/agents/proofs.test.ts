// The same guarantees for every agent: its real program, its real hooks, and a model on this machine that follows a
// script. `npm run test:agents` runs them. They are not part of `npm test`, because the programs are large.

import { join } from 'node:path'
import { findBridge } from '@holdfast/hooks/bridges'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { DRIVERS } from './drivers.js'
import { installed } from './program.js'
import { Stage } from './stage.js'

const NAMED = DRIVERS.map(one => [one.title ?? one.agent, one] as const)

describe.each(NAMED)('%s', (_, { agent, program, run, cannot = {} }) => {
  beforeAll(() => installed(program).then(() => {}), 600_000)

  let stage: Stage
  beforeEach(() => {
    stage = new Stage()
  })
  afterEach(() => stage.close())

  it('has no undocumented limitation', () => {
    const features = Object.keys(findBridge(agent)!.limitations)
    for (const feature of Object.values(cannot)) expect(features).toContain(feature)
  })

  it('runs the command when no hook objects', async () => {
    await stage.hooks(agent, { beforeShellExecution: [stage.hook('shell')] })
    const { output } = await run(stage, 'Make a file.', [{ shell: 'echo yes > made.txt' }])
    expect(stage.has('made.txt'), output).toBe(true)
    expect(stage.seen('shell')).toMatchObject([{ command: 'echo yes > made.txt' }])
  })

  it('a deny stops the command, and the model receives the reason', async () => {
    const deny = { permission: 'deny', user_message: 'Not here.', agent_message: 'Ask the release team.' }
    await stage.hooks(agent, { beforeShellExecution: [stage.hook('shell', deny)] })
    const { output, told } = await run(stage, 'Make a file.', [{ shell: 'echo no > made.txt' }])
    expect(stage.seen('shell'), output).toHaveLength(1)
    expect(stage.has('made.txt'), output).toBe(false)
    expect(told.at(-1)).toContain('Ask the release team.')
  })

  it('a hook that crashes and fails closed stops the command', async () => {
    await stage.hooks(agent, { beforeShellExecution: [{ command: 'exit 3', failClosed: true }] })
    const { output, told } = await run(stage, 'Make a file.', [{ shell: 'echo no > made.txt' }])
    expect(told.length, output).toBeGreaterThan(1)
    expect(stage.has('made.txt'), output).toBe(false)
  })

  it('a hooks.json that is broken stops the command, and names the line', async () => {
    await stage.hooks(agent, { beforeShellExecution: [stage.hook('shell')] })
    stage.place.write(join(stage.home, '.cursor/hooks.json'), '{\n  "version": 1,\n  "hooks": {')
    const { output, told } = await run(stage, 'Make a file.', [{ shell: 'echo no > made.txt' }])
    expect(stage.has('made.txt'), output).toBe(false)
    expect(told.at(-1)).toMatch(/user source is required.*line 3, column \d+/s)
  })

  it('a question that nobody can answer stops the command', async () => {
    const ask = { permission: 'ask', user_message: 'Really?' }
    await stage.hooks(agent, { beforeShellExecution: [stage.hook('shell', ask)] })
    const { output } = await run(stage, 'Make a file.', [{ shell: 'echo no > made.txt' }])
    expect(stage.seen('shell'), output).toHaveLength(1)
    expect(stage.has('made.txt'), output).toBe(false)
  })

  it('a command that breaks hooks.json is stopped, although no hook objects', async () => {
    await stage.hooks(agent, { beforeShellExecution: [stage.hook('shell')] })
    const before = stage.text(stage.userHooks)
    const { output, told } = await run(stage, 'Break it.', [{ shell: `echo '{' > ~/.cursor/hooks.json` }])
    expect(told.length, output).toBeGreaterThan(1)
    expect(stage.text(stage.userHooks), output).toBe(before)
  })

  it('a guard that a script of the agent removes still stops the command', async () => {
    const none = '{"version":1,"hooks":{}}'
    stage.place.write('tidy.sh', `echo '${none}' > ${stage.userHooks}\n`)
    await stage.hooks(agent, { beforeShellExecution: [stage.hook('shell', null, { matcher: 'made' })] })
    const turns = [{ shell: 'sh tidy.sh' }, { shell: 'echo no > made.txt' }]
    const { output, told } = await run(stage, 'Tidy up.', turns)
    expect(stage.text(stage.userHooks).trim(), output).toBe(none)
    expect(stage.has('made.txt'), output).toBe(false)
    expect(told.at(-1)).toContain('Only the user can accept this change')
  })

  it('a rewrite changes the command', async () => {
    const rewrite = { updated_input: { command: 'echo other > other.txt' } }
    await stage.hooks(agent, { preToolUse: [stage.hook('tool', rewrite, { matcher: 'Shell' })] })
    const { output, told } = await run(stage, 'Make a file.', [{ shell: 'echo no > made.txt' }])
    expect(stage.has('made.txt'), output).toBe(false)
    const isLost = 'a rewrite changes the command' in cannot
    expect(stage.has('other.txt'), output).toBe(!isLost)
    if (isLost) expect(told.at(-1)).toContain('echo other > other.txt')
  })

  it('context of the session arrives at the model', async () => {
    const context = { additional_context: 'The canary word is plover.' }
    await stage.hooks(agent, { sessionStart: [stage.hook('start', context)] })
    const { output, told } = await run(stage, 'Hello.', [{ say: 'Hello.' }])
    expect(stage.seen('start'), output).toHaveLength(1)
    expect(told[0]).toContain('The canary word is plover.')
  })

  it('context of a tool call arrives at the model', async () => {
    const context = { additional_context: 'The canary word is dunlin.' }
    await stage.hooks(agent, { postToolUse: [stage.hook('post', context)] })
    const { output, told } = await run(stage, 'Make a file.', [{ shell: 'echo yes > made.txt' }])
    expect(stage.seen('post'), output).toHaveLength(1)
    expect(told.at(-1)).toContain('The canary word is dunlin.')
  })

  it('what the command printed reaches the hooks', async () => {
    await stage.hooks(agent, { afterShellExecution: [stage.hook('after')] })
    const { output } = await run(stage, 'Say it.', [{ shell: 'echo turnstone' }])
    expect(stage.seen('after'), output).toMatchObject([{ command: 'echo turnstone' }])
    expect(stage.seen('after')[0]!.output).toContain('turnstone')
  })

  it('a stop hook sends the agent on, and its limit ends that', async () => {
    const followup = { followup_message: 'Go on with the next one.' }
    await stage.hooks(agent, { stop: [stage.hook('stop', followup, { loop_limit: 2 })] })
    const { output, told } = await run(stage, 'Begin.', [{ say: 'One.' }, { say: 'Two.' }, { say: 'Three.' }])
    if ('a stop hook sends the agent on, and its limit ends that' in cannot) {
      expect(stage.seen('stop'), output).toHaveLength(1)
      return
    }
    expect(
      stage.seen('stop').map(({ loop_count }) => loop_count),
      output,
    ).toEqual([0, 1, 2])
    expect(told).toHaveLength(3)
    expect(told[1]).toContain('Go on with the next one.')
  })

  it('a prompt is blocked before the model sees it', async () => {
    const block = { continue: false, user_message: 'That is a secret.' }
    await stage.hooks(agent, { beforeSubmitPrompt: [stage.hook('prompt', block)] })
    const { output, told } = await run(stage, 'The code word is whimbrel.', [{ say: 'Hello.' }])
    expect(stage.seen('prompt'), output).toMatchObject([{ prompt: 'The code word is whimbrel.' }])
    expect(told.join('\n')).not.toContain('whimbrel')
  })

  it('a session begins once and ends once', async () => {
    await stage.hooks(agent, { sessionStart: [stage.hook('start')], sessionEnd: [stage.hook('end')] })
    const { output } = await run(stage, 'Hello.', [{ say: 'Hello.' }])
    expect(stage.seen('start'), output).toHaveLength(1)
    const isLost = 'a session begins once and ends once' in cannot
    // Some agents end before their hooks.
    await vi.waitFor(() => expect(stage.seen('end').length, output).toBe(isLost ? 0 : 1), 10_000)
  })

  it('what is uninstalled is silent', async () => {
    await stage.hooks(agent, { beforeShellExecution: [stage.hook('shell', { permission: 'deny' })] })
    await stage.holdfast('uninstall', agent)
    const { output } = await run(stage, 'Make a file.', [{ shell: 'echo yes > made.txt' }])
    expect(stage.has('made.txt'), output).toBe(true)
    expect(stage.seen('shell')).toEqual([])
  })
})
