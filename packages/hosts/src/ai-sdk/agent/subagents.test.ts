// Agents inside the agent: their events, their limits and their ends, also of those inside of them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedLine, scriptedModel } from './scripted-model.js'
import type { SubagentOptions } from './subagent.js'
import { openPlace, type Place } from './testing/place.js'
import { agentIn, eventsIn, given, namesIn, saying, until } from './testing/running.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const names = () => namesIn(place)
const events = (name: string) => eventsIn(place, name)
const agentOf = (script: readonly ScriptedLine[], ...rest: Rest) => agentIn(place, script, ...rest)
type Rest = Parameters<typeof agentIn> extends [unknown, unknown, ...infer R] ? R : never

const task = (subagent_type = 'explore') => ({
  tool: 'Task',
  input: { description: 'find it', prompt: 'Find the file.', subagent_type },
})
const explore = (script: readonly ScriptedLine[]) => ({
  explore: {
    description: 'looks around',
    instructions: 'Look.',
    model: scriptedModel(script, { modelId: 'small' }),
  },
})

describe('subagents', () => {
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

describe('subagents inside subagents', () => {
  const kind = (
    script: readonly ScriptedLine[],
    modelId: string,
    tools?: readonly string[],
  ): SubagentOptions => ({
    description: modelId,
    instructions: `You are ${modelId}.`,
    model: scriptedModel(script, { modelId }),
    ...(tools ? { tools } : {}),
  })
  const shell = (command: string) => ({ calls: [{ tool: 'Shell', input: { command } }] })

  it('name the one that started them, not the first of all', async () => {
    place.audit({ preToolUse: [saying({ permission: 'deny' }, { matcher: 'LS' })] })
    const { agent } = await agentOf([{ calls: [task('lead')] }, { text: 'Done.' }], {
      subagents: {
        lead: kind([{ calls: [task('hand')] }, { text: 'Led.' }], 'lead', ['Task', 'LS']),
        hand: kind([shell('echo hi'), { calls: [{ tool: 'LS', input: {} }] }, { text: 'Did.' }], 'hand'),
      },
    })
    await agent.send('Go')
    await agent.end()
    const main = agent.session.conversationId
    const [first, second] = events('subagentStart')
    expect(first).toMatchObject({
      conversation_id: main,
      parent_conversation_id: main,
      subagent_id: 'scripted-1-1',
    })
    const lead = second!.conversation_id
    expect(lead).not.toBe(main)
    expect(second).toMatchObject({
      parent_conversation_id: lead,
      subagent_id: 'lead-1-1',
      subagent_type: 'hand',
      subagent_model: 'hand',
    })
    const inHand = place.audited().filter(({ model }) => model === 'hand')
    const hand = inHand[0]!.conversation_id
    expect(new Set([main, lead, hand]).size).toBe(3)
    expect(inHand.map(({ hook_event_name }) => hook_event_name)).toEqual([
      'preToolUse',
      'beforeShellExecution',
      'afterShellExecution',
      'postToolUse',
      'preToolUse',
      'postToolUseFailure',
      'afterAgentResponse',
      'subagentStop',
    ])
    // Also the failure that the engine tells of.
    for (const event of inHand) {
      expect(event).toMatchObject({
        conversation_id: hand,
        parent_conversation_id: lead,
        subagent_id: 'lead-1-1',
      })
    }
    const inLead = place.audited().filter(({ conversation_id }) => conversation_id === lead)
    for (const event of inLead.filter(({ hook_event_name }) => hook_event_name !== 'subagentStart')) {
      expect(event).toMatchObject({ parent_conversation_id: main, subagent_id: 'scripted-1-1' })
    }
    expect(events('subagentStop').map(({ subagent_type }) => subagent_type)).toEqual(['hand', 'lead'])
    for (const event of place.audited().filter(({ conversation_id }) => conversation_id === main)) {
      if (event.hook_event_name !== 'subagentStart') expect(event).not.toHaveProperty('subagent_id')
    }
  })

  it('end with everything around them when the turn is aborted, each once, from the inside out', async () => {
    place.audit({
      stop: [saying({ followup_message: 'More.' })],
      subagentStop: [saying({ followup_message: 'More.' })],
    })
    const { agent } = await agentOf([{ calls: [task('lead')] }], {
      subagents: {
        lead: kind([{ calls: [task('hand')] }], 'lead', ['Task']),
        hand: kind([shell('sleep 30')], 'hand'),
      },
    })
    const controller = new AbortController()
    const turn = agent.send('Go', { signal: controller.signal })
    await until(() => names().includes('beforeShellExecution'))
    const before = place.audited().length
    controller.abort()
    expect(await turn).toMatchObject({ status: 'aborted', followups: [] })
    await Promise.all([agent.end('aborted'), agent.end()])
    const ended = place.audited().slice(before)
    expect(ended.map(({ hook_event_name, model }) => `${model} ${hook_event_name}`)).toEqual([
      'hand postToolUseFailure',
      'hand subagentStop',
      'lead postToolUseFailure',
      'lead subagentStop',
      'scripted postToolUseFailure',
      'scripted stop',
      'scripted sessionEnd',
    ])
    expect(events('subagentStop')).toMatchObject([{ status: 'aborted' }, { status: 'aborted' }])
  })

  it('do not go down without end', async () => {
    place.audit()
    const lines = Array.from({ length: 9 }, () => ({ calls: [task('lead')] }))
    const { agent } = await agentOf([{ calls: [task('lead')] }, { text: 'Done.' }], {
      subagents: {
        lead: kind([...lines.slice(0, 5), ...Array.from({ length: 9 }, () => ({ text: 'No.' }))], 'lead', [
          'Task',
        ]),
      },
    })
    expect(await agent.send('Go')).toMatchObject({ status: 'completed', text: 'Done.' })
    await agent.end()
    expect(events('subagentStart')).toHaveLength(5)
    expect(events('postToolUseFailure')).toMatchObject([
      { tool_name: 'Task', error_message: expect.stringContaining('unavailable tool') },
    ])
  })

  it('side by side keep their counts apart, up to the limit of each', async () => {
    place.audit({ subagentStop: [saying({ followup_message: 'Deeper.' }, { loop_limit: 2 })] })
    const script = Array.from({ length: 6 }, (_, index) => ({ text: `Report ${index + 1}.` }))
    const { agent, model } = await agentOf([{ calls: [task(), task()] }, { text: 'Ok.' }], {
      subagents: explore(script),
    })
    const followups: unknown[] = []
    await agent.send('Go', { onFollowup: (message, { subagent }) => followups.push([subagent, message]) })
    await agent.end()
    const stops = events('subagentStop')
    const ids = [...new Set(stops.map(({ conversation_id }) => conversation_id))]
    expect(ids).toHaveLength(2)
    for (const id of ids) {
      const own = stops.filter(({ conversation_id }) => conversation_id === id)
      expect(own.map(({ loop_count }) => loop_count)).toEqual([0, 1, 2])
    }
    expect(followups).toEqual(Array(4).fill(['explore', 'Deeper.']))
    // A follow-up of a hook to a subagent is not a message of the user.
    expect(events('beforeSubmitPrompt')).toHaveLength(1)
    expect(given(model.prompts[1]).match(/Report/g)).toHaveLength(2)
  })

  it('are refused where they are described wrongly', async () => {
    const wrong = (subagents: Record<string, SubagentOptions>, tools?: object) =>
      agentOf([], { subagents, ...(tools ? { tools: tools as never } : {}) })
    await expect(wrong({ a: kind([], 'a', ['Raed']) })).rejects.toThrow(
      'The subagent "a" names the tool "Raed"; there are Shell, Read, Write, Delete, Grep, LS, Task.',
    )
    await expect(wrong({ a: kind([], 'a') }, { Task: {} })).rejects.toThrow('"tools" has a Task')
    expect(names()).toEqual([])
  })
})
