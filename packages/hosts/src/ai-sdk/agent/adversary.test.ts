// Ways to have a tool run without its hooks, or to break the conversation around it. None of them may work.

import { dynamicTool, jsonSchema, type ToolSet, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codingTools } from '../tools/coding-tools.js'
import { startAgent } from './agent.js'
import { type ScriptedLine, scriptedModel } from './scripted-model.js'
import { openPlace, type Place } from './testing/place.js'
import { agentIn, altered, eventsIn, given, namesIn, saying } from './testing/running.js'
import { TOOL_EVENTS } from './tool-events.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const events = (name: string) => eventsIn(place, name)
const anything = jsonSchema<Record<string, unknown>>({ type: 'object' })

/** A tool that says when it ran. */
function watched(more: object = {}) {
  const ran: unknown[] = []
  const execute = (input: unknown) => {
    ran.push(input)
    return 'it ran'
  }
  return { ran, tool: { ...tool({ inputSchema: anything, execute }), ...more } as ToolSet[string] }
}

const call = (name: string, input: unknown = {}): ScriptedLine => ({ calls: [{ tool: name, input }] })
const done: ScriptedLine = { text: 'Ok.' }

describe('a tool of the application', () => {
  it('with a name that hooks know, and an input that they cannot judge, does not run', async () => {
    place.audit()
    const own = Object.fromEntries(
      ['Shell', 'Read', 'Write', 'Delete', 'Task'].map(name => [name, watched()]),
    )
    const tools = Object.fromEntries(Object.entries(own).map(([name, each]) => [name, each.tool]))
    const { agent, model } = await agentIn(
      place,
      [
        call('Shell', { cmd: 'rm -rf /' }),
        call('Read', { path: '/etc/passwd' }),
        call('Write', { file_path: 'a.txt', text: 'x' }),
        call('Delete', { path: 'x' }),
        call('Task', { todo: 'x' }),
        done,
      ],
      { tools },
    )
    await agent.send('Go')
    await agent.end()
    for (const { ran } of Object.values(own)) expect(ran).toEqual([])
    expect(events('postToolUseFailure')).toHaveLength(5)
    expect(given(model.prompts[1])).toContain('Hooks cannot judge this call: it has no \\"command\\".')
  })

  it('runs under the name and the events that its row gives it', async () => {
    place.audit({ beforeShellExecution: [saying({ permission: 'deny' }, { matcher: '^rm' })] })
    const { ran, tool: bash } = watched()
    const shell = TOOL_EVENTS.Shell!
    const { agent } = await agentIn(
      place,
      [call('bash', { command: 'rm x' }), call('bash', { command: 'ls' }), done],
      {
        tools: { bash },
        toolEvents: { bash: { ...shell, name: 'Shell' } },
      },
    )
    await agent.send('Go')
    await agent.end()
    expect(ran).toEqual([{ command: 'ls' }])
    expect(events('preToolUse').map(({ tool_name }) => tool_name)).toEqual(['Shell', 'Shell'])
  })

  it('that is dynamic, or named like something of every object, has its gate', async () => {
    place.audit({ preToolUse: [saying({ permission: 'deny' })] })
    const { ran, tool: plain } = watched()
    const dynamic = dynamicTool({ inputSchema: anything, execute: async input => void ran.push(input) })
    const tools = Object.fromEntries([
      ['dynamic', dynamic],
      ['toString', plain],
      ['__proto__', plain],
    ])
    const { agent } = await agentIn(place, [call('dynamic'), call('toString'), call('__proto__'), done], {
      tools,
    })
    expect(await agent.send('Go')).toMatchObject({ status: 'completed', text: 'Ok.' })
    await agent.end()
    expect(ran).toEqual([])
    expect(events('preToolUse').map(({ tool_name }) => tool_name)).toEqual([
      'dynamic',
      'toString',
      '__proto__',
    ])
  })

  it('that is an object of a class keeps its schema, its approval and itself', async () => {
    place.audit({ preToolUse: [saying({ permission: 'deny' }, { matcher: '^denied$' })] })
    class Counter {
      #ran: unknown[] = []
      private readonly limit = 5
      get description() {
        return 'counts'
      }
      get inputSchema() {
        const validate = (value: unknown) =>
          typeof (value as { n?: unknown }).n === 'number'
            ? { success: true as const, value: value as { n: number } }
            : { success: false as const, error: new Error('"n" must be a number.') }
        return jsonSchema<{ n: number }>({ type: 'object' }, { validate })
      }
      needsApproval({ n }: { n: number }) {
        return n > this.limit
      }
      execute({ n }: { n: number }) {
        this.#ran.push(n)
        return { n }
      }
      toModelOutput({ output }: { output: { n: number } }) {
        return { type: 'text' as const, value: `counted ${output.n} of ${this.limit}` }
      }
      ran() {
        return this.#ran
      }
    }
    const [counter, denied] = [new Counter(), new Counter()]
    const lines = [call('counter', { n: 'x' }), call('counter', { n: 9 }), call('counter', { n: 1 })]
    const { agent, model } = await agentIn(place, [...lines, call('denied', { n: 1 }), done], {
      tools: { counter, denied } as unknown as ToolSet,
    })
    await agent.send('Go')
    await agent.end()
    expect(counter.ran()).toEqual([1])
    expect(denied.ran()).toEqual([])
    expect(given(model.prompts[3])).toContain('counted 1 of 5')
    expect(events('postToolUseFailure').map(({ failure_type }) => failure_type)).toEqual([
      'error',
      'permission_denied',
      'permission_denied',
    ])
  })

  it('that is not there is not there, whatever every object has', async () => {
    place.audit()
    const lines = ['constructor', 'toString', '__proto__', 'hasOwnProperty'].map(name => call(name))
    const { agent } = await agentIn(place, [...lines, done])
    expect(await agent.send('Go')).toMatchObject({ status: 'completed', text: 'Ok.' })
    await agent.end()
    expect(events('postToolUseFailure')).toHaveLength(4)
    expect(events('preToolUse')).toEqual([])
  })

  it('that nobody runs ends the turn, and the conversation goes on', async () => {
    place.audit()
    const tools: ToolSet = { answer: tool({ inputSchema: anything }) }
    const { agent, model } = await agentIn(place, [call('answer', { is: 42 }), done], { tools })
    expect(await agent.send('Go')).toMatchObject({ status: 'completed', text: '' })
    expect(agent.messages.at(-1)).toMatchObject({ content: [{ type: 'tool-call', input: { is: 42 } }] })
    expect(await agent.send('And?')).toMatchObject({ text: 'Ok.' })
    await agent.end()
    expect(given(model.prompts[1])).toContain('This call was not run.')
  })
})

describe('an approval', () => {
  const needing = (needsApproval: unknown) => watched({ needsApproval })

  it('that a tool needs, and nobody can give, is a no', async () => {
    place.audit()
    const { ran, tool: needy } = needing(true)
    const { agent, model } = await agentIn(place, [call('needy'), done], { tools: { needy } })
    expect(await agent.send('Go')).toMatchObject({ text: 'Ok.' })
    await agent.end()
    expect(ran).toEqual([])
    expect(events('postToolUseFailure')).toMatchObject([{ failure_type: 'permission_denied' }])
    expect(given(model.prompts[1])).toContain('needs the approval of a person, and nobody can be asked here')
  })

  it('is not needed when a hook allows the call, and is judged by what the hook made of it', async () => {
    place.audit({
      preToolUse: [
        saying({ permission: 'allow' }, { matcher: '^allowed$' }),
        saying({ updated_input: { far: true } }, { matcher: '^changed$' }),
      ],
    })
    const allowed = needing(true)
    const changed = needing(({ far }: { far?: boolean }) => far === true)
    const near = needing(({ far }: { far?: boolean }) => far === true)
    const { agent } = await agentIn(place, [call('allowed'), call('changed'), call('near'), done], {
      tools: { allowed: allowed.tool, changed: changed.tool, near: near.tool },
    })
    await agent.send('Go')
    await agent.end()
    expect([allowed, changed, near].map(({ ran }) => ran.length)).toEqual([1, 0, 1])
  })

  it.each([
    [true, 1],
    [false, 0],
    ['yes', 0],
    [undefined, 0],
  ])('that the application answers with %j', async (answer, times) => {
    place.audit()
    const { ran, tool: needy } = needing(true)
    const approve = () => answer as boolean
    const { agent } = await agentIn(place, [call('needy'), done], { tools: { needy }, approve })
    await agent.send('Go')
    await agent.end()
    expect(ran).toHaveLength(times)
  })

  it('that cannot be had because asking throws is a no', async () => {
    place.audit()
    const { ran, tool: needy } = watched()
    const approve = () => {
      throw new Error('no terminal')
    }
    const { agent, model } = await agentIn(place, [call('needy'), done], { tools: { needy }, approve })
    await agent.send('Go')
    await agent.end()
    expect(ran).toEqual([])
    expect(given(model.prompts[1])).toContain('no terminal')
  })
})

describe('what a model sends', () => {
  const agentOn = async (lines: ScriptedLine[], change: Parameters<typeof altered>[1], tools: ToolSet) => {
    const script = scriptedModel(lines)
    const { agent } = await agentIn(place, [], { model: altered(script, change), tools })
    return { agent, model: script }
  }

  it('as run by the provider is not run here', async () => {
    place.audit()
    const { ran, tool: own } = watched()
    const { agent } = await agentOn(
      [call('own'), done],
      part => (part.type === 'tool-call' ? { ...part, providerExecuted: true } : part),
      { own },
    )
    await agent.send('Go')
    await agent.send('Go on')
    await agent.end()
    expect(ran).toEqual([])
  })

  it('in an answer that was cut off is not run, and the conversation goes on', async () => {
    place.audit()
    const { ran, tool: own } = watched()
    const { agent, model } = await agentOn(
      [call('own'), done],
      part =>
        part.type === 'finish' && part.finishReason.unified === 'tool-calls'
          ? { ...part, finishReason: { unified: 'length', raw: 'length' } }
          : part,
      { own },
    )
    await agent.send('Go')
    expect(await agent.send('Go on')).toMatchObject({ text: 'Ok.' })
    await agent.end()
    expect(ran).toEqual([])
    expect(given(model.prompts[1])).toContain('This call was not run.')
  })

  it.each(['{"a":', 'null', '[]', '"x"', '', '{"__proto__":{"a":1}}'])(
    'as input %j reaches no tool that does not take it',
    async input => {
      place.audit()
      const { agent } = await agentOn(
        [call('LS'), done],
        part => (part.type === 'tool-call' ? { ...part, input } : part),
        codingTools({ workspace: place.workspace }),
      )
      expect(await agent.send('Go')).toMatchObject({ status: 'completed', text: 'Ok.' })
      await agent.end()
      expect(namesIn(place).slice(2, -3)).toEqual(
        input === '' ? ['preToolUse', 'postToolUse'] : ['postToolUseFailure'],
      )
    },
  )

  it('with an id that it used before does not get the earlier responses of hooks', async () => {
    place.write(
      '.cursor/once.sh',
      '#!/bin/sh\nmkdir once 2>/dev/null && echo \'{"additional_context":"only once"}\'\nexit 0\n',
      0o755,
    )
    place.audit({ postToolUse: [{ command: '.cursor/once.sh' }] })
    const { tool: own } = watched()
    const { agent, model } = await agentOn(
      [call('own'), call('own'), done],
      part => (part.type === 'tool-call' ? { ...part, toolCallId: 'call_0' } : part),
      { own },
    )
    await agent.send('Go')
    await agent.end()
    expect(given(model.prompts[2]).match(/only once/g)).toHaveLength(1)
  })
})

describe('what a hook changes', () => {
  it.each([
    { tool_name: 'Read' },
    { command: ['ls'] },
    { command: null },
    { __proto__: { command: 'touch other' } },
    JSON.parse('{"__proto__":{"command":"touch other"}}'),
    { constructor: 'x' },
    { timeout: 'soon' },
  ])('to %j is checked against the schema', async updated_input => {
    place.audit({ preToolUse: [saying({ updated_input })] })
    const { agent } = await agentIn(place, [call('Shell', { command: 'touch made' }), done])
    await agent.send('Go')
    await agent.end()
    const isNothing = Object.keys(updated_input).length === 0
    expect(place.has('made')).toBe(isNothing)
    expect(place.has('other')).toBe(false)
    expect(events('beforeShellExecution')).toHaveLength(isNothing ? 1 : 0)
  })

  it('is what the tool gets, no more and no less', async () => {
    place.audit({ preToolUse: [saying({ permission: 'allow', updated_input: { b: 2 } })] })
    const { ran, tool: own } = watched()
    const { agent } = await agentIn(place, [call('own', { a: 1, b: 1 }), done], { tools: { own } })
    await agent.send('Go')
    await agent.end()
    expect(ran).toEqual([{ a: 1, b: 2 }])
  })
})

it('two sessions with the same tools and hooks do not affect each other', async () => {
  place.audit({ preToolUse: [saying({ permission: 'ask' })] })
  const asked: unknown[] = []
  const hooks = await place.open({
    onAsk: async ({ fields }) => {
      asked.push(fields.conversation_id)
      await new Promise(wait => setTimeout(wait, 5))
      return (fields.tool_input as { mine?: unknown }).mine === 'yes'
    },
  })
  const { ran, tool: own } = watched()
  const tools = { own }
  const agents = await Promise.all(
    ['yes', 'no', 'yes', 'no'].map(mine => {
      const model = scriptedModel([call('own', { mine }), call('own', { mine }), done], { modelId: mine })
      return startAgent({ hooks, model, tools, workspace: place.workspace })
    }),
  )
  await Promise.all(agents.map(agent => agent.send('Go')))
  await Promise.all(agents.map(agent => agent.end()))
  expect(ran).toEqual(Array(4).fill({ mine: 'yes' }))
  expect(tools.own.execute).not.toBe(undefined)
  for (const { session } of agents) {
    const own = place.audited().filter(({ conversation_id }) => conversation_id === session.conversationId)
    expect(new Set(own.map(({ model }) => model)).size).toBe(1)
    expect(own.filter(({ hook_event_name }) => hook_event_name === 'sessionEnd')).toHaveLength(1)
    expect(asked.filter(id => id === session.conversationId)).toHaveLength(2)
  }
})
