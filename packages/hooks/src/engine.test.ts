// The engine with function hooks, in one process: closing, cancelling, registering, status, and what a host may set.

import { userInfo } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { definition, exitOf } from '../../../tests/fixtures/definition.js'
import { trustShown, Workspace } from '../../../tests/fixtures/workspace.js'
import { givenDefinition } from './given-hooks.js'
import { asHost, type HostOptions } from './host.js'
import { type EventSpec, findEvent } from './protocol/events.js'
import type { PromptQuestion, PromptReply } from './protocol/prompt.js'
import type { Verdict } from './protocol/verdict.js'
import { afterEvent, conversationFields, newState, withSessionFields } from './session.js'
import { tallies } from './status.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => {
  space.close()
  vi.unstubAllEnvs()
})

const shell = 'beforeShellExecution' as const
const ls = { command: 'ls' }

describe('an event that was cancelled', () => {
  it('runs no hook when it was cancelled before, or the engine was closed', async () => {
    const hooks = await space.open()
    const run = vi.fn(() => ({ permission: 'allow' as const }))
    hooks.register({ event: shell, run })
    const signal = AbortSignal.abort()
    await expect(hooks.fire(shell, ls, { signal })).rejects.toMatchObject({ code: 'use/aborted' })
    await expect(hooks.guard(shell, ls, { signal })).rejects.toMatchObject({ code: 'use/aborted' })
    hooks.close()
    await expect(hooks.fire(shell, ls)).rejects.toMatchObject({ code: 'use/closed' })
    expect(run).not.toHaveBeenCalled()
  })

  it('has no verdict when it is cancelled, or the engine closed, while a hook runs', async () => {
    const hooks = await space.open()
    const controller = new AbortController()
    const takeBack = hooks.register({ event: shell, run: () => controller.abort() })
    const { signal } = controller
    await expect(hooks.fire(shell, ls, { signal })).rejects.toMatchObject({ code: 'use/aborted' })
    takeBack()
    hooks.register({ event: shell, run: () => hooks.close() })
    await expect(hooks.fire(shell, ls)).rejects.toMatchObject({ code: 'use/closed' })
  })
})

describe('explaining an event', () => {
  it('looks again at a script that changed since it was trusted', async () => {
    const script = space.write('.cursor/hooks/one.sh', '#!/bin/sh\n')
    space.project({ [shell]: [{ command: '.cursor/hooks/one.sh' }] })
    const hooks = await space.open({ trustAll: false })
    await trustShown(hooks)
    expect((await hooks.explain(shell, ls)).hooks).toHaveLength(1)
    space.write(script, '#!/bin/sh\n# another one\n')
    const { hooks: planned, skipped } = await hooks.explain(shell, ls)
    expect(planned).toEqual([])
    expect(skipped).toMatchObject([{ reason: 'untrusted' }])
  })
})

describe('a registered hook', () => {
  it('takes only itself back, however often', async () => {
    const hooks = await space.open()
    const takeBack = hooks.register({ event: shell, run: () => ({ permission: 'allow' }) })
    hooks.register({ event: shell, run: () => ({ permission: 'deny' }) })
    takeBack()
    takeBack()
    expect(await hooks.fire(shell, ls)).toMatchObject({ permission: 'deny', runs: [{}] })
  })

  it.each([
    [undefined, 5],
    [null, 7],
    [0, 0],
    [2, 2],
  ])('with the loop limit %j causes %i of 7 follow-ups in a row', async (loopLimit, expected) => {
    const session = await space.open().then(hooks => {
      hooks.register({
        event: 'stop',
        ...(loopLimit === undefined ? {} : { loopLimit }),
        run: () => ({ followup_message: 'go on' }),
      })
      return hooks.resumeSession()
    })
    for (let i = 0; i < 7; i++) await session.fire('stop', {})
    expect(session.loopCount).toBe(expected)
  })

  const given = (over: object, profile: 'holdfast' | 'cursor-1.7' = 'holdfast') =>
    givenDefinition(
      { event: shell, command: 'x', root: '/project', ...over },
      findEvent(shell)!,
      asHost({ workspaceRoots: ['/open', '/other'], home: '/home/me', profile }),
    )

  it('belongs to the user, enforces, and has a minute by default', () => {
    const hook = given({})
    expect(hook).toMatchObject({ source: 'user', mode: 'enforce', timeoutMs: 60_000, trusted: true })
    expect(hook).not.toHaveProperty('failClosed')
    expect(given({ source: 'team' }).rank).toBeLessThan(hook.rank)
  })

  it('keeps the time limit, the policy and the dialect that it was given', () => {
    expect(given({ timeout: 2, failClosed: false })).toMatchObject({ timeoutMs: 2000, failClosed: false })
    expect(given({ failClosed: true })).toMatchObject({ failClosed: true })
    expect(given({ source: 'claude-project' }).dialect).toBe('claude')
    expect(given({ source: 'project' }).dialect).toBe('native')
  })

  const model = (replies: object[]) => {
    const asked: PromptQuestion[] = []
    const evaluatePrompt = async (question: PromptQuestion) => {
      asked.push(question)
      return replies.shift() as PromptReply
    }
    return { asked, evaluatePrompt }
  }

  it('may be a prompt for the model of the host', async () => {
    const { asked, evaluatePrompt } = model([{ ok: false, reason: 'It deletes.' }, { ok: true }])
    const hooks = await space.open({ evaluatePrompt })
    const prompt = 'Is this safe? $ARGUMENTS'
    const takeBack = hooks.register({ event: shell, type: 'prompt', prompt, model: 'fast', matcher: '^ls' })
    expect(await hooks.fire(shell, ls)).toMatchObject({ permission: 'deny', userMessage: 'It deletes.' })
    expect(await hooks.fire(shell, ls)).toMatchObject({ permission: null, runs: [{}] })
    expect(await hooks.fire(shell, { command: 'cat x' })).toMatchObject({ skipped: [{ reason: 'matcher' }] })
    takeBack()
    expect(await hooks.fire(shell, ls)).toMatchObject({ runs: [], skipped: [] })
    expect(asked).toMatchObject([{ model: 'fast', timeoutMs: 30_000 }, {}])
    expect(asked[0]!.prompt).toContain('"command":"ls"')
  })

  it.each([
    [true, 'deny'],
    [false, null],
  ])('that is a prompt fails without a model: failClosed %s', async (failClosed, permission) => {
    const hooks = await space.open()
    hooks.register({ event: shell, type: 'prompt', prompt: 'Is this safe?', failClosed, source: 'team' })
    const verdict = await hooks.fire(shell, ls)
    expect(verdict).toMatchObject({ permission, runs: [{ hook: { source: 'team', name: 'Is this safe?' } }] })
  })

  it.each([
    { type: 'prompt' },
    { type: 'prompt', prompt: ' ' },
    { command: '' },
    { type: 'prompt', run() {} },
    {},
  ])('is refused without its text or its function: %j', async fields => {
    const hooks = await space.open()
    expect(() => hooks.register({ event: shell, ...fields } as never)).toThrow(
      expect.objectContaining({ code: 'use/bad-option' }),
    )
  })

  it('has an id of its own, and the folder of its project', () => {
    expect(given({}).id).not.toBe(given({}).id)
    expect(given({})).toMatchObject({ root: '/project', cwd: '/project' })
    expect(given({}, 'cursor-1.7').cwd).toBe(join('/project', '.cursor'))
  })
})

describe('the status of a hook', () => {
  it('says whether it may run, matched, and how often it ran', async () => {
    space.user({
      [shell]: [
        { command: 'true', matcher: 'nothing like it' },
        { command: 'true', matcher: '(' },
      ],
      stop: [{ command: 'true' }],
    })
    space.project({ [shell]: [{ command: 'true' }] })
    const hooks = await space.open({ trustAll: false })
    hooks.register({ event: shell, source: 'plugin', run: () => ({}) })
    const states = () => hooks.list().map(({ hook, state, runs }) => [hook.source, hook.event, state, runs])
    expect(states()).toEqual([
      ['project', shell, 'untrusted', 0],
      ['user', shell, 'ready', 0],
      ['user', shell, 'invalid', 0],
      ['plugin', shell, 'ready', 0],
      ['user', 'stop', 'ready', 0],
    ])
    await hooks.fire(shell, ls)
    await hooks.fire(shell, ls)
    expect(states()).toEqual([
      ['project', shell, 'untrusted', 0],
      ['user', shell, 'never-matched', 0],
      ['user', shell, 'invalid', 2],
      ['plugin', shell, 'ready', 2],
      ['user', 'stop', 'ready', 0],
    ])
    expect(hooks.list().find(({ hook }) => hook.type === 'function')!.hook.root).toBe(space.root)
  })
})

describe('the count of a hook of the host', () => {
  it('goes with its definition, while that of a configured hook outlives a reload', () => {
    const tally = tallies()
    const [given, configured] = [definition({ file: null }), definition({})]
    const runs = [given, configured].map(hook => ({ hook, exit: exitOf(), outcome: { kind: 'silent' } }))
    tally.count({ event: shell, runs } as unknown as Verdict, 1)
    expect([given, configured, { ...given }, { ...configured }].map(hook => tally.of(hook)?.runs)).toEqual([
      1,
      1,
      undefined,
      1,
    ])
  })
})

describe('the log of the engine', () => {
  it('leaves out what the host says', async () => {
    const hooks = await space.open({ log: { redact: { prompts: true } } })
    hooks.register({ event: 'beforeSubmitPrompt', run: () => ({}) })
    await hooks.fire('beforeSubmitPrompt', { prompt: 'private words' })
    expect(hooks.log()).toMatchObject([{ request: { prompt: '[left out: 13 characters]' } }])
  })
})

describe('listeners for changes', () => {
  it('cannot keep a reload from others, and are called until they leave or the engine is closed', async () => {
    const hooks = await space.open()
    const [first, second] = [vi.fn(), vi.fn()]
    hooks.onChange(() => {
      throw new Error('a mistake of the host')
    })
    const leave = hooks.onChange(first)
    hooks.onChange(second)
    await hooks.reload()
    leave()
    await hooks.reload()
    hooks.close()
    await hooks.reload()
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 2])
  })
})

describe('a host', () => {
  it('never uses the current folder as the home of the user', () => {
    vi.stubEnv('HOME', 'relative')
    expect(asHost({ workspaceRoots: [] }).home).toBe(userInfo().homedir)
  })

  it('gives hooks its own version, or that of the profile', () => {
    expect(asHost({ workspaceRoots: [], version: '9.9.9' }).version).toBe('9.9.9')
    expect(asHost({ workspaceRoots: [], profile: 'cursor-1.7' }).version).toMatch(/^1\.7/)
  })
})

describe('the state of a conversation', () => {
  const variables = [{ rank: 1, env: { A: 'parent' } }]
  const parent = newState(
    {
      conversationId: 'parent',
      model: 'large',
      modelId: 'large-1',
      transcriptPath: '/transcript',
      composerMode: 'ask',
      isBackgroundAgent: true,
      subagentId: 'call 1',
      memory: { startedAt: 1, generationId: 'message 1', loopCounts: { stop: 3 }, variables },
    },
    'id',
    5,
  )

  it('continues with the stored state', () => {
    expect(parent).toMatchObject({ startedAt: 1, generationId: 'message 1', variables })
    expect(parent.loopCounts).toEqual(new Map([['stop', 3]]))
  })

  it('passes to a subagent all but the transcript, the loop counts and the call that started it', () => {
    expect(newState({}, 'child', 6, parent)).toEqual({
      conversationId: 'child',
      parentId: 'parent',
      subagentId: undefined,
      model: 'large',
      modelId: 'large-1',
      transcriptPath: null,
      composerMode: 'ask',
      isBackgroundAgent: true,
      startedAt: 6,
      generationId: 'message 1',
      loopCounts: new Map(),
      variables,
      context: [],
      background: new Set(),
    })
  })

  it('prefers what the subagent was started with', () => {
    const memory = { startedAt: 2, generationId: 'message 2', loopCounts: {}, variables: [] }
    const own = { model: 'small', modelId: 'small-1', composerMode: 'edit', isBackgroundAgent: false, memory }
    expect(newState(own, 'child', 6, parent)).toMatchObject({
      model: 'small',
      modelId: 'small-1',
      composerMode: 'edit',
      isBackgroundAgent: false,
      startedAt: 2,
      generationId: 'message 2',
      variables: [],
    })
  })

  it('names the conversation that started it, and itself where none did', () => {
    const child = newState({ subagentId: 'call 2' }, 'child', 6, parent)
    expect(conversationFields(child)).toEqual({
      conversation_id: 'child',
      session_id: 'child',
      generation_id: 'message 1',
      model: 'large',
      model_id: 'large-1',
      transcript_path: null,
      parent_conversation_id: 'parent',
      subagent_id: 'call 2',
    })
    const spec = findEvent('subagentStart')!
    expect(withSessionFields(child, spec, {}, '/')).toMatchObject({ parent_conversation_id: 'parent' })
    expect(withSessionFields(newState({}, 'alone', 6), spec, {}, '/')).toMatchObject({
      parent_conversation_id: 'alone',
    })
  })

  it.each([
    ['counts', 'go on', 1],
    ['counts', '', 1],
    ['counts', null, 0],
    ['resets', 'go on', 0],
    [undefined, 'go on', 0],
  ])('counts a follow-up of an event that %s, with %j', (loop, followupMessage, count) => {
    const spec = { ...findEvent('stop')!, loop } as EventSpec
    const state = newState({}, 'id', 5)
    afterEvent(state, spec, { followupMessage, variables: [] } as unknown as Verdict)
    expect(state.loopCounts.get('stop') ?? 0).toBe(count)
  })

  it('keeps variables by source, the later value of a source over its earlier one', () => {
    const state = newState({}, 'id', 0)
    const set = (rank: number, env: Record<string, string>) =>
      afterEvent(state, findEvent('sessionStart')!, {
        followupMessage: null,
        variables: [{ rank, env }],
      } as unknown as Verdict)
    set(1, { A: 'old', B: 'kept' })
    set(3, { A: 'other source' })
    set(1, { A: 'new' })
    expect(state.variables.toSorted((a, b) => a.rank - b.rank)).toEqual([
      { rank: 1, env: { A: 'new', B: 'kept' } },
      { rank: 3, env: { A: 'other source' } },
    ])
  })
})

describe('a rewritten input', () => {
  const call = { tool_name: 'Write', tool_input: { path: 'a' } }

  it('is recorded with its round, and is the input of the runs that judged it', async () => {
    const hooks = await space.open()
    hooks.register({ event: 'preToolUse', source: 'enterprise', name: 'guard', run: () => ({}) })
    hooks.register({
      event: 'preToolUse',
      name: 'writer',
      run: () => ({ updated_input: { path: 'b' } }),
    })
    const { verdict, tool_input } = await hooks.guard('preToolUse', call)
    expect(tool_input).toEqual({ path: 'b' })
    expect(verdict.rewrites).toMatchObject([{ run: { hook: { name: 'writer' } }, input: { path: 'b' } }])
    const recorded = hooks.log().map(({ hook, round, request }) => [hook, round, request.tool_input])
    expect(recorded).toEqual([
      ['guard', 1, { path: 'a' }],
      ['writer', 1, { path: 'a' }],
      ['guard', 2, { path: 'b' }],
    ])
  })

  it('is not recorded with a round when there is only one', async () => {
    const hooks = await space.open()
    hooks.register({ event: 'preToolUse', run: () => ({}) })
    await hooks.guard('preToolUse', call)
    expect(hooks.log()).toHaveLength(1)
    expect(hooks.log()[0]).not.toHaveProperty('round')
  })

  // Paths are letters. A hook denies some of them and rewrites others; the host runs the path that guard() returns.
  const letter: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd')
  const hook = fc.record({
    source: fc.constantFrom('enterprise' as const, 'team' as const, 'project' as const, 'user' as const),
    denies: fc.uniqueArray(letter, { maxLength: 2 }),
    rewrites: fc.dictionary(letter, letter, { maxKeys: 3 }),
    allows: fc.boolean(),
  })

  it('never runs when a hook that did not write it would deny it', async () => {
    let proceeded = 0
    await fc.assert(
      fc.asyncProperty(fc.array(hook, { minLength: 1, maxLength: 4 }), letter, async (drawn, path) => {
        const hooks = await space.open({ watch: false })
        for (const { source, denies, rewrites, allows } of drawn) {
          const run = ({ tool_input }: Record<string, unknown>) => {
            const at = (tool_input as { path: string }).path
            if (denies.includes(at)) return { permission: 'deny' as const }
            const updated = Object.hasOwn(rewrites, at) ? { updated_input: { path: rewrites[at] } } : {}
            return { ...(allows ? { permission: 'allow' as const } : {}), ...updated }
          }
          hooks.register({ event: 'preToolUse', source, name: String(drawn.length), run })
        }
        try {
          const given = { tool_name: 'Write', tool_input: { path } }
          const { tool_input, verdict } = await hooks.guard('preToolUse', given).catch(() => {
            throw BLOCKED
          })
          const ran = (tool_input as { path: string }).path
          const writer = verdict.rewrites.at(-1)?.run
          const judges = verdict.runs.filter(
            run => (run.round ?? 1) === verdict.rewrites.length + 1 || run === writer,
          )
          expect(new Set(judges.map(run => run.hook.id)).size).toBe(drawn.length)
          const denying = drawn.filter(({ denies }) => denies.includes(ran))
          expect(denying.length).toBeLessThanOrEqual(writer ? 1 : 0)
          // A source below the writer's has not replaced what it wrote.
          const ranks = verdict.rewrites.map(({ run }) => run.hook.rank)
          expect(ranks).toEqual(ranks.toSorted((a, b) => b - a))
          proceeded++
        } catch (error) {
          if (error !== BLOCKED) throw error
        } finally {
          hooks.close()
        }
      }),
      { numRuns: 60 },
    )
    expect(proceeded).toBeGreaterThan(5)
  })
  const BLOCKED = new Error('blocked')
})

describe('a session', () => {
  it('does not start when a hook of sessionStart responds with continue: false', async () => {
    const hooks = await space.open()
    hooks.register({ event: 'sessionStart', run: () => ({ continue: false, user_message: 'Closed.' }) })
    await expect(hooks.startSession()).rejects.toMatchObject({
      code: 'use/blocked',
      userMessage: 'The session was blocked by a hook: Closed.',
    })
  })

  it('can be cancelled while its hooks run', async () => {
    const hooks = await space.open()
    const controller = new AbortController()
    hooks.register({ event: 'sessionStart', run: () => controller.abort() })
    const { signal } = controller
    await expect(hooks.startSession({ signal })).rejects.toMatchObject({ code: 'use/aborted' })
  })
})

describe('an event that a missing source denies', () => {
  it('is recorded although no hook ran, and explained', async () => {
    const hooks = await space.open({ required: ['enterprise'] })
    expect((await hooks.fire(shell, ls)).permission).toBe('deny')
    expect(hooks.log()).toMatchObject([
      {
        event: shell,
        source: 'enterprise',
        hook: 'required source',
        outcome: 'failed',
        permission: 'deny',
        message: expect.stringContaining('The enterprise source is required'),
        request: { command: 'ls' },
        verdict: { permission: 'deny' },
      },
    ])
    const { denials } = await hooks.explain(shell, ls)
    expect(denials).toMatchObject([{ source: 'enterprise' }])
    expect((await hooks.explain('afterShellExecution', ls as never)).denials).toEqual([])
  })

  it('is recorded with its reason where hooks ran', async () => {
    const hooks = await space.open({ required: ['enterprise'] })
    hooks.register({ event: shell, name: 'one', run: () => ({}) })
    await hooks.fire(shell, ls)
    expect(hooks.log()).toMatchObject([
      { hook: 'one', verdict: { permission: 'deny' } },
      { hook: 'required source', permission: 'deny', verdict: { permission: 'deny' } },
    ])
  })
})

describe('a payload that hooks cannot read', () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const throwing = {
    get command(): string {
      throw new Error('no such column')
    },
  }
  const nested = {
    a: [
      {
        get b() {
          throw new Error('no such row')
        },
      },
    ],
  }
  it.each([
    ['stop', undefined, 'The payload is undefined; expected an object.'],
    ['stop', null, 'The payload is null; expected an object.'],
    ['stop', 'status', 'The payload is a string; expected an object.'],
    ['stop', 7, 'The payload is a number; expected an object.'],
    ['stop', [{}], 'The payload is an array; expected an object.'],
    ['stop', Promise.resolve({}), 'The payload is an object of another kind; expected an object.'],
    ['stop', new Map(), 'The payload is an object of another kind; expected an object.'],
    [shell, throwing, '"command" cannot be written as JSON: no such column.'],
    ['preToolUse', { tool_name: 'X', tool_input: circular }, '"tool_input" cannot be written as JSON: '],
    ['preToolUse', { tool_name: 'X', tool_input: { n: 1n } }, '"tool_input" cannot be written as JSON: '],
    [
      'preToolUse',
      { tool_name: 'X', tool_input: nested },
      '"tool_input" cannot be written as JSON: no such row.',
    ],
    [
      'beforeMCPExecution',
      { tool_name: 'X', tool_input: circular },
      '"tool_input" cannot be written as JSON: ',
    ],
    [
      'beforeMCPExecution',
      { tool_name: 'X', tool_input: { n: 1n } },
      '"tool_input" cannot be written as JSON: ',
    ],
    ['stop', { loop_count: { toString: 1, valueOf: 1 } }, '"loop_count" is Object; expected a number.'],
  ] as const)('is an error of the call that names event and field: %s', async (event, payload, message) => {
    const hooks = await space.open()
    hooks.register({ event, run: () => ({}) })
    for (const call of [hooks.fire, hooks.guard, hooks.explain]) {
      await expect(call(event, payload as never)).rejects.toMatchObject({
        name: 'HooksError',
        code: 'use/bad-payload',
        message: expect.stringContaining(`${event}: ${message}`),
      })
    }
    expect(hooks.log()).toEqual([])
  })

  // A parser in Python ends at its own limit before it sees that the text is not JSON.
  it.each([
    ['brackets', '['.repeat(1500), 'nested more than 100 levels deep'],
    [
      'brackets after a string',
      `{"a\\"]]":1,"b":${'{"c":'.repeat(1500)}`,
      'nested more than 100 levels deep',
    ],
    ['digits', `{"id":${'7'.repeat(5000)}`, 'an integer of 5000 digits'],
  ])('is an error of the call: a text that is not JSON, with too many %s', async (_, tool_input, message) => {
    const hooks = await space.open()
    hooks.register({ event: 'beforeMCPExecution', run: () => ({ permission: 'allow' }) })
    const guard = (text: string) => hooks.guard('beforeMCPExecution', { tool_name: 'X', tool_input: text })
    await expect(guard(tool_input)).rejects.toThrow(message)
    const harmless = `["${'['.repeat(1500)}", ${'[],'.repeat(1500)} and more`
    expect((await guard(harmless)).tool_input).toBe(harmless)
  })

  const nestedIn = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown
  const digits = (count: number) => `{"id":${'7'.repeat(count)}}`
  it.each([
    ['nested too deeply', { list: nestedIn(1500) }, 'nested more than 100 levels deep'],
    ['nested just too deeply', { list: nestedIn(99) }, 'nested more than 100 levels deep'],
    ['JSON nested too deeply', `{"list":${'['.repeat(1500)}${']'.repeat(1500)}}`, 'nested more than 100'],
    ['an integer that is too long', digits(5000), 'an integer of 5000 digits; at most 600 are allowed'],
  ])('is an error of the call: %s', async (_, tool_input, message) => {
    const hooks = await space.open()
    const calls: unknown[] = []
    for (const event of ['preToolUse', 'beforeMCPExecution'] as const) {
      hooks.register({ event, run: payload => void calls.push(payload) })
      const call = hooks.guard(event, { tool_name: 'X', tool_input } as never)
      await expect(call).rejects.toMatchObject({
        code: 'use/bad-payload',
        message: expect.stringContaining(message),
      })
    }
    expect(calls).toEqual([])
  })

  it('is not one at the limits', async () => {
    const hooks = await space.open()
    hooks.register({ event: 'preToolUse', run: () => ({}) })
    for (const tool_input of [{ list: nestedIn(98) }, digits(600)])
      await hooks.guard('preToolUse', { tool_name: 'X', tool_input } as never)
  })

  it('is refused before its keys are read', async () => {
    const hooks = await space.open()
    const text = 'x'.repeat(3_000_000)
    const used = await cpuMsOf(() => hooks.fire('stop', text as never).catch(() => {}))
    expect(used).toBeLessThan(500)
  })

  it('does not include an unknown field that is not a number where a limit reads one', async () => {
    const hooks = await space.open({ profile: 'cursor-2.1' })
    const odd = JSON.parse('{"command":"ls","loop_count":{"toString":1,"valueOf":1}}')
    expect((await hooks.fire(shell, odd)).permission).toBeNull()
  })

  it('keeps keys that have a meaning in JavaScript', async () => {
    const hooks = await space.open()
    const seen: string[] = []
    hooks.register({
      event: 'preToolUse',
      run: payload => void seen.push(JSON.stringify(payload.tool_input)),
    })
    const text = '{"__proto__":{"admin":true},"constructor":"c","prototype":"p","path":"/a"}'
    await hooks.fire('preToolUse', { tool_name: 'Write', tool_input: JSON.parse(text) })
    expect(seen).toEqual([text])
  })

  it('has only text that UTF-8 can hold, at which guards in Python and Ruby do not stop', async () => {
    const hooks = await space.open()
    const seen: string[] = []
    for (const event of ['preToolUse', 'beforeMCPExecution', shell] as const)
      hooks.register({ event, run: payload => void seen.push(JSON.stringify(payload)) })
    const tool_input = { 'key \ud800': ['\udc00 \u{1f600}'] }
    const { tool_input: judged } = await hooks.guard('preToolUse', { tool_name: 'Write', tool_input })
    expect(judged).toEqual({ 'key \ufffd': ['\ufffd \u{1f600}'] })
    const { command } = await hooks.guard(shell, { command: 'rm \ud800' })
    expect(command).toBe('rm \ufffd')
    const escaped = String.raw`{"text":"\ud800 \ud83d\ude00"}`
    const mcp = await hooks.guard('beforeMCPExecution', { tool_name: 'q', tool_input: escaped })
    expect(JSON.parse(mcp.tool_input)).toEqual({ text: '\ufffd \u{1f600}' })
    expect(seen).toHaveLength(3)
    for (const text of seen) expect(text).not.toMatch(/\\ud[89a-f]/i)
  })

  it('names the event that it belongs to, whatever the host gives', async () => {
    const hooks = await space.open()
    const seen: unknown[] = []
    hooks.register({ event: shell, run: payload => void seen.push(payload.hook_event_name) })
    await hooks.fire(shell, { command: 'ls', hook_event_name: 'stop' } as never)
    expect(seen).toEqual([shell])
  })

  it('has the same values for a function as for a script', async () => {
    const hooks = await space.open()
    const seen: unknown[] = []
    hooks.register({ event: 'preToolUse', run: payload => void seen.push(payload.tool_input) })
    const tool_input = { when: new Date(0), call: () => {}, list: [undefined] }
    const verdict = await hooks.fire('preToolUse', { tool_name: 'Write', tool_input })
    expect(verdict.runs[0]!.outcome.kind).toBe('silent')
    expect(seen).toEqual([{ when: '1970-01-01T00:00:00.000Z', list: [null] }])
  })
})

describe('the input that runs', () => {
  const judgedIn = async (tool_input: unknown, host: Partial<HostOptions> = {}) => {
    const hooks = await space.open(host)
    const judged: unknown[] = []
    hooks.register({ event: 'preToolUse', run: ({ tool_input }) => void judged.push(tool_input) })
    const guarded = () => hooks.guard('preToolUse', { tool_name: 'X', tool_input } as never)
    return { hooks, judged, guarded }
  }

  it.each([
    [
      'a getter',
      () => ({
        command: 'ls',
        get n() {
          return Math.random()
        },
      }),
    ],
    ['toJSON', () => ({ command: 'rm', toJSON: () => ({ command: 'ls' }) })],
    [
      'a Date, a Map and what JSON has not',
      () => ({ at: new Date(0), map: new Map([[1, 2]]), n: Number.NaN, f() {} }),
    ],
    [
      'a proxy',
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => ['a'],
            getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }),
            get: () => Math.random(),
          },
        ),
    ],
  ])('is the judged one, although the host gives %s', async (_, make) => {
    const { judged, guarded } = await judgedIn(make())
    const { tool_input } = await guarded()
    expect(judged).toEqual([tool_input])
    expect(JSON.parse(JSON.stringify(tool_input))).toEqual(tool_input)
  })

  it('is the judged one, although the host changes its object while hooks run', async () => {
    const input = { command: 'ls', args: ['-l'] }
    const { judged, guarded } = await judgedIn(input)
    const call = guarded()
    input.command = 'rm'
    input.args.push('/')
    expect((await call).tool_input).toEqual({ command: 'ls', args: ['-l'] })
    expect(judged).toEqual([{ command: 'ls', args: ['-l'] }])
  })

  it('cannot be changed by a listener or by the function that asks', async () => {
    const attempts: string[] = []
    const change = (place: string, work: () => void) => {
      expect(work).toThrow(TypeError)
      attempts.push(place)
    }
    const onAsk: HostOptions['onAsk'] = ({ fields, verdict }) => {
      change('ask', () => Object.assign(fields.tool_input as object, { command: 'rm' }))
      change('ask', () => Object.assign(verdict.updatedInput!, { command: 'rm' }))
      return true
    }
    const { hooks, guarded } = await judgedIn({ command: 'sudo ls', args: ['-l'] }, { onAsk })
    hooks.register({
      event: 'preToolUse',
      run: () => ({ permission: 'ask', updated_input: { command: 'ls' } }),
    })
    hooks.onVerdict(verdict => {
      change('verdict', () => Object.assign(verdict.updatedInput!, { command: 'rm' }))
      change('verdict', () => Object.assign(verdict.rewrites[0]!.input, { command: 'rm' }))
      change('verdict', () => Object.assign(verdict.runs[0]!.outcome, { kind: 'silent' }))
      change('verdict', () => (verdict.deciders as unknown[]).pop())
    })
    const { tool_input } = await guarded()
    expect(tool_input).toEqual({ command: 'ls', args: ['-l'] })
    expect(new Set(attempts)).toEqual(new Set(['ask', 'verdict']))
    expect(Object.isFrozen(tool_input) && Object.isFrozen(tool_input.args)).toBe(true)
  })

  it('has no number that hooks cannot read, also after a rewrite', async () => {
    const { hooks, judged, guarded } = await judgedIn('{"a":1e999,"b":1}')
    hooks.register({ event: 'preToolUse', run: () => ({ updated_input: { b: Number.POSITIVE_INFINITY } }) })
    const { tool_input } = await guarded()
    expect(tool_input).toEqual({ a: null, b: null })
    expect(judged.at(-1)).toEqual(tool_input)
  })
})

describe('a denial', () => {
  const open = async () => {
    const hooks = await space.open()
    hooks.register({ event: shell, run: () => ({ permission: 'deny' }) })
    return hooks
  }

  it('is thrown before the hooks of postToolUseFailure start; their context waits in the session', async () => {
    const hooks = await open()
    const order: string[] = []
    let finish = () => {}
    const finished = new Promise<void>(resolve => {
      finish = resolve
    })
    hooks.register({
      event: 'postToolUseFailure',
      run: async () => {
        order.push('hook')
        await finished
        return { additional_context: 'Use git instead.' }
      },
    })
    const session = await hooks.startSession()
    for (let i = 0; i < 2; i++) await session.guard(shell, ls).catch(() => order.push('denied'))
    expect(order[0]).toBe('denied')
    expect(session.takeContext()).toBeNull()
    finish()
    await session.settled()
    expect(order.filter(each => each === 'hook')).toHaveLength(2)
    expect(session.takeContext()).toBe('Use git instead.\n\nUse git instead.')
    expect(session.takeContext()).toBeNull()
  })

  it('is followed by the end of the session when its hooks have run', async () => {
    const hooks = await open()
    const order: string[] = []
    hooks.register({ event: 'postToolUseFailure', run: () => void order.push('failure') })
    hooks.register({ event: 'sessionEnd', run: () => void order.push('end') })
    const session = await hooks.startSession()
    await session.guard(shell, ls).catch(() => {})
    await session.end()
    expect(order).toEqual(['failure', 'end'])
  })

  it('leaves no hook running when the engine is closed, and rejects nothing', async () => {
    const hooks = await open()
    const session = await hooks.startSession()
    const started = new Promise<AbortSignal>(resolve => {
      hooks.register({
        event: 'postToolUseFailure',
        run: (_, { signal }) => {
          resolve(signal)
          return new Promise(() => {})
        },
      })
    })
    await session.guard(shell, ls).catch(() => {})
    const signal = await started
    hooks.close()
    await session.settled()
    expect(signal.aborted).toBe(true)
    expect(session.takeContext()).toBeNull()
  })
})

/** CPU time of this process until the work is done. */
async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
