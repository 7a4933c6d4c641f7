import { describe, expect, it } from 'vitest'
import { PROFILE_NAMES, type ProfileName } from '../protocol/profiles.js'
import { samplePayload } from '../protocol/samples.js'
import { createProgram, type Handlers } from './program.js'
import { allow, ask, context, deny, env, followup, notice, plugins, reword, rewrite } from './responses.js'

const run = async (handlers: unknown, payload: unknown, options = {}) =>
  createProgram(handlers as Handlers, options).respondTo(
    typeof payload === 'string' ? payload : JSON.stringify(payload),
  )

const shell = { hook_event_name: 'beforeShellExecution', command: 'ls', cursor_version: '3.1.0' }
const of = (event: Parameters<typeof samplePayload>[0], profile: ProfileName = 'holdfast') => ({
  cursor_version: '3.1.0',
  ...samplePayload(event, profile),
})

describe('responses', () => {
  it.each([
    ['beforeShellExecution', allow(), { permission: 'allow' }],
    ['beforeShellExecution', deny(), { permission: 'deny' }],
    ['beforeShellExecution', deny('No.'), { permission: 'deny', user_message: 'No.' }],
    [
      'beforeShellExecution',
      deny('No.', { agent: 'Ask.' }),
      { permission: 'deny', user_message: 'No.', agent_message: 'Ask.' },
    ],
    ['beforeMCPExecution', ask('Really?'), { permission: 'ask', user_message: 'Really?' }],
    ['beforeSubmitPrompt', deny('No.'), { continue: false, user_message: 'No.' }],
    ['beforeSubmitPrompt', allow(), { continue: true }],
    ['beforeSubmitPrompt', [reword('a'), reword('b')], { updated_prompt: 'b' }],
    ['stop', followup('Go on.'), { followup_message: 'Go on.' }],
    ['postToolUse', context('Slow.'), { additional_context: 'Slow.' }],
    ['postToolUse', rewrite({ a: 1 }), { updated_mcp_tool_output: { a: 1 } }],
    ['preToolUse', rewrite({ a: 1 }), { updated_input: { a: 1 } }],
    ['sessionStart', [context('x'), env({ A: 'b' })], { additional_context: 'x', env: { A: 'b' } }],
    ['preCompact', notice('Shorter.'), { user_message: 'Shorter.' }],
    ['workspaceOpen', plugins(['/a']), { pluginPaths: ['/a'] }],
    ['beforeShellExecution', undefined, {}],
    ['beforeShellExecution', null, {}],
    ['beforeShellExecution', [], {}],
    ['afterFileEdit', undefined, {}],
    [
      'preToolUse',
      [rewrite({ a: 1 }), ask('?')],
      { permission: 'ask', user_message: '?', updated_input: { a: 1 } },
    ],
    ['preToolUse', [deny('No.'), allow()], { permission: 'deny', user_message: 'No.' }],
    ['preToolUse', [allow(), deny('No.')], { permission: 'deny', user_message: 'No.' }],
    ['beforeSubmitPrompt', [deny('a'), allow(), deny('b')], { continue: false, user_message: 'a\n\nb' }],
    ['beforeSubmitPrompt', [deny('No.'), allow()], { continue: false, user_message: 'No.' }],
    ['beforeSubmitPrompt', [allow(), deny('No.')], { continue: false, user_message: 'No.' }],
    ['beforeSubmitPrompt', deny('No.', { agent: 'Ask.' }), { continue: false, user_message: 'No.' }],
    ['preToolUse', [ask('?'), allow()], { permission: 'ask', user_message: '?' }],
    ['preToolUse', [allow(), ask('?')], { permission: 'ask', user_message: '?' }],
    ['preToolUse', [ask('?'), deny('No.')], { permission: 'deny', user_message: '?\n\nNo.' }],
    ['preToolUse', [rewrite({ a: 1, b: 1 }), rewrite({ b: 2 })], { updated_input: { a: 1, b: 2 } }],
    ['sessionStart', [env({ A: '1', B: '1' }), env({ B: '2' })], { env: { A: '1', B: '2' } }],
    ['sessionStart', [context('x'), context('y')], { additional_context: 'x\n\ny' }],
    ['workspaceOpen', [plugins(['/a']), plugins(['/b'])], { pluginPaths: ['/a', '/b'] }],
  ] as const)('%s: %j', async (event, returned, response) => {
    const result = await run({ [event]: () => returned }, of(event))
    expect(result).toEqual({ response, problem: null })
  })

  const GATE = ['allow', 'deny']
  const ACCEPTED = {
    sessionStart: [...GATE, 'context', 'env'],
    sessionEnd: [],
    preToolUse: [...GATE, 'ask', 'rewrite'],
    postToolUse: ['context', 'rewrite'],
    postToolUseFailure: ['context'],
    permissionRequest: GATE,
    subagentStart: GATE,
    subagentStop: ['followup'],
    beforeShellExecution: [...GATE, 'ask'],
    afterShellExecution: [],
    beforeMCPExecution: [...GATE, 'ask'],
    afterMCPExecution: [],
    beforeReadFile: GATE,
    afterFileEdit: [],
    beforeSubmitPrompt: [...GATE, 'context', 'reword'],
    afterAgentResponse: [],
    afterAgentThought: [],
    preCompact: ['notice'],
    stop: ['followup'],
    beforeTabFileRead: GATE,
    afterTabFileEdit: [],
    workspaceOpen: ['plugins'],
  } as const

  it.each(Object.keys(ACCEPTED) as (keyof typeof ACCEPTED)[])(
    '%s accepts its own responses and no others',
    async event => {
      const made = {
        allow: allow(),
        deny: deny(),
        ask: ask(),
        notice: notice('x'),
        followup: followup('x'),
        context: context('x'),
        rewrite: rewrite({}),
        reword: reword('x'),
        env: env({}),
        plugins: plugins([]),
      }
      const accepted: string[] = []
      for (const [kind, response] of Object.entries(made)) {
        const { problem } = await run({ [event]: () => response }, of(event))
        if (problem === null) accepted.push(kind)
        else expect(problem).toContain(`${kind}() is not a response to ${event}`)
      }
      expect(accepted.sort()).toEqual([...ACCEPTED[event]].sort())
    },
  )

  it('are awaited if the handler is async', async () => {
    expect((await run({ stop: async () => followup('x') }, of('stop'))).response).toEqual({
      followup_message: 'x',
    })
  })

  it('have camelCase fields too, for versions that do not send their number', async () => {
    const handlers = { beforeShellExecution: () => deny('No.', { agent: 'Ask.' }) }
    const { response } = await run(handlers, samplePayload('beforeShellExecution', 'cursor-1.7'))
    expect(response).toMatchObject({ user_message: 'No.', userMessage: 'No.', agentMessage: 'Ask.' })
  })

  it('have decision and reason in 2.4, on the events that read them', async () => {
    const handlers = { preToolUse: () => deny('No.'), beforeShellExecution: () => deny('No.') }
    const tool = await run(handlers, samplePayload('preToolUse', 'cursor-2.4'))
    expect(tool.response).toMatchObject({ permission: 'deny', decision: 'deny', reason: 'No.' })
    const command = await run(handlers, samplePayload('beforeShellExecution', 'cursor-2.4'))
    expect(command.response).not.toHaveProperty('decision')
    // The model reads the reason.
    const both = { subagentStart: () => deny('No.', { agent: 'Do not.' }), preToolUse: () => rewrite({}) }
    const started = await run(both, samplePayload('subagentStart', 'cursor-2.4'))
    expect(started.response).toMatchObject({ decision: 'deny', reason: 'Do not.' })
    const rewritten = await run(both, samplePayload('preToolUse', 'cursor-2.4'))
    expect(rewritten.response).toEqual({ updated_input: {} })
  })

  it.each([...PROFILE_NAMES])('deny in %s', async name => {
    const payload = samplePayload('beforeShellExecution', name)
    const { response } = await run({ beforeShellExecution: () => deny('No.') }, payload)
    expect(response).toMatchObject({ permission: 'deny', user_message: 'No.' })
  })
})

describe('failures', () => {
  const guard = { beforeShellExecution: () => undefined }
  const observer = { afterFileEdit: () => undefined }

  it.each([
    ['', 'the payload is empty'],
    ['  \n', 'the payload is empty'],
    ['\ufeff', 'the payload is empty'],
    ['no JSON', 'the payload is not JSON'],
    ['{"hook_event_name":"beforeShellExecution"', 'the payload is not JSON'],
    ['[]', 'the payload is an array'],
    ['null', 'the payload is null'],
    ['"text"', 'the payload is a string'],
    ['{}', 'no "hook_event_name"'],
    ['{"hook_event_name":"beforeShellExec"}', 'there is no event "beforeShellExec"'],
    ['{"hook_event_name":7}', 'there is no event 7'],
    ['{"hook_event_name":"toString"}', 'there is no event "toString"'],
    ['{"hook_event_name":"__proto__"}', 'there is no event "__proto__"'],
  ])('%s: a guard denies in the fields of every gate, an observer abstains', async (text, problem) => {
    const guarded = await run(guard, text)
    expect(guarded.response).toMatchObject({ permission: 'deny', continue: false })
    expect(guarded.response.user_message).toContain(problem)
    expect(guarded.problem).toContain(problem)
    expect(guarded.problem).not.toContain('\n')
    const observed = await run(observer, text)
    expect(observed.response).toEqual({})
    expect(observed.problem).toContain(problem)
    const lax = await run(guard, text, { onError: 'allow' })
    expect(lax.response).toEqual({})
    expect(lax.problem).toContain(problem)
  })

  it('ignores a byte order mark', async () => {
    const { response, problem } = await run(
      { stop: () => followup('x') },
      `\ufeff${JSON.stringify(of('stop'))}`,
    )
    expect({ response, problem }).toEqual({ response: { followup_message: 'x' }, problem: null })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('disk full\n at line 2')
      },
      'disk full at line 2',
    ],
    [
      'rejects',
      async () => {
        throw new Error('disk full')
      },
      'disk full',
    ],
    [
      'throws a string',
      () => {
        throw 'disk full'
      },
      'disk full',
    ],
    [
      'throws a value without a string form',
      () => {
        throw {
          toString: () => {
            throw new Error('no')
          },
        }
      },
      'an error without a message',
    ],
    [
      'throws undefined',
      () => {
        throw undefined
      },
      'undefined',
    ],
  ])('a handler that %s denies by default, and allows with onError allow', async (_, handler, problem) => {
    const result = await run({ beforeShellExecution: handler }, shell)
    expect(result.response).toMatchObject({ permission: 'deny' })
    expect(result.response).not.toHaveProperty('continue')
    expect(result.problem).toContain(problem)
    expect(result.problem).not.toContain('\n')
    expect((await run({ beforeShellExecution: handler }, shell, { onError: 'allow' })).response).toEqual({})
  })

  it.each([
    ['a message that is not a string', deny(7 as unknown as string), 'deny() takes a string, not 7'],
    ['a deny beside a value', [deny('No.'), true], 'true is not a response'],
    ['a kind that the event does not accept', [followup('x'), deny('No.')], 'followup() is not a response'],
    ['a message over the limit', deny('x'.repeat(1_100_000)), 'bytes'],
    ['a question beside a value', [ask('?'), true], 'true is not a response'],
    [
      'a boolean',
      true,
      'true is not a response to beforeShellExecution; beforeShellExecution accepts allow()',
    ],
    ['a string', '{"permission":"allow"}', 'is not a response'],
    ['a function', () => deny(), 'a function is not a response'],
    ['a misspelt field', { permision: 'deny' }, '"permision" is not a field'],
    ['a field beside an unknown one', { permission: 'allow', why: 'x' }, '"why" is not a field'],
    ['a misspelt decision', { permission: 'dney' }, '"permission" is "dney"'],
    ['a decision as text', { continue: 'false' }, '"continue" is "false"'],
    ['a decision that is not a string', { permission: false }, '"permission" is false'],
    [
      'a generator',
      (function* () {
        yield deny()
      })(),
      'is not a response',
    ],
    [
      'an async generator',
      (async function* () {
        yield deny()
      })(),
      'is not a response',
    ],
    ['a map', new Map([['permission', 'deny']]), 'an object (Map) is not a response'],
    [
      'an instance of a class',
      new (class Deny {
        permission = 'deny'
      })(),
      'an object (Deny) is not a response',
    ],
    ['an error', new Error('no'), 'an object (Error) is not a response'],
    ['a nested array', [[deny('No.')]], 'an array is not a response'],
    ['an array of promises', [Promise.resolve(deny('No.'))], 'an object (Promise) is not a response'],
  ])('%s is an invalid response, and denies with any onError', async (_, returned, problem) => {
    for (const onError of ['allow', 'deny']) {
      const result = await run({ beforeShellExecution: () => returned }, shell, { onError })
      expect(result.response).toMatchObject({ permission: 'deny' })
      expect(result.problem).toContain(problem)
    }
  })

  it.each([
    [
      'a cycle',
      () => {
        const value: Record<string, unknown> = {}
        value.value = value
        return value
      },
    ],
    ['a BigInt', () => ({ id: 1n })],
  ])('a rewrite that contains %s denies, so that the original input does not run', async (_, value) => {
    const handlers = { preToolUse: () => rewrite(value()) }
    const result = await run(handlers, of('preToolUse'), { onError: 'allow' })
    expect(result.response).toMatchObject({ permission: 'deny' })
  })

  it('accepts the fields that a script prints', async () => {
    const handlers = { beforeShellExecution: () => ({ permission: 'ask', user_message: 'Really?' }) }
    expect(await run(handlers, shell)).toEqual({
      response: { permission: 'ask', user_message: 'Really?' },
      problem: null,
    })
  })

  it('a handler that throws on an event that cannot be stopped abstains', async () => {
    const result = await run(
      {
        stop: () => {
          throw new Error('no')
        },
      },
      of('stop'),
    )
    expect(result).toEqual({ response: {}, problem: 'the handler for stop failed: no' })
  })

  it('a response over the limit keeps its deny', async () => {
    const result = await run({ beforeShellExecution: () => allow() && deny('x'.repeat(1_100_000)) }, shell)
    expect(result.response).toMatchObject({ permission: 'deny' })
    expect(result.problem).toMatch(/has 1100\d\d\d bytes/)
  })

  it('a response has at most 1,000,000 bytes', async () => {
    const length = async (text: string) => {
      const result = await run({ stop: () => followup(text) }, of('stop'))
      return result.problem ?? Buffer.byteLength(JSON.stringify(result.response))
    }
    const frame = '{"followup_message":""}'.length
    expect(await length('x'.repeat(1_000_000 - frame))).toBe(1_000_000)
    expect(await length('x'.repeat(1_000_001 - frame))).toMatch('has 1000001 bytes')
    expect(await length('\u20ac'.repeat(400_000))).toMatch('has 1200023 bytes')
  })

  it.each([
    ['a misspelt event name', { beforeShellExec: () => undefined }],
    ['no handlers', null],
  ])('%s: an invalid payload is denied in the fields of every gate', async (_, handlers) => {
    for (const text of ['{', '{}', '{"hook_event_name":"x"}'])
      expect((await run(handlers, text)).response).toMatchObject({ permission: 'deny', continue: false })
  })

  it('ask() on an event without questions denies with any onError', async () => {
    for (const onError of ['allow', 'deny']) {
      const result = await run({ beforeReadFile: () => ask('?') }, of('beforeReadFile'), { onError })
      expect(result.response).toMatchObject({ permission: 'deny' })
    }
  })

  it('a failed handler stops a prompt with continue', async () => {
    const failing = {
      beforeSubmitPrompt: () => {
        throw new Error('no')
      },
    }
    const { response } = await run(failing, of('beforeSubmitPrompt'))
    expect(response).toMatchObject({ continue: false })
    expect(response).not.toHaveProperty('permission')
  })

  it('a payload without a required field is denied', async () => {
    const result = await run(guard, { hook_event_name: 'beforeShellExecution' })
    expect(result.response).toMatchObject({ permission: 'deny' })
    expect(result.problem).toBe('the payload of beforeShellExecution is incomplete: "command" is missing.')
  })

  it('an event without a handler abstains and reports it', async () => {
    const result = await run(guard, of('stop'))
    expect(result).toEqual({
      response: {},
      problem: 'this program has no handler for stop; it handles beforeShellExecution.',
    })
  })

  it('an event without a handler is denied if a handler has a misspelt name', async () => {
    const result = await run({ beforeShellExec: () => deny('No.') }, shell)
    expect(result.response).toMatchObject({ permission: 'deny' })
    expect(result.problem).toContain('there is no event "beforeShellExec"')
  })

  it.each([
    [null, {}, 'hook() takes an object of handlers'],
    [guard, { onError: 'ask' }, 'onError is "ask"'],
    [observer, { onError: 'ask' }, 'onError is "ask"'],
  ])('an invalid program denies: %j %j', async (handlers, options, problem) => {
    const result = await run(handlers, shell, options)
    expect(result.response).toMatchObject({ permission: 'deny' })
    expect(result.problem).toContain(problem)
  })
})
