// An agent with a scripted model, real tools, real files and real hook processes, through all of its life.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codingTools } from '../tools/coding-tools.js'
import { startAgent, withAgent } from './agent.js'
import type { AgentOptions } from './options.js'
import { type ScriptedLine, scriptedModel } from './scripted-model.js'
import { openPlace, type Place } from './testing/place.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const names = () => place.audited().map(({ hook_event_name }) => hook_event_name)
const events = (name: string) => place.audited().filter(event => event.hook_event_name === name)

/** An agent on the script; hooks from hooks.json. */
async function agentOf(
  script: readonly ScriptedLine[],
  options: Partial<AgentOptions> = {},
  host: Parameters<Place['open']>[0] = {},
) {
  const hooks = options.hooks ?? (await place.open(host))
  const model = scriptedModel(script)
  const { workspace } = place
  const agent = await startAgent({ workspace, hooks, model, tools: codingTools({ workspace }), ...options })
  return { agent, model, hooks }
}

/** Until hooks have heard of it. */
const until = async (name: string) => {
  while (!names().includes(name)) await new Promise(wait => setTimeout(wait, 20))
}

/** The text of everything that the model was given at one call. */
const given = (prompt: unknown) => JSON.stringify(prompt)

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
    await expect(agent.send('And')).rejects.toThrow('being worked on')
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
    expect(names().slice(2, -3)).toEqual(['preToolUse', 'postToolUseFailure'])
    expect(given(model.prompts[1])).toContain('does not take: \\"command\\" must be text.')
  })

  it('that cannot be read, or names no tool, is told as one that failed', async () => {
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
    // The application's own question is not put once more: the person said yes already.
    const { agent } = await agentOf(script, { approve: () => expect.fail('asked twice') }, { onAsk })
    await agent.send('Go')
    await agent.end()
    expect(asked).toEqual(['Really?'])
    expect(place.has('made')).toBe(happens)
  })

  it('is the application’s to approve when no hook has an opinion', async () => {
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

  it('comes at once when the person stops it, also in the middle of a tool', async () => {
    place.audit({ stop: [{ command: `echo '{"followup_message":"Once more."}'` }] })
    const { agent } = await agentOf([{ calls: [{ tool: 'Shell', input: { command: 'sleep 30' } }] }])
    const controller = new AbortController()
    const turn = agent.send('Go', { signal: controller.signal })
    await until('beforeShellExecution')
    controller.abort()
    expect(await turn).toMatchObject({ status: 'aborted', followups: [] })
    await agent.end('aborted')
    expect(names().slice(-4)).toEqual(['beforeShellExecution', 'postToolUseFailure', 'stop', 'sessionEnd'])
    expect(events('postToolUseFailure')).toMatchObject([{ is_interrupt: true }])
    expect(events('stop')).toMatchObject([{ status: 'aborted' }])
  })

  it('is told when the session ends in the middle of it', async () => {
    place.audit()
    const { agent } = await agentOf([{ calls: [{ tool: 'Shell', input: { command: 'sleep 30' } }] }])
    const turn = agent.send('Go')
    await until('beforeShellExecution')
    await agent.end('user_close')
    expect(await turn).toMatchObject({ status: 'aborted' })
    expect(names().slice(-3)).toEqual(['postToolUseFailure', 'stop', 'sessionEnd'])
  })
})

describe('subagents', () => {
  const explore = (script: readonly ScriptedLine[]) => ({
    explore: {
      description: 'looks around',
      instructions: 'Look.',
      model: scriptedModel(script, { modelId: 'small' }),
    },
  })
  const task = (subagent_type = 'explore') => ({
    tool: 'Task',
    input: { description: 'find it', prompt: 'Find the file.', subagent_type },
  })

  it('have the same hooks inside, with the ids of their parent', async () => {
    place.audit()
    const { agent, model } = await agentOf([{ calls: [task()] }, { text: 'Found.' }], {
      subagents: explore([
        { thought: 'Hm.', calls: [{ tool: 'Write', input: { file_path: 'b.txt', content: 'b' } }] },
        { text: 'It is b.txt.' },
      ]),
    })
    await agent.send('Find it')
    await agent.end()
    expect(names()).toEqual([
      'sessionStart',
      'beforeSubmitPrompt',
      'preToolUse',
      'subagentStart',
      'afterAgentThought',
      'preToolUse',
      'afterFileEdit',
      'postToolUse',
      'afterAgentResponse',
      'subagentStop',
      'postToolUse',
      'afterAgentResponse',
      'stop',
      'sessionEnd',
    ])
    const parent = agent.session.conversationId
    expect(events('subagentStart')[0]).toMatchObject({
      subagent_id: 'scripted-1-1',
      tool_call_id: 'scripted-1-1',
      subagent_type: 'explore',
      task: 'Find the file.',
      subagent_model: 'small',
      is_parallel_worker: false,
      parent_conversation_id: parent,
    })
    const [, inner] = events('preToolUse')
    expect(inner).toMatchObject({
      tool_name: 'Write',
      model: 'small',
      parent_conversation_id: parent,
      subagent_id: 'scripted-1-1',
    })
    expect(inner!.conversation_id).not.toBe(parent)
    expect(events('subagentStop')[0]).toMatchObject({
      conversation_id: inner!.conversation_id,
      parent_conversation_id: parent,
      status: 'completed',
      summary: 'It is b.txt.',
      description: 'find it',
      tool_call_count: 1,
      modified_files: [`${place.workspace}/b.txt`],
    })
    expect(given(model.prompts[1])).toContain('It is b.txt.')
  })

  it('that work side by side say so', async () => {
    place.audit()
    const { agent } = await agentOf([{ calls: [task(), task()] }, { text: 'Found.' }], {
      subagents: explore([{ text: 'a' }, { text: 'b' }]),
    })
    await agent.send('Find both')
    await agent.end()
    expect(events('subagentStart')).toMatchObject([
      { is_parallel_worker: true },
      { is_parallel_worker: true },
    ])
    expect(new Set(events('subagentStop').map(({ conversation_id }) => conversation_id)).size).toBe(2)
  })

  it('do not start when a hook says so', async () => {
    const answer = JSON.stringify({ permission: 'deny', user_message: 'Nobody explores.' })
    place.audit({ subagentStart: [{ command: `echo '${answer}'` }] })
    const subagents = explore([])
    const { agent, model } = await agentOf([{ calls: [task()] }, { text: 'Ok.' }], { subagents })
    await agent.send('Find it')
    await agent.end()
    expect(subagents.explore.model.prompts).toHaveLength(0)
    expect(given(model.prompts[1])).toContain('The subagent was rejected by a hook: Nobody explores.')
    expect(names().slice(2, -3)).toEqual(['preToolUse', 'subagentStart', 'postToolUseFailure'])
    const failed = events('postToolUseFailure')[0]
    expect(failed).toMatchObject({
      conversation_id: agent.session.conversationId,
      tool_use_id: 'scripted-1-1',
    })
  })

  it('go on with what hooks say, and fail alone', async () => {
    place.audit({ subagentStop: [{ command: `echo '{"followup_message":"Deeper."}'`, loop_limit: 1 }] })
    const first = await agentOf([{ calls: [task()] }, { text: 'Ok.' }], {
      subagents: explore([{ text: 'Shallow.' }, { error: new Error('overloaded') }]),
    })
    await first.agent.send('Find it')
    await first.agent.end()
    expect(events('subagentStop')).toMatchObject([
      { status: 'completed', loop_count: 0 },
      { status: 'error', loop_count: 1, error_message: 'overloaded' },
    ])
    expect(given(first.model.prompts[1])).toContain('The subagent failed: overloaded')
  })

  it('have no Task of their own, and unknown types are refused by the schema', async () => {
    place.audit()
    const { agent, model } = await agentOf([{ calls: [task('other')] }, { text: 'Ok.' }], {
      subagents: explore([]),
    })
    await agent.send('Find it')
    await agent.end()
    expect(names().slice(2, -3)).toEqual(['postToolUseFailure'])
    expect(events('postToolUseFailure')[0]).toMatchObject({ tool_name: 'Task', failure_type: 'error' })
    expect(given(model.prompts[1])).toContain('must be one of explore')
  })
})

describe('compaction', () => {
  it('is told to hooks, and shortens what the model is given', async () => {
    place.audit({ preCompact: [{ command: `echo '{"user_message":"Shortening."}'` }] })
    const notices: string[] = []
    const look = { calls: [{ tool: 'LS', input: {} }] }
    const { agent, model } = await agentOf(
      [look, look, { ...look, inputTokens: 900 }, { text: 'They looked.' }, { text: 'Done.' }],
      { compaction: { contextWindow: 1000 }, onNotice: text => notices.push(text) },
    )
    await agent.send('Look around carefully')
    await agent.end()
    expect(events('preCompact')).toMatchObject([
      {
        trigger: 'auto',
        context_tokens: 905,
        context_window_size: 1000,
        context_usage_percent: 91,
        message_count: 7,
        is_first_compaction: true,
      },
    ])
    expect(notices).toEqual(['Shortening.'])
    expect(given(model.prompts[4])).toContain('Summary of the conversation so far:\\n\\nThey looked.')
    expect(given(model.prompts[4])).not.toContain('Look around carefully')
    expect(agent.messages.length).toBeLessThan(7)
  })

  it('that fails leaves the conversation as it is', async () => {
    place.audit()
    const notices: string[] = []
    const look = { calls: [{ tool: 'LS', input: {} }] }
    const { agent } = await agentOf([look, look, { ...look, inputTokens: 900 }, { text: 'Done.' }], {
      compaction: {
        contextWindow: 1000,
        summarise: async () => {
          throw new Error('no')
        },
      },
      onNotice: text => notices.push(text),
    })
    expect((await agent.send('Go')).text).toBe('Done.')
    await agent.end()
    expect(notices).toEqual(['The conversation could not be summarised: no'])
  })
})
