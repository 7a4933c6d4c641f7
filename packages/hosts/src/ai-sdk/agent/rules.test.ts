// Rules of a tool call and of a turn that need neither a model nor a process.

import { join } from 'node:path'
import { jsonSchema, type ToolSet, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hookTools } from './hooked-tool.js'
import { beginSession } from './life.js'
import { openScene } from './scene.js'
import { openPlace, type Place } from './testing/place.js'
import { Call } from './tool-call.js'
import { failureType } from './tool-errors.js'
import { TOOL_EVENTS, type ToolEvents } from './tool-events.js'
import { stopped } from './turn.js'
import { noUsage } from './usage.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const ran: unknown[] = []
const own = (): ToolSet[string] => {
  ran.length = 0
  return tool({
    inputSchema: jsonSchema<object>({ type: 'object' }),
    execute: input => {
      ran.push(input)
      return { kept: true }
    },
  }) as ToolSet[string]
}

/** A scene whose hooks record the fields of an event and answer it. */
async function sceneWith(event: 'preToolUse' | 'postToolUse', answer: object = {}) {
  const hooks = await place.open()
  const seen: Record<string, unknown>[] = []
  hooks.register({
    event,
    run: (payload: object) => {
      seen.push(payload as Record<string, unknown>)
      return answer as never
    },
  })
  const options = { hooks, workspace: place.workspace }
  const scene = openScene(options, { session: hooks.resumeSession(), task: undefined, leavesApproval: false })
  return { scene, seen }
}
const options = { toolCallId: 'call-1', messages: [] }

describe('a tool call', () => {
  it('does not run when it is aborted after the hooks agreed', async () => {
    const { scene } = await sceneWith('preToolUse')
    const stop = new AbortController()
    const row: ToolEvents = { prepare: () => stop.abort(new Error('enough')) }
    const given = { ...options, abortSignal: stop.signal }
    await expect(new Call('x', own(), row, scene, given, () => 0).walk({}, () => {})).rejects.toThrow(
      'enough',
    )
    expect(ran).toEqual([])
  })

  it.each([
    [{ cwd: 'sub' }, 'sub'],
    [{ cwd: 5 }, '.'],
    [{}, '.'],
  ])('with the input %j is in the folder %s', async (input, folder) => {
    const { scene, seen } = await sceneWith('preToolUse')
    await new Call('x', own(), {}, scene, options, () => 0).walk(input, () => {})
    expect(seen).toMatchObject([{ cwd: join(place.workspace, folder) }])
  })

  it.each([
    [{}, { kept: true }],
    [{ isReplaceable: false }, { kept: true }],
    [{ isReplaceable: true }, { safe: true }],
  ])('with the row %j returns %j where a hook gives another output', async (row, expected) => {
    const { scene } = await sceneWith('postToolUse', { updated_mcp_tool_output: { safe: true } })
    expect(await new Call('x', own(), row, scene, options, () => 0).walk({}, () => {})).toEqual(expected)
  })

  it.each(['constructor', 'toString', 'hasOwnProperty'])('of a tool named %s keeps that name', async name => {
    const { scene, seen } = await sceneWith('preToolUse')
    const hooked = hookTools({ [name]: own() }, scene)
    await hooked[name]!.execute!({}, options)
    expect(seen).toMatchObject([{ tool_name: name }])
    expect(ran).toHaveLength(1)
  })
})

describe('the table of tools', () => {
  it.each([
    ['Shell', 'before', { command: 'a' }],
    ['Read', 'prepare', { file_path: 'a' }],
    ['Write', 'prepare', { file_path: 'a', content: 'b' }],
    ['Delete', 'prepare', { file_path: 'a' }],
    ['Task', 'before', { subagent_type: 'a', prompt: 'b' }],
  ] as const)('refuses %s without what hooks judge', async (name, step, input) => {
    const call = (given: object) => ({
      ...{ id: '1', workspace: place.workspace, conversationId: 'c', beside: 0, prepared: undefined },
      input: given as Record<string, unknown>,
    })
    const take = async (given: object) => TOOL_EVENTS[name]![step]!(call(given))
    for (const field of Object.keys(input))
      for (const value of [undefined, null, 5, ['a'], {}])
        await expect(take({ ...input, [field]: value })).rejects.toThrow(`it has no "${field}"`)
  })

  it('gives way to the rows of the application', async () => {
    const Shell: ToolEvents = { name: 'Own' }
    const given = { hooks: await place.open(), toolEvents: { Shell } }
    const session = given.hooks.resumeSession()
    const { events } = openScene(given, { session, task: undefined, leavesApproval: false })
    expect(events.Shell).toBe(Shell)
    expect(events.Read).toBe(TOOL_EVENTS.Read)
  })
})

it.each([
  ['ToolTimeoutError', 'timeout'],
  ['TimeoutError', 'timeout'],
  ['NotApprovedError', 'permission_denied'],
  ['Error', 'error'],
  ['constructor', 'error'],
  [undefined, 'error'],
])('an error named %s is reported as %s', (name, type) => expect(failureType({ name })).toBe(type))

it('puts the application’s question through the engine, with its signal', async () => {
  const asked: unknown[] = []
  const hooks = {
    ask: async (work: () => unknown, signal: unknown) => {
      asked.push(await work(), signal)
      return false
    },
  }
  const given = { hooks: hooks as never, approve: () => true }
  const { approve } = openScene(given, { session: {} as never, task: undefined, leavesApproval: false })
  const { signal } = new AbortController()
  expect(await approve!({ toolName: 'x', input: {}, signal })).toBe(false)
  expect(asked).toEqual([true, signal])
})

it('starts no session that hooks blocked without a message', async () => {
  const hooks = await place.open()
  hooks.register({ event: 'sessionStart', run: () => ({ continue: false }) })
  await expect(beginSession({ hooks }, 'm')).rejects.toMatchObject({ name: 'HookBlockedError' })
})

it.each([
  ['completed', 'go on', 1],
  ['aborted', null, 0],
  ['error', null, 0],
] as const)('after a turn that is %s a follow-up is %j', async (status, expected, times) => {
  const guarded: unknown[] = []
  const session = {
    settled: async () => {},
    fire: async () => ({ followupMessage: 'go on' }),
    guard: async (...all: unknown[]) => {
      guarded.push(all)
      return { prompt: 'go on', verdict: { additionalContext: null } }
    },
  }
  const ended = await stopped({ session } as never, { status, usage: noUsage() }, undefined, () => {})
  expect(ended).toBe(expected)
  expect(guarded).toEqual(Array(times).fill(['beforeSubmitPrompt', { prompt: 'go on' }, { automatic: true }]))
})
