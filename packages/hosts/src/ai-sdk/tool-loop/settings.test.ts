// What withHooks takes: agents, settings, models of every kind; and what it does not do to them.

import { jsonSchema, ToolLoopAgent, type ToolSet, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { scriptedModel } from '../agent/scripted-model.js'
import { openPlace, type Place } from '../agent/testing/place.js'
import { eventsIn, namesIn, saying } from '../agent/testing/running.js'
import { codingTools } from '../tools/coding-tools.js'
import { call, shell } from './testing/hooked.js'
import { withHooks } from './with-hooks.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const names = () => namesIn(place)
const events = (name: string) => eventsIn(place, name)

describe('what it takes', () => {
  const settings = () => ({ model: scriptedModel([{ text: 'Ok.' }]) })

  it('are settings, too', async () => {
    place.audit()
    const agent = await withHooks(settings(), { hooks: await place.open(), workspace: place.workspace })
    expect((await agent.generate({ prompt: 'Go' })).text).toBe('Ok.')
    await agent.end()
    expect(names()).toEqual([
      'sessionStart',
      'beforeSubmitPrompt',
      'afterAgentResponse',
      'stop',
      'sessionEnd',
    ])
  })

  it('is not an agent whose hooks would not hold', async () => {
    place.audit()
    const hooks = await place.open()
    class Mine extends ToolLoopAgent {}
    const hidden = Object.assign(new ToolLoopAgent(settings()), { settings: undefined })
    const strange = { generate() {}, stream() {} }
    await expect(withHooks(new Mine(settings()), { hooks })).rejects.toThrow('extends ToolLoopAgent')
    await expect(withHooks(hidden, { hooks })).rejects.toThrow('settings of this agent cannot be read')
    await expect(withHooks(strange as never, { hooks })).rejects.toThrow(
      'settings of this agent cannot be read',
    )
    await expect(withHooks({} as never, { hooks })).rejects.toThrow(
      'takes a ToolLoopAgent, or the settings of one',
    )
    const task: ToolSet = { Task: tool({ inputSchema: jsonSchema({}) }) }
    const hand = { description: 'does', agent: settings() }
    await expect(withHooks({ ...settings(), tools: task }, { hooks, subagents: { hand } })).rejects.toThrow(
      'has a Task',
    )
    expect(names()).toEqual([])
  })

  it('may be of the older kind, or only be named', async () => {
    place.audit()
    const hooks = await place.open()
    const old = {
      specificationVersion: 'v2' as const,
      provider: 'old',
      modelId: 'old-1',
      supportedUrls: {},
      doGenerate: async () => ({
        content: [{ type: 'text' as const, text: 'Old.' }],
        finishReason: 'stop' as const,
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        warnings: [],
      }),
      doStream: async () => {
        throw new Error('not here')
      },
    }
    // It says at each call that the kind is old.
    globalThis.AI_SDK_LOG_WARNINGS = false
    const first = await withHooks({ model: old }, { hooks })
    expect((await first.generate({ prompt: 'Go' })).text).toBe('Old.')
    await first.end()
    const script = scriptedModel([{ text: 'Named.' }])
    globalThis.AI_SDK_DEFAULT_PROVIDER = { languageModel: () => script } as never
    try {
      const second = await withHooks({ model: 'some/model' }, { hooks })
      expect((await second.generate({ prompt: 'Go' })).text).toBe('Named.')
      await second.end()
    } finally {
      globalThis.AI_SDK_DEFAULT_PROVIDER = undefined
      globalThis.AI_SDK_LOG_WARNINGS = undefined
    }
    expect(events('afterAgentResponse').map(({ text, model }) => [text, model])).toEqual([
      ['Old.', 'old-1'],
      ['Named.', 'scripted'],
    ])
  })

  it('is not changed: another session with the same agent has its own hooks', async () => {
    place.audit({ preToolUse: [saying({ permission: 'deny' })] })
    const script = () => [shell('touch made'), { text: 'Ok.' }, shell('touch made'), { text: 'Ok.' }]
    const model = scriptedModel([...script(), ...script()])
    const agent = new ToolLoopAgent({ model, tools: codingTools({ workspace: place.workspace }) })
    const hooks = await place.open()
    const free = await place.open({ workspaceRoots: [] })
    const options = { workspace: place.workspace }
    const strict = await withHooks(agent, { hooks, ...options })
    const loose = await withHooks(agent, { hooks: free, ...options })
    await strict.generate({ prompt: 'Go' })
    expect(place.has('made')).toBe(false)
    await loose.generate({ prompt: 'Go' })
    expect(place.has('made')).toBe(true)
    await Promise.all([strict.end(), loose.end()])
    expect(events('preToolUse')).toHaveLength(1)
    // And without hooks it is what it was.
    expect((await agent.generate({ prompt: 'Go' })).text).toBe('Ok.')
  })
})

it('keeps the types of the agent', async () => {
  place.audit()
  const agent = new ToolLoopAgent({
    model: scriptedModel([call('add', { a: 1, b: 2 }), { text: '3' }]),
    callOptionsSchema: jsonSchema<{ level: number }>({ type: 'object' }),
    tools: {
      add: tool({
        inputSchema: jsonSchema<{ a: number; b: number }>({ type: 'object' }),
        execute: async ({ a, b }) => a + b,
      }),
    },
  })
  const own = await withHooks(agent, { hooks: await place.open(), workspace: place.workspace })
  const { steps } = await own.generate({ prompt: 'Go', options: { level: 1 } })
  const [result] = steps[0]!.staticToolResults
  expectTypeOf(result!.output).toEqualTypeOf<number>()
  expectTypeOf(result!.input).toEqualTypeOf<{ a: number; b: number }>()
  expectTypeOf(own.tools.add).toEqualTypeOf(agent.tools.add)
  expectTypeOf(own.generate).parameter(0).toHaveProperty('options').toEqualTypeOf<{ level: number }>()
  expect(result!.output).toBe(3)
  await own.end()
})
