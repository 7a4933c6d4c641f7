// One tool call and its questions, without a model. The scene asks the application directly: what the engine makes of
// an answer before it comes here is tested with the engine.

import { jsonSchema, type ToolExecutionOptions, type ToolSet, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FAILING_ANSWERS, UNCLEAR_ANSWERS } from '../../../../../tests/fixtures/unclear-answers.js'
import { openScene, type Scene } from './scene.js'
import { openPlace, type Place } from './testing/place.js'
import { Call } from './tool-call.js'

let place: Place
let ran: unknown[]
beforeEach(() => {
  place = openPlace()
  ran = []
})
afterEach(() => place.close())

const NO_OPTIONS: ToolExecutionOptions = { toolCallId: 'call-1', messages: [] }

async function callWith(
  scene: Partial<Pick<Scene, 'approve' | 'leavesApproval'>>,
  { needsApproval, options = NO_OPTIONS }: { needsApproval?: unknown; options?: ToolExecutionOptions } = {},
): Promise<unknown> {
  const hooks = await place.open()
  const given = openScene(
    { hooks, workspace: place.workspace },
    { session: hooks.resumeSession(), task: undefined, leavesApproval: false },
  )
  const own = tool({
    inputSchema: jsonSchema<{ n: number }>({ type: 'object' }),
    execute: input => ran.push(input),
  })
  const needy = { ...own, ...(needsApproval === undefined ? {} : { needsApproval }) } as ToolSet[string]
  return new Call('needy', needy, {}, { ...given, ...scene }, options, () => 0).walk({ n: 1 }, () => {})
}

const approving = (answer: () => unknown) => ({ approve: answer as NonNullable<Scene['approve']> })

describe('the application’s own question', () => {
  it.each([
    ['true', () => true],
    ['a promise of true', async () => true],
  ])('is answered yes by %s', async (_, answer) => {
    await callWith(approving(answer))
    expect(ran).toEqual([{ n: 1 }])
  })

  it.each(UNCLEAR_ANSWERS)('is answered no by %s', async (_, answer) => {
    await expect(callWith(approving(answer))).rejects.toThrow('did not approve')
    expect(ran).toEqual([])
  })

  it.each(FAILING_ANSWERS)('is answered no by %s', async (_, answer) => {
    await expect(callWith(approving(answer))).rejects.toThrow('no terminal')
    expect(ran).toEqual([])
  })

  it.each([true, false])('is void when the call was aborted before the answer %j', async yes => {
    const controller = new AbortController()
    const answer = () => {
      controller.abort(new Error('enough'))
      return yes
    }
    const options = { ...NO_OPTIONS, abortSignal: controller.signal }
    await expect(callWith(approving(answer), { options })).rejects.toThrow('enough')
    expect(ran).toEqual([])
  })
})

describe('a grant of a hook', () => {
  it.each([
    ['preToolUse', 'beforeShellExecution'],
    ['beforeShellExecution', 'preToolUse'],
  ] as const)('on %s makes the question unnecessary, also when %s has no decision', async (event, other) => {
    const hooks = await place.open()
    hooks.register({ event, run: () => ({ permission: 'allow' }) })
    hooks.register({ event: other, run: () => {} })
    const given = openScene(
      { hooks, workspace: place.workspace, approve: () => expect.fail('asked about a granted call') },
      { session: hooks.resumeSession(), task: undefined, leavesApproval: false },
    )
    const shell = tool({
      inputSchema: jsonSchema<{ command: string }>({ type: 'object' }),
      execute: input => ran.push(input),
    }) as ToolSet[string]
    const call = new Call('Shell', shell, given.events.Shell!, given, NO_OPTIONS, () => 0)
    await call.walk({ command: 'ls' }, () => {})
    expect(ran).toEqual([{ command: 'ls' }])
  })
})

describe('a tool that needs an approval', () => {
  it.each([
    ['true', true],
    ['1', 1],
    ['"yes"', 'yes'],
    ['an object', {}],
    ['a list', []],
    ['a function to true', () => true],
    ['a function to 1', () => 1],
    ['a promise of true', async () => true],
    ['a promise of "yes"', async () => 'yes'],
  ])('does not run without one when it says so by %s', async (_, needsApproval) => {
    await expect(callWith({}, { needsApproval })).rejects.toThrow('nobody can be asked here')
    expect(ran).toEqual([])
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['false', false],
    ['a function to false', () => false],
    ['a function to nothing', () => {}],
    ['a promise of false', async () => false],
  ])('runs without one when it says %s', async (_, needsApproval) => {
    await callWith({}, { needsApproval })
    expect(ran).toHaveLength(1)
  })

  it('is judged by its input', async () => {
    const needsApproval = ({ n }: { n: number }) => n === 1
    await expect(callWith({}, { needsApproval })).rejects.toThrow('nobody can be asked here')
  })

  it('is left to the AI SDK where that asks', async () => {
    await callWith({ leavesApproval: true }, { needsApproval: true })
    expect(ran).toHaveLength(1)
  })

  it('is asked about by the application even where the AI SDK asks', async () => {
    const scene = { ...approving(() => false), leavesApproval: true }
    await expect(callWith(scene, { needsApproval: true })).rejects.toThrow('did not approve')
    expect(ran).toEqual([])
  })
})

describe('an input that a hook rewrote and the schema of the tool changes', () => {
  const callWithSchema = async (validate: (input: Record<string, unknown>) => Record<string, unknown>) => {
    const hooks = await place.open()
    const seen: unknown[] = []
    hooks.register({
      event: 'preToolUse',
      source: 'enterprise',
      run: ({ tool_input }) => {
        seen.push(tool_input)
        const { path } = tool_input as { path: string }
        return path === '/etc/shadow' ? { permission: 'deny', agent_message: 'Not that file.' } : {}
      },
    })
    hooks.register({
      event: 'preToolUse',
      source: 'user',
      run: ({ tool_input }) =>
        (tool_input as { path: string }).path === 'notes' ? { updated_input: { path: 'SHADOW' } } : {},
    })
    const given = openScene(
      { hooks, workspace: place.workspace },
      { session: hooks.resumeSession(), task: undefined, leavesApproval: false },
    )
    const inputSchema = jsonSchema<Record<string, unknown>>(
      { type: 'object' },
      { validate: value => ({ success: true, value: validate(value as Record<string, unknown>) }) },
    )
    const own = tool({ inputSchema, execute: input => ran.push(input) }) as ToolSet[string]
    await new Call('reader', own, {}, given, NO_OPTIONS, () => 0).walk({ path: 'notes' }, () => {})
    return seen
  }

  it('is judged again as it would run', async () => {
    const convert = (input: Record<string, unknown>) =>
      input.path === 'SHADOW' ? { ...input, path: '/etc/shadow' } : input
    await expect(callWithSchema(convert)).rejects.toThrow('Not that file.')
    expect(ran).toEqual([])
  })

  it('runs when the hooks accept what the schema added', async () => {
    const seen = await callWithSchema(input => ({ mode: 'text', ...input }))
    expect(ran).toEqual([{ mode: 'text', path: 'SHADOW' }])
    expect(seen.at(-1)).toEqual({ mode: 'text', path: 'SHADOW' })
  })

  it('does not run when it changes each time', async () => {
    const hooks = await place.open()
    hooks.register({ event: 'preToolUse', run: () => ({ updated_input: { n: 0 } }) })
    const given = openScene(
      { hooks, workspace: place.workspace },
      { session: hooks.resumeSession(), task: undefined, leavesApproval: false },
    )
    let n = 0
    const inputSchema = jsonSchema<{ n: number }>(
      { type: 'object' },
      { validate: () => ({ success: true, value: { n: ++n } }) },
    )
    const own = tool({ inputSchema, execute: input => ran.push(input) }) as ToolSet[string]
    const call = new Call('counter', own, {}, given, NO_OPTIONS, () => 0).walk({ n: 5 }, () => {})
    await expect(call).rejects.toThrow('changes the input of a hook')
    expect(ran).toEqual([])
  })
})
