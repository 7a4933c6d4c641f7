import { describe, expect, it } from 'vitest'
import { PROFILE_NAMES, type ProfileName } from '../protocol/profiles.js'
import { samplePayload } from '../protocol/samples.js'
import { allow, ask, context, deny, env, followup, notice, plugins, rewrite } from './answers.js'
import { type Handlers, programOf } from './program.js'

const say = async (handlers: unknown, payload: unknown, options = {}) =>
  programOf(handlers as Handlers, options).answerTo(
    typeof payload === 'string' ? payload : JSON.stringify(payload),
  )

const shell = { hook_event_name: 'beforeShellExecution', command: 'ls', cursor_version: '3.1.0' }
const of = (event: Parameters<typeof samplePayload>[0], profile: ProfileName = 'holdfast') => ({
  cursor_version: '3.1.0',
  ...samplePayload(event, profile),
})

describe('answers', () => {
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
  ] as const)('%s: %j', async (event, reply, answer) => {
    const spoken = await say({ [event]: () => reply }, of(event))
    expect(spoken).toEqual({ answer, problem: null })
  })

  const GATE = ['allow', 'deny']
  const TAKEN = {
    sessionStart: [...GATE, 'context', 'env'],
    sessionEnd: [],
    preToolUse: [...GATE, 'ask', 'rewrite'],
    postToolUse: ['context', 'rewrite'],
    postToolUseFailure: ['context'],
    subagentStart: GATE,
    subagentStop: ['followup'],
    beforeShellExecution: [...GATE, 'ask'],
    afterShellExecution: [],
    beforeMCPExecution: [...GATE, 'ask'],
    afterMCPExecution: [],
    beforeReadFile: GATE,
    afterFileEdit: [],
    beforeSubmitPrompt: GATE,
    afterAgentResponse: [],
    afterAgentThought: [],
    preCompact: ['notice'],
    stop: ['followup'],
    beforeTabFileRead: GATE,
    afterTabFileEdit: [],
    workspaceOpen: ['plugins'],
  } as const

  it.each(Object.keys(TAKEN) as (keyof typeof TAKEN)[])(
    '%s takes its own answers and no others',
    async event => {
      const made = {
        allow: allow(),
        deny: deny(),
        ask: ask(),
        notice: notice('x'),
        followup: followup('x'),
        context: context('x'),
        rewrite: rewrite({}),
        env: env({}),
        plugins: plugins([]),
      }
      const taken: string[] = []
      for (const [word, reply] of Object.entries(made)) {
        const { problem } = await say({ [event]: () => reply }, of(event))
        if (problem === null) taken.push(word)
        else expect(problem).toContain(`${word}() is not an answer to ${event}`)
      }
      expect(taken.sort()).toEqual([...TAKEN[event]].sort())
    },
  )

  it('are awaited', async () => {
    expect((await say({ stop: async () => followup('x') }, of('stop'))).answer).toEqual({
      followup_message: 'x',
    })
  })

  it('speak camelCase, too, to versions that do not say who they are', async () => {
    const handlers = { beforeShellExecution: () => deny('No.', { agent: 'Ask.' }) }
    const { answer } = await say(handlers, samplePayload('beforeShellExecution', 'cursor-1.7'))
    expect(answer).toMatchObject({ user_message: 'No.', userMessage: 'No.', agentMessage: 'Ask.' })
  })

  it('speak of decision and reason to 2.4, where that is what tools answer with', async () => {
    const handlers = { preToolUse: () => deny('No.'), beforeShellExecution: () => deny('No.') }
    const tool = await say(handlers, samplePayload('preToolUse', 'cursor-2.4'))
    expect(tool.answer).toMatchObject({ permission: 'deny', decision: 'deny', reason: 'No.' })
    const command = await say(handlers, samplePayload('beforeShellExecution', 'cursor-2.4'))
    expect(command.answer).not.toHaveProperty('decision')
    // The reason is for the model.
    const both = { subagentStart: () => deny('No.', { agent: 'Do not.' }), preToolUse: () => rewrite({}) }
    const started = await say(both, samplePayload('subagentStart', 'cursor-2.4'))
    expect(started.answer).toMatchObject({ decision: 'deny', reason: 'Do not.' })
    const rewritten = await say(both, samplePayload('preToolUse', 'cursor-2.4'))
    expect(rewritten.answer).toEqual({ updated_input: {} })
  })

  it.each([...PROFILE_NAMES])('reach the handler in %s', async name => {
    const payload = samplePayload('beforeShellExecution', name)
    const { answer } = await say({ beforeShellExecution: () => deny('No.') }, payload)
    expect(answer).toMatchObject({ permission: 'deny', user_message: 'No.' })
  })
})

describe('what goes wrong', () => {
  const guard = { beforeShellExecution: () => undefined }
  const watcher = { afterFileEdit: () => undefined }

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
  ])('%s: a guard denies in the words of every event, a watcher has no objection', async (text, problem) => {
    const guarded = await say(guard, text)
    expect(guarded.answer).toMatchObject({ permission: 'deny', continue: false })
    expect(guarded.answer.user_message).toContain(problem)
    expect(guarded.problem).toContain(problem)
    expect(guarded.problem).not.toContain('\n')
    const watched = await say(watcher, text)
    expect(watched.answer).toEqual({})
    expect(watched.problem).toContain(problem)
    const lax = await say(guard, text, { onError: 'allow' })
    expect(lax.answer).toEqual({})
    expect(lax.problem).toContain(problem)
  })

  it('a byte order mark is none of it', async () => {
    const { answer, problem } = await say(
      { stop: () => followup('x') },
      `\ufeff${JSON.stringify(of('stop'))}`,
    )
    expect({ answer, problem }).toEqual({ answer: { followup_message: 'x' }, problem: null })
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
      'throws later',
      async () => {
        throw new Error('disk full')
      },
      'disk full',
    ],
    [
      'throws a text',
      () => {
        throw 'disk full'
      },
      'disk full',
    ],
    [
      'throws something that has no words',
      () => {
        throw {
          toString: () => {
            throw new Error('no')
          },
        }
      },
      'cannot be put into words',
    ],
    [
      'throws nothing',
      () => {
        throw undefined
      },
      'undefined',
    ],
    ['answers with an object of its own', () => ({ permission: 'allow' }), 'an object of its own'],
    ['answers with true', () => true, 'returned true'],
    [
      'answers with what the event cannot give',
      () => followup('x'),
      'followup() is not an answer to beforeShellExecution; beforeShellExecution takes allow(), deny(), ask()',
    ],
  ])('a handler that %s: deny, unless told otherwise', async (_, handler, problem) => {
    const spoken = await say({ beforeShellExecution: handler }, shell)
    expect(spoken.answer).toMatchObject({ permission: 'deny' })
    expect(spoken.answer).not.toHaveProperty('continue')
    expect(spoken.problem).toContain(problem)
    expect(spoken.problem).not.toContain('\n')
    expect((await say({ beforeShellExecution: handler }, shell, { onError: 'allow' })).answer).toEqual({})
  })

  it.each([
    ['a text that is none', deny(7 as unknown as string), 'deny', 'deny() takes a text, not 7'],
    ['something that is no answer beside it', [deny('No.'), true], 'deny', 'returned true'],
    ['something that the event cannot give before it', [followup('x'), deny('No.')], 'deny', 'followup()'],
    ['too many words', deny('x'.repeat(1_100_000)), 'deny', 'bytes'],
    ['something that is no answer beside a question', [ask('?'), true], 'ask', 'returned true'],
  ])('a deny with %s holds, whatever the policy', async (_, reply, permission, problem) => {
    const spoken = await say({ beforeShellExecution: () => reply }, shell, { onError: 'allow' })
    expect(spoken.answer).toMatchObject({ permission })
    expect(spoken.problem).toContain(problem)
    expect((await say({ beforeShellExecution: () => reply }, shell)).answer).toMatchObject({
      permission: 'deny',
    })
  })

  it('a handler that throws where nothing can be stopped: no objection', async () => {
    const spoken = await say(
      {
        stop: () => {
          throw new Error('no')
        },
      },
      of('stop'),
    )
    expect(spoken).toEqual({ answer: {}, problem: 'the handler of stop failed: no' })
  })

  it('an answer that cannot be written', async () => {
    const round: Record<string, unknown> = {}
    round.round = round
    const spoken = await say({ preToolUse: () => rewrite(round) }, of('preToolUse'))
    expect(spoken.answer).toMatchObject({ permission: 'deny' })
  })

  it('an answer that is longer than hosts read', async () => {
    const spoken = await say({ beforeShellExecution: () => allow() && deny('x'.repeat(1_100_000)) }, shell)
    expect(spoken.answer).toMatchObject({ permission: 'deny' })
    expect(spoken.problem).toMatch(/has 1100\d\d\d bytes/)
  })

  it('an answer is measured in bytes, up to a million of them', async () => {
    const length = async (text: string) => {
      const spoken = await say({ stop: () => followup(text) }, of('stop'))
      return spoken.problem ?? Buffer.byteLength(JSON.stringify(spoken.answer))
    }
    const frame = '{"followup_message":""}'.length
    expect(await length('x'.repeat(1_000_000 - frame))).toBe(1_000_000)
    expect(await length('x'.repeat(1_000_001 - frame))).toMatch('has 1000001 bytes')
    expect(await length('\u20ac'.repeat(400_000))).toMatch('has 1200023 bytes')
  })

  it.each([
    ['the name of an event is wrong', { beforeShellExec: () => undefined }],
    ['the handlers are none', null],
  ])('a payload that cannot be read, where %s: deny in the words of every event', async (_, handlers) => {
    for (const text of ['{', '{}', '{"hook_event_name":"x"}'])
      expect((await say(handlers, text)).answer).toMatchObject({ permission: 'deny', continue: false })
  })

  it('a question where nobody can be asked is no answer, whatever the policy', async () => {
    const reply = () => [ask('?'), true]
    const { answer } = await say({ beforeReadFile: reply }, of('beforeReadFile'), { onError: 'allow' })
    expect(answer).toEqual({})
    expect((await say({ beforeReadFile: reply }, of('beforeReadFile'))).answer).toMatchObject({
      permission: 'deny',
    })
  })

  it('a prompt is stopped in its own word, and a failure of its handler too', async () => {
    const failing = {
      beforeSubmitPrompt: () => {
        throw new Error('no')
      },
    }
    const { answer } = await say(failing, of('beforeSubmitPrompt'))
    expect(answer).toMatchObject({ continue: false })
    expect(answer).not.toHaveProperty('permission')
  })

  it('a field that is missing', async () => {
    const spoken = await say(guard, { hook_event_name: 'beforeShellExecution' })
    expect(spoken.answer).toMatchObject({ permission: 'deny' })
    expect(spoken.problem).toBe('the payload of beforeShellExecution is not whole: "command" is missing.')
  })

  it('an event that is not handled: no objection, and a line about it', async () => {
    const spoken = await say(guard, of('stop'))
    expect(spoken).toEqual({
      answer: {},
      problem: 'this program has no handler of stop; it handles beforeShellExecution.',
    })
  })

  it('an event that is not handled because the name of its handler is wrong: deny', async () => {
    const spoken = await say({ beforeShellExec: () => deny('No.') }, shell)
    expect(spoken.answer).toMatchObject({ permission: 'deny' })
    expect(spoken.problem).toContain('there is no event "beforeShellExec"')
  })

  it.each([
    [null, {}, 'hook() takes an object of handlers'],
    [guard, { onError: 'ask' }, 'onError is "ask"'],
    [watcher, { onError: 'ask' }, 'onError is "ask"'],
  ])(
    'a program that is none denies, rather than to end without an answer',
    async (handlers, options, problem) => {
      const spoken = await say(handlers, shell, options)
      expect(spoken.answer).toMatchObject({ permission: 'deny' })
      expect(spoken.problem).toContain(problem)
    },
  )
})
