// A ToolLoopAgent of the AI SDK with hooks: called in both ways, with everything of its own still there.

import { HookBlockedError } from '@holdfast/hooks'
import {
  hasToolCall,
  jsonSchema,
  type ModelMessage,
  stepCountIs,
  ToolLoopAgent,
  type ToolSet,
  tool,
} from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedLine, scriptedModel } from '../agent/scripted-model.js'
import { openPlace, type Place } from '../agent/testing/place.js'
import { eventsIn, given, namesIn, saying, until } from '../agent/testing/running.js'
import { codingTools } from '../tools/coding-tools.js'
import { call, type Hooked, hookedIn, shell } from './testing/hooked.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const names = () => namesIn(place)
const events = (name: string) => eventsIn(place, name)
const hooked = (script: readonly ScriptedLine[], ...rest: Rest) => hookedIn(place, script, ...rest)
type Rest = Parameters<typeof hookedIn> extends [unknown, unknown, ...infer R] ? R : never

/** The same, called in both ways. */
const WAYS = {
  generate: async (agent: Hooked, params: object) => {
    const { text, steps, response, totalUsage, toolCalls } = await agent.generate(params as never)
    return { text, steps, messages: response.messages, totalUsage, toolCalls }
  },
  stream: async (agent: Hooked, params: object) => {
    const result = await agent.stream(params as never)
    const [text, steps, response, totalUsage, toolCalls] = await Promise.all([
      result.text,
      result.steps,
      result.response,
      result.totalUsage,
      result.toolCalls,
    ])
    return { text, steps, messages: response.messages, totalUsage, toolCalls }
  },
}
const ways = Object.entries(WAYS)

describe.each(ways)('%s', (_, run) => {
  it('has every event where it belongs', async () => {
    place.audit()
    const { agent } = await hooked([
      { thought: 'Hm.', text: 'I look.', ...shell('echo hi') },
      { text: 'Done.' },
    ])
    const result = await run(agent, { prompt: 'Look around' })
    await agent.end()
    expect(result).toMatchObject({ text: 'Done.', totalUsage: { inputTokens: 20 } })
    expect(result.steps).toHaveLength(2)
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
    expect(events('preToolUse')[0]).toMatchObject({ agent_message: 'I look.', tool_use_id: 'scripted-1-1' })
    expect(events('stop')[0]).toMatchObject({ status: 'completed', input_tokens: 20, output_tokens: 10 })
    expect(events('sessionStart')[0]).toMatchObject({ model: 'scripted' })
    expect(events('afterAgentResponse')[0]).toMatchObject({ text: 'I look.', input_tokens: 10 })
  })

  it('does not run what is denied, and the model reads why', async () => {
    place.audit({ beforeShellExecution: [saying({ permission: 'deny', agent_message: 'Use the API.' })] })
    const { agent, model } = await hooked([shell('touch made'), { text: 'Understood.' }])
    await run(agent, { prompt: 'Go' })
    await agent.end()
    expect(place.has('made')).toBe(false)
    expect(given(model.prompts[1])).toContain('The terminal command was rejected by a hook: Use the API.')
  })

  it('holds what a hook changed against the schema', async () => {
    place.audit({
      preToolUse: [
        saying({ updated_input: { command: 'touch changed' } }, { matcher: 'Shell' }),
        saying({ updated_input: { path: 7 } }, { matcher: 'LS' }),
      ],
    })
    const { agent, model } = await hooked([shell('touch made'), call('LS'), { text: 'Ok.' }])
    await run(agent, { prompt: 'Go' })
    await agent.end()
    expect([place.has('made'), place.has('changed')]).toEqual([false, true])
    expect(given(model.prompts[2])).toContain('does not accept: \\"path\\" must be text.')
  })

  it('tells of a call that names no tool, or does not fit', async () => {
    place.audit()
    const { agent } = await hooked([
      call('Nothing'),
      call('constructor'),
      call('LS', { path: 7 }),
      { text: 'Ok.' },
    ])
    expect(await run(agent, { prompt: 'Go' })).toMatchObject({ text: 'Ok.' })
    await agent.end()
    expect(events('postToolUseFailure').map(({ tool_name }) => tool_name)).toEqual([
      'Nothing',
      'constructor',
      'LS',
    ])
    expect(events('preToolUse')).toEqual([])
  })

  it('lets a blocked message reach neither the model nor the next message', async () => {
    place.write('.cursor/gate.sh', '#!/bin/sh\ngrep -q 1234 && exit 2\nexit 0\n', 0o755)
    place.audit({ beforeSubmitPrompt: [{ command: '.cursor/gate.sh' }] })
    const { agent, model } = await hooked([{ text: 'Hello.' }, { text: 'Again.' }])
    const secret: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'my secret is 1234' }] }
    const blocked = await run(agent, { messages: [secret] }).catch((error: unknown) => error)
    expect(HookBlockedError.isInstance(blocked)).toBe(true)
    expect((blocked as HookBlockedError).userMessage).toMatch(/^Submission blocked by hook/)
    expect(names()).toEqual(['sessionStart', 'beforeSubmitPrompt'])
    // The application still has it, and hands it in again: with the next message, and later with an answer between.
    const hello: ModelMessage = { role: 'user', content: 'hello' }
    await run(agent, { messages: [secret, hello] })
    const answer: ModelMessage = { role: 'assistant', content: 'Hello.' }
    await run(agent, { prompt: [secret, hello, answer, { role: 'user', content: 'once more' }] })
    await expect(run(agent, { messages: [hello, answer, secret] })).rejects.toThrow(
      'Submission blocked by hook',
    )
    await agent.end()
    expect(model.prompts).toHaveLength(2)
    expect(given(model.prompts)).not.toContain('1234')
    expect(given(agent.messages)).not.toContain('1234')
    expect(events('beforeSubmitPrompt').map(({ prompt }) => prompt)).toEqual([
      'my secret is 1234',
      'hello',
      'once more',
      'my secret is 1234',
    ])
  })

  it('leaves out every message of a blocked submission', async () => {
    place.write('.cursor/gate.sh', '#!/bin/sh\ngrep -q 1234 && exit 2\nexit 0\n', 0o755)
    place.audit({ beforeSubmitPrompt: [{ command: '.cursor/gate.sh' }] })
    const { agent, model } = await hooked([{ text: 'Hello.' }])
    const user = (content: string): ModelMessage => ({ role: 'user', content })
    const sent = [user('of the vault:'), user('my secret is 1234'), user('keep it')]
    await expect(run(agent, { messages: sent })).rejects.toThrow('Submission blocked by hook')
    await run(agent, { messages: [...sent, user('hello')] })
    await agent.end()
    expect(events('beforeSubmitPrompt').at(-1)).toMatchObject({ prompt: 'hello' })
    for (const words of ['vault', '1234', 'keep it']) expect(given(model.prompts)).not.toContain(words)
  })

  it('goes on with what hooks say, up to the limit, as one result', async () => {
    place.audit({ stop: [saying({ followup_message: 'Once more.' }, { loop_limit: 2 })] })
    const { agent, model } = await hooked([{ text: 'a' }, shell('echo b'), { text: 'b' }, { text: 'c' }])
    const result = await run(agent, { prompt: 'Go' })
    expect(result).toMatchObject({ text: 'c', totalUsage: { inputTokens: 40, outputTokens: 20 } })
    expect(result.steps.map(({ text }) => text)).toEqual(['a', '', 'b', 'c'])
    expect(result.messages.map(({ role }) => role)).toEqual([
      'assistant',
      'assistant',
      'tool',
      'assistant',
      'assistant',
    ])
    expect(agent.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ])
    expect(given(model.prompts[3])).toContain('Once more.')
    expect(events('stop').map(({ loop_count }) => loop_count)).toEqual([0, 1, 2])
    expect(events('stop').map(({ input_tokens }) => input_tokens)).toEqual([10, 20, 10])
    await agent.end()
  })

  it('keeps what is the agent’s own', async () => {
    place.audit({ sessionStart: [saying({ additional_context: 'Tabs, not spaces.' })] })
    const heard: string[] = []
    const { agent, model } = await hooked([shell('echo hi'), call('LS'), { text: 'never' }], {
      id: 'mine',
      instructions: 'You are mine.',
      stopWhen: [stepCountIs(9), hasToolCall('LS')],
      prepareStep: ({ stepNumber, model: own }: { stepNumber: number; model: unknown }) => {
        heard.push(`prepareStep ${stepNumber}`)
        return stepNumber === 1 ? { system: 'Now briefly.', model: own } : undefined
      },
      prepareCall: ({ options: _, ...rest }: { options?: unknown }) => {
        heard.push('prepareCall')
        return rest
      },
      onStepFinish: () => void heard.push('settings step'),
      onFinish: () => void heard.push('finish'),
      experimental_context: { who: 'me' },
    })
    await run(agent, { prompt: 'Go', onStepFinish: () => void heard.push('call step') })
    expect(agent.id).toBe('mine')
    // Version 7 of the AI SDK calls the two callbacks of a step in the other order.
    if (heard[2] === 'call step') for (const at of [2, 5]) heard.splice(at, 2, 'settings step', 'call step')
    expect(heard).toEqual([
      'prepareCall',
      'prepareStep 0',
      'settings step',
      'call step',
      'prepareStep 1',
      'settings step',
      'call step',
      'finish',
    ])
    expect(model.prompts.map(([system]) => system!.content)).toEqual([
      'You are mine.\n\nTabs, not spaces.',
      'Now briefly.\n\nTabs, not spaces.',
    ])
    await agent.end()
    expect(events('preToolUse')).toHaveLength(2)
  })

  it('puts hooks around what the application changes for one call or one step', async () => {
    place.audit({ preToolUse: [saying({ permission: 'deny' }, { matcher: '^late$' })] })
    const ran: unknown[] = []
    const late = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => void ran.push(1) })
    const other = scriptedModel([{ text: 'From the other.' }], { modelId: 'other' })
    const { agent } = await hooked([call('late')], {
      prepareCall: ({ options: _, ...rest }: { options?: unknown }) => ({
        ...rest,
        tools: { late },
        prompt: 'From the template.',
      }),
      prepareStep: ({ stepNumber }: { stepNumber: number }) => (stepNumber > 0 ? { model: other } : {}),
    })
    expect(await run(agent, { prompt: 'Go' })).toMatchObject({ text: 'From the other.' })
    await agent.end()
    expect(ran).toEqual([])
    expect(events('beforeSubmitPrompt')).toMatchObject([{ prompt: 'From the template.' }])
    expect(events('afterAgentResponse')).toMatchObject([{ text: 'From the other.' }])
  })

  it('repairs a call as the agent does, and gates what came of it', async () => {
    place.audit({ beforeShellExecution: [saying({ permission: 'deny' })] })
    const { agent } = await hooked([call('bash', { command: 'touch made' }), { text: 'Ok.' }], {
      experimental_repairToolCall: async ({ toolCall }: { toolCall: object }) => ({
        ...toolCall,
        toolName: 'Shell',
      }),
    })
    await run(agent, { prompt: 'Go' })
    await agent.end()
    expect(place.has('made')).toBe(false)
    expect(events('beforeShellExecution')).toMatchObject([{ command: 'touch made' }])
    expect(events('postToolUseFailure')).toMatchObject([{ failure_type: 'permission_denied' }])
  })

  it('has one message at a time, and none after its end', async () => {
    place.audit()
    const { agent } = await hooked([shell('sleep 0.3'), { text: 'a' }, { text: 'b' }])
    const first = run(agent, { prompt: 'Go' })
    await expect(run(agent, { prompt: 'And' })).rejects.toThrow('A turn is running')
    expect((await first).text).toBe('a')
    await until(() => names().includes('stop'))
    expect((await run(agent, { prompt: 'Now' })).text).toBe('b')
    await agent.end()
    await expect(run(agent, { prompt: 'More' })).rejects.toThrow('ended')
    expect(events('sessionEnd')).toHaveLength(1)
  })

  it('ends with the session, also in the middle of a tool', async () => {
    place.audit({ stop: [saying({ followup_message: 'More.' })] })
    const { agent } = await hooked([shell('sleep 30')])
    const running = run(agent, { prompt: 'Go' }).catch(() => 'broke off')
    await until(() => names().includes('beforeShellExecution'))
    await agent.end('user_close')
    await running
    expect(names().slice(-3)).toEqual(['postToolUseFailure', 'stop', 'sessionEnd'])
    expect(events('stop')).toMatchObject([{ status: 'aborted' }])
  })

  it('does not send what was taken back before', async () => {
    place.audit()
    const { agent, model } = await hooked([{ text: 'Ok.' }])
    const sent = run(agent, { prompt: 'Go', abortSignal: AbortSignal.abort() })
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
    expect(model.prompts).toEqual([])
    expect(await run(agent, { prompt: 'Go' })).toMatchObject({ text: 'Ok.' })
    await agent.end()
    expect(events('stop')).toHaveLength(1)
  })

  it('does not go on with a message that may not be sent, or while a call waits', async () => {
    place.write('.cursor/gate.sh', '#!/bin/sh\ngrep -q Once && exit 2\nexit 0\n', 0o755)
    place.audit({
      stop: [saying({ followup_message: 'Once more.' })],
      beforeSubmitPrompt: [{ command: '.cursor/gate.sh' }],
    })
    const notices: string[] = []
    const onNotice = (text: string) => void notices.push(text)
    const first = await hooked([{ text: 'a' }], {}, { onNotice })
    expect(await run(first.agent, { prompt: 'Go' })).toMatchObject({ text: 'a' })
    await first.agent.end()
    expect(notices).toEqual([expect.stringContaining('Submission blocked by hook')])

    place.audit({ stop: [saying({ followup_message: 'Once more.' })] })
    const tools: ToolSet = { answer: tool({ inputSchema: jsonSchema({ type: 'object' }) }) }
    const second = await hooked([call('answer')], { tools }, { onNotice })
    expect((await run(second.agent, { prompt: 'Go' })).toolCalls).toHaveLength(1)
    await second.agent.end()
    expect(notices[1]).toBe(
      'A hook asks to continue, but a tool call is waiting for the application: Once more.',
    )
    expect(events('stop')).toHaveLength(2)
  })

  it('tells of a provider that fails', async () => {
    place.audit()
    const quiet = { onError: () => {} }
    const { agent } = await hooked(
      [shell('true'), { error: new Error('overloaded') }, { text: 'Here again.' }],
      quiet,
    )
    await run(agent, { prompt: 'Go' }).catch(() => {})
    await until(() => names().includes('stop'))
    expect(events('stop')).toMatchObject([{ status: 'error' }])
    expect(await run(agent, { prompt: 'Again' })).toMatchObject({ text: 'Here again.' })
    await agent.end()
  })

  it('leaves approvals to the SDK, unless the application has a question of its own', async () => {
    place.audit()
    const ran: unknown[] = []
    const pay = tool({
      inputSchema: jsonSchema<{ to: string }>({ type: 'object' }),
      needsApproval: true,
      execute: async ({ to }) => void ran.push(to),
    })
    const calls = { calls: ['a', 'b'].map(to => ({ tool: 'pay', input: { to } })) }
    const { agent } = await hooked([calls, { text: 'Ok.' }], { tools: { pay } })
    const user: ModelMessage = { role: 'user', content: 'Pay' }
    const first = await run(agent, { messages: [user] })
    expect(ran).toEqual([])
    // It has not stopped: it waits.
    expect(names()).not.toContain('stop')
    const asked = first.messages.flatMap(({ content }): { type: string; approvalId?: string }[] =>
      typeof content === 'string' ? [] : content,
    )
    const requests = asked.flatMap(part => (part.type === 'tool-approval-request' ? [part.approvalId!] : []))
    const answers: ModelMessage = {
      role: 'tool',
      content: requests.map((approvalId, index) => ({
        type: 'tool-approval-response',
        approvalId,
        approved: index === 0,
        reason: 'not b',
      })),
    }
    await run(agent, { messages: [user, ...first.messages, answers] })
    expect(ran).toEqual(['a'])
    expect(events('preToolUse')).toMatchObject([{ tool_input: { to: 'a' } }])
    expect(events('postToolUseFailure')).toMatchObject([
      { tool_input: { to: 'b' }, failure_type: 'permission_denied', error_message: 'not b' },
    ])
    expect(events('beforeSubmitPrompt')).toHaveLength(1)
    expect(events('stop')).toHaveLength(1)
    await agent.end()

    const own = await hooked(
      [calls, { text: 'Ok.' }],
      { tools: { pay } },
      { approve: ({ input }) => input.to === 'b' },
    )
    expect(await run(own.agent, { prompt: 'Pay' })).toMatchObject({ text: 'Ok.' })
    await own.agent.end()
    expect(ran).toEqual(['a', 'b'])
  })

  it('hands tasks to other agents, with hooks inside', async () => {
    place.audit({
      subagentStop: [saying({ followup_message: 'Deeper.' }, { matcher: '^hand$', loop_limit: 1 })],
      beforeShellExecution: [saying({ permission: 'deny' })],
    })
    const task = (subagent_type: string) =>
      call('Task', { description: 'do it', prompt: 'Do the work.', subagent_type })
    const { workspace } = place
    const sub = (modelId: string, lines: ScriptedLine[]) =>
      new ToolLoopAgent({
        model: scriptedModel(lines, { modelId }),
        instructions: `You are ${modelId}.`,
        tools: codingTools({ workspace }),
      })
    const { agent, model } = await hooked(
      [task('lead'), { text: 'Done.' }],
      {},
      {
        subagents: {
          lead: {
            description: 'leads',
            agent: sub('lead', [task('hand'), { text: 'Led.' }]),
            subagents: {
              hand: {
                description: 'does',
                agent: sub('hand', [shell('touch made'), { text: 'Did.' }, { text: 'Did more.' }]),
              },
            },
          },
        },
      },
    )
    expect(await run(agent, { prompt: 'Go' })).toMatchObject({ text: 'Done.' })
    await agent.end()
    expect(place.has('made')).toBe(false)
    expect(place.audited().map(each => `${each.model} ${each.hook_event_name}`)).toEqual([
      'scripted sessionStart',
      'scripted beforeSubmitPrompt',
      'scripted preToolUse',
      'scripted subagentStart',
      'lead preToolUse',
      'lead subagentStart',
      'hand preToolUse',
      'hand beforeShellExecution',
      'hand postToolUseFailure',
      'hand afterAgentResponse',
      'hand subagentStop',
      'hand afterAgentResponse',
      'hand subagentStop',
      'lead postToolUse',
      'lead afterAgentResponse',
      'lead subagentStop',
      'scripted postToolUse',
      'scripted afterAgentResponse',
      'scripted stop',
      'scripted sessionEnd',
    ])
    const main = agent.session.conversationId
    const lead = events('subagentStart')[1]!.conversation_id
    for (const event of place.audited().filter(each => each.model === 'hand')) {
      expect(event).toMatchObject({ parent_conversation_id: lead, subagent_id: 'lead-1-1' })
    }
    expect(events('subagentStop')[2]).toMatchObject({
      parent_conversation_id: main,
      summary: 'Led.',
      status: 'completed',
    })
    expect(given(model.prompts[1])).toContain('Led.')
  })

  it('ends a nested agent from the inside out', async () => {
    place.audit()
    const task = call('Task', { description: 'do it', prompt: 'Sleep.', subagent_type: 'hand' })
    const { workspace } = place
    const hand = new ToolLoopAgent({
      model: scriptedModel([shell('sleep 30')], { modelId: 'hand' }),
      tools: codingTools({ workspace }),
    })
    const { agent } = await hooked([task], {}, { subagents: { hand: { description: 'does', agent: hand } } })
    const controller = new AbortController()
    const running = run(agent, { prompt: 'Go', abortSignal: controller.signal }).catch(() => 'broke off')
    await until(() => names().includes('beforeShellExecution'))
    const before = place.audited().length
    controller.abort()
    await running
    await agent.end('aborted')
    expect(
      place
        .audited()
        .slice(before)
        .map(each => `${each.model} ${each.hook_event_name}`),
    ).toEqual([
      'hand postToolUseFailure',
      'hand subagentStop',
      'scripted postToolUseFailure',
      'scripted stop',
      'scripted sessionEnd',
    ])
  })
})
