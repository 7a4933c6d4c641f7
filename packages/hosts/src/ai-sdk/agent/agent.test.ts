// An agent with a scripted model, real tools, real files and real hook processes, through all of its life.

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withAgent } from './agent.js'
import { type ScriptedLine, scriptedModel } from './scripted-model.js'
import { openPlace, type Place } from './testing/place.js'
import { agentIn, eventsIn, given, namesIn, until } from './testing/running.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const names = () => namesIn(place)
const events = (name: string) => eventsIn(place, name)
const agentOf = (script: readonly ScriptedLine[], ...rest: Rest) => agentIn(place, script, ...rest)
type Rest = Parameters<typeof agentIn> extends [unknown, unknown, ...infer R] ? R : never

/** Until hooks have received it. */
const heard = (name: string) => until(() => names().includes(name))

describe('the order of events', () => {
  it('of a turn with a tool', async () => {
    place.audit()
    const { agent } = await agentOf([
      { thought: 'Look first.', text: 'I look.', calls: [{ tool: 'Shell', input: { command: 'echo hi' } }] },
      { text: 'Done.' },
    ])
    const turn = await agent.send('Look around')
    await agent.end()
    expect(turn).toMatchObject({ status: 'completed', text: 'Done.', followups: [] })
    expect(names()).toEqual([
      'sessionStart',
      'beforeSubmitPrompt',
      'afterAgentThought',
      'afterAgentResponse',
      'preToolUse',
      'beforeShellExecution',
      'afterShellExecution',
      'postToolUse',
      'afterAgentResponse',
      'stop',
      'sessionEnd',
    ])
    const [pre] = events('preToolUse')
    expect(pre).toMatchObject({
      tool_name: 'Shell',
      tool_input: { command: 'echo hi' },
      tool_use_id: 'scripted-1-1',
      cwd: place.workspace,
      agent_message: 'I look.',
      model: 'scripted',
    })
    expect(events('afterShellExecution')[0]).toMatchObject({
      command: 'echo hi',
      output: 'hi\n',
      exit_code: 0,
    })
    expect(events('postToolUse')[0]).toMatchObject({ tool_output: '{"output":"hi\\n","exitCode":0}' })
    expect(events('stop')[0]).toMatchObject({ status: 'completed', loop_count: 0, input_tokens: 20 })
    expect(events('sessionEnd')[0]).toMatchObject({ reason: 'completed', generation_id: '' })
    const ids = new Set(place.audited().map(({ conversation_id }) => conversation_id))
    expect(ids.size).toBe(1)
  })

  it('of reading and writing', async () => {
    place.audit()
    place.write('a.txt', 'one\n')
    const { agent } = await agentOf([
      { calls: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
      { calls: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'two\n' } }] },
      { calls: [{ tool: 'Delete', input: { file_path: 'a.txt' } }] },
      { text: 'Done.' },
    ])
    await agent.send('Change it')
    await agent.end()
    const inner = names().slice(2, -3)
    expect(inner).toEqual([
      'preToolUse',
      'beforeReadFile',
      'postToolUse',
      'preToolUse',
      'afterFileEdit',
      'postToolUse',
      'preToolUse',
      'postToolUse',
    ])
    const file_path = `${place.workspace}/a.txt`
    expect(events('beforeReadFile')[0]).toMatchObject({ file_path, content: 'one\n' })
    expect(events('afterFileEdit')[0]).toMatchObject({
      file_path,
      edits: [{ old_string: 'one\n', new_string: 'two\n' }],
    })
    expect(place.has('a.txt')).toBe(false)
  })

  it('of a link names the file that it leads to', async () => {
    place.audit()
    place.write('.env', 'KEY=1\n')
    symlinkSync('.env', join(place.workspace, 'notes.txt'))
    const { agent } = await agentOf([
      { calls: [{ tool: 'Read', input: { file_path: 'notes.txt' } }] },
      { calls: [{ tool: 'Write', input: { file_path: 'notes.txt', content: 'KEY=2\n' } }] },
      { text: 'Done.' },
    ])
    await agent.send('Change it')
    await agent.end()
    const file_path = join(place.workspace, '.env')
    expect(events('beforeReadFile')).toMatchObject([{ file_path, content: 'KEY=1\n' }])
    expect(events('afterFileEdit')).toMatchObject([{ file_path }])
  })

  it('of a tool that fails', async () => {
    place.audit()
    const { agent, model } = await agentOf([
      { calls: [{ tool: 'Read', input: { file_path: 'missing.txt' } }] },
      { calls: [{ tool: 'Shell', input: { command: 'sleep 30', timeout: 50 } }] },
      { text: 'Done.' },
    ])
    await agent.send('Try')
    await agent.end()
    expect(names().slice(2, -3)).toEqual([
      'preToolUse',
      'postToolUseFailure',
      'preToolUse',
      'beforeShellExecution',
      'postToolUseFailure',
    ])
    expect(events('postToolUseFailure')).toMatchObject([
      { tool_name: 'Read', error_message: 'missing.txt does not exist.', failure_type: 'error' },
      { tool_name: 'Shell', failure_type: 'timeout', is_interrupt: false },
    ])
    expect(given(model.prompts[1])).toContain('missing.txt does not exist.')
  })
})

describe('the session', () => {
  it('gives its context to the model and its variables to later hooks', async () => {
    const start = { additional_context: 'Tabs, not spaces.', env: { TEAM: 'blue' } }
    place.write('.cursor/team.sh', '#!/bin/sh\nprintf \'{"additional_context":"team %s"}\' "$TEAM"\n', 0o755)
    place.audit({
      sessionStart: [{ command: `echo '${JSON.stringify(start)}'` }],
      postToolUse: [{ command: '.cursor/team.sh' }],
    })
    const { agent, model } = await agentOf([{ calls: [{ tool: 'LS', input: {} }] }, { text: 'Done.' }], {
      instructions: 'You are an agent.',
    })
    await agent.send('Go')
    await agent.end()
    expect(model.prompts[0]![0]).toMatchObject({
      role: 'system',
      content: 'You are an agent.\n\nTabs, not spaces.',
    })
    expect(given(model.prompts[1])).toContain('team blue')
  })

  it('does not begin when a hook says so', async () => {
    place.audit({ sessionStart: [{ command: `echo '{"continue":false,"user_message":"Not today."}'` }] })
    await expect(agentOf([])).rejects.toThrow('The session was blocked by a hook: Not today.')
    expect(names()).toEqual(['sessionStart'])
  })

  it('ends once, whatever happened', async () => {
    place.audit()
    const { agent } = await agentOf([{ error: new Error('no model') }])
    await expect(agent.send('Go')).rejects.toThrow('no model')
    expect(events('stop')).toMatchObject([{ status: 'error' }])
    await Promise.all([agent.end('error', new Error('no model')), agent.end()])
    expect(events('sessionEnd')).toMatchObject([{ reason: 'error', error_message: 'no model' }])
    await expect(agent.send('More')).rejects.toThrow('ended')
  })

  it('ends on every way out of withAgent', async () => {
    place.audit()
    const hooks = await place.open()
    const options = { hooks, model: scriptedModel([]), workspace: place.workspace }
    expect(await withAgent(options, async () => 7)).toBe(7)
    const broken = withAgent(options, async () => {
      throw new Error('broken')
    })
    await expect(broken).rejects.toThrow('broken')
    const aborted = withAgent(options, async () => AbortSignal.abort().throwIfAborted())
    await expect(aborted).rejects.toThrow()
    expect(events('sessionEnd').map(({ reason }) => reason)).toEqual(['completed', 'error', 'aborted'])
  })
})

describe('a prompt', () => {
  it('that is blocked reaches neither the model nor the next message', async () => {
    const script =
      '#!/bin/sh\ngrep -q secret && echo \'{"continue":false,"user_message":"No secrets."}\'\nexit 0\n'
    place.write('.cursor/gate.sh', script, 0o755)
    place.audit({ beforeSubmitPrompt: [{ command: '.cursor/gate.sh' }] })
    const { agent, model } = await agentOf([{ text: 'Hello.' }])
    const blocked = await agent.send('my secret is 1234')
    expect(blocked).toMatchObject({
      status: 'blocked',
      blocked: 'Submission blocked by hook: No secrets.',
    })
    expect(names()).toEqual(['sessionStart', 'beforeSubmitPrompt'])
    expect((await agent.send('hello')).text).toBe('Hello.')
    await agent.end()
    expect(model.prompts).toHaveLength(1)
    expect(given(model.prompts)).not.toContain('1234')
  })
})

describe('a message', () => {
  it('that was taken back before hooks had answered is not sent', async () => {
    place.audit()
    const { agent, model } = await agentOf([])
    const turn = await agent.send('Go', { signal: AbortSignal.abort() })
    await agent.end()
    expect(turn).toMatchObject({ status: 'aborted', text: '' })
    expect(agent.messages).toEqual([])
    expect(model.prompts).toEqual([])
  })

  it('waits for the one before', async () => {
    place.audit()
    const { agent } = await agentOf([{ text: 'a' }])
    const first = agent.send('Go')
    await expect(agent.send('And')).rejects.toThrow('A turn is running')
    expect((await first).text).toBe('a')
    await agent.end()
  })
})

describe('a tool call', () => {
  it('that is denied does not happen, and the model reads why', async () => {
    const answer = JSON.stringify({ permission: 'deny', agent_message: 'Use the API.' })
    place.audit({ beforeShellExecution: [{ command: `echo '${answer}'` }] })
    const { agent, model } = await agentOf([
      { calls: [{ tool: 'Shell', input: { command: 'touch made' } }] },
      { text: 'Understood.' },
    ])
    await agent.send('Go')
    await agent.end()
    expect(place.has('made')).toBe(false)
    expect(given(model.prompts[1])).toContain('The terminal command was rejected by a hook: Use the API.')
    expect(names().slice(2, -3)).toEqual(['preToolUse', 'beforeShellExecution', 'postToolUseFailure'])
    expect(events('postToolUseFailure')[0]).toMatchObject({
      failure_type: 'permission_denied',
      tool_use_id: 'scripted-1-1',
    })
  })

  it('that is denied before everything ends with the note', async () => {
    const answer = JSON.stringify({ permission: 'deny', agent_message: 'No tools.' })
    place.audit({ preToolUse: [{ command: `echo '${answer}'` }] })
    const { agent, model } = await agentOf([{ calls: [{ tool: 'LS', input: {} }] }, { text: 'Ok.' }])
    await agent.send('Go')
    await agent.end()
    const text = 'Error: No tools.\\nAgent note: Do not suggest workarounds to the blocked tool.'
    expect(given(model.prompts[1])).toContain(text)
  })

  it('takes a changed input, and the specific hooks see it', async () => {
    const answer = JSON.stringify({ permission: 'allow', updated_input: { command: 'echo changed' } })
    place.audit({ preToolUse: [{ command: `echo '${answer}'` }] })
    const { agent, model } = await agentOf([
      { calls: [{ tool: 'Shell', input: { command: 'echo first' } }] },
      { text: 'Ok.' },
    ])
    await agent.send('Go')
    await agent.end()
    expect(events('beforeShellExecution')[0]).toMatchObject({ command: 'echo changed' })
    expect(events('postToolUse')[0]).toMatchObject({ tool_input: { command: 'echo changed' } })
    expect(given(model.prompts[1])).toContain('changed')
  })

  it('does not run with a changed input that the tool does not take', async () => {
    const answer = JSON.stringify({ permission: 'allow', updated_input: { command: 7 } })
    place.audit({ preToolUse: [{ command: `echo '${answer}'` }] })
    const { agent, model } = await agentOf([
      { calls: [{ tool: 'Shell', input: { command: 'touch made' } }] },
      { text: 'Ok.' },
    ])
    await agent.send('Go')
    await agent.end()
    expect(place.has('made')).toBe(false)
    // Twice: the hook that records events also judges the changed input.
    expect(names().slice(2, -3)).toEqual(['preToolUse', 'preToolUse', 'postToolUseFailure'])
    expect(given(model.prompts[1])).toContain('does not accept: \\"command\\" must be text.')
  })

  it('that cannot be read, or names no tool, is reported as failed', async () => {
    place.audit()
    const { agent, model } = await agentOf([
      { calls: [{ tool: 'Shell', input: { command: 7 } }] },
      { calls: [{ tool: 'Nothing', input: {} }] },
      { text: 'Ok.' },
    ])
    await agent.send('Go')
    await agent.end()
    expect(names().slice(2, -3)).toEqual(['postToolUseFailure', 'postToolUseFailure'])
    expect(events('postToolUseFailure')).toMatchObject([
      { tool_name: 'Shell', tool_input: { command: 7 } },
      { tool_name: 'Nothing', error_message: expect.stringContaining('unavailable tool') },
    ])
    expect(model.prompts).toHaveLength(3)
  })

  it.each([
    [true, true],
    [false, false],
  ])('is asked about when a hook wants it: %s', async (answer, happens) => {
    const ask = JSON.stringify({ permission: 'ask', user_message: 'Really?' })
    place.audit({ beforeShellExecution: [{ command: `echo '${ask}'` }] })
    const asked: unknown[] = []
    const onAsk = ({ message }: { message: string | null }) => {
      asked.push(message)
      return answer
    }
    const script = [{ calls: [{ tool: 'Shell', input: { command: 'touch made' } }] }, { text: 'Ok.' }]
    // The application does not ask again, because the user has agreed already.
    const { agent } = await agentOf(script, { approve: () => expect.fail('asked twice') }, { onAsk })
    await agent.send('Go')
    await agent.end()
    expect(asked).toEqual(['Really?'])
    expect(place.has('made')).toBe(happens)
  })

  it('is the application’s to approve when no hook decides', async () => {
    place.audit()
    const script = [{ calls: [{ tool: 'Shell', input: { command: 'touch made' } }] }, { text: 'Ok.' }]
    const { agent, model } = await agentOf(script, { approve: () => false })
    await agent.send('Go')
    await agent.end()
    expect(place.has('made')).toBe(false)
    expect(events('postToolUseFailure')).toMatchObject([{ failure_type: 'permission_denied' }])
    expect(given(model.prompts[1])).toContain('did not approve')
  })
})

describe('the end of a turn', () => {
  it('goes on with what hooks say, up to the limit', async () => {
    place.audit({ stop: [{ command: `echo '{"followup_message":"Once more."}'`, loop_limit: 2 }] })
    const { agent, model } = await agentOf([{ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' }])
    const turn = await agent.send('Go')
    expect(turn).toMatchObject({ text: 'c', followups: ['Once more.', 'Once more.'] })
    expect(model.prompts).toHaveLength(3)
    expect(events('stop').map(({ loop_count }) => loop_count)).toEqual([0, 1, 2])
    expect(events('beforeSubmitPrompt').map(({ prompt }) => prompt)).toEqual([
      'Go',
      'Once more.',
      'Once more.',
    ])
    await agent.end()
  })

  it('does not go on with a message that may not be sent', async () => {
    place.write('.cursor/gate.sh', '#!/bin/sh\ngrep -q Once && exit 2\nexit 0\n', 0o755)
    place.audit({
      stop: [{ command: `echo '{"followup_message":"Once more."}'` }],
      beforeSubmitPrompt: [{ command: '.cursor/gate.sh' }],
    })
    const notices: string[] = []
    const { agent, model } = await agentOf([{ text: 'a' }], { onNotice: text => notices.push(text) })
    expect(await agent.send('Go')).toMatchObject({ status: 'completed', followups: [] })
    await agent.end()
    expect(model.prompts).toHaveLength(1)
    expect(notices).toEqual([expect.stringContaining('Submission blocked by hook')])
  })

  it('comes at once when the user stops it, also in the middle of a tool', async () => {
    place.audit({ stop: [{ command: `echo '{"followup_message":"Once more."}'` }] })
    const { agent } = await agentOf([{ calls: [{ tool: 'Shell', input: { command: 'sleep 30' } }] }])
    const controller = new AbortController()
    const turn = agent.send('Go', { signal: controller.signal })
    await heard('beforeShellExecution')
    controller.abort()
    expect(await turn).toMatchObject({ status: 'aborted', followups: [] })
    await agent.end('aborted')
    expect(names().slice(-4)).toEqual(['beforeShellExecution', 'postToolUseFailure', 'stop', 'sessionEnd'])
    expect(events('postToolUseFailure')).toMatchObject([{ is_interrupt: true }])
    expect(events('stop')).toMatchObject([{ status: 'aborted' }])
  })

  it('is reported when the session ends in the middle of it', async () => {
    place.audit()
    const { agent } = await agentOf([{ calls: [{ tool: 'Shell', input: { command: 'sleep 30' } }] }])
    const turn = agent.send('Go')
    await heard('beforeShellExecution')
    await agent.end('user_close')
    expect(await turn).toMatchObject({ status: 'aborted' })
    expect(names().slice(-3)).toEqual(['postToolUseFailure', 'stop', 'sessionEnd'])
  })
})
