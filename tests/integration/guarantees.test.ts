// The two guarantees, over random hooks and the complete pipeline: a deny is never lost, and influence flows down only.
// The meaning of each hook is known from how it was drawn. The checks use no code of the engine.

import { HookBlockedError, type Hooks } from '@holdfast/hooks'
import type { EventName } from '@holdfast/hooks/protocol'
import { allow, ask, context, deny, rewrite } from '@holdfast/hooks/sdk'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { trustShown, Workspace } from '../fixtures/workspace.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

const SOURCES = [
  'enterprise',
  'team',
  'project',
  'user',
  'claude-local',
  'claude-project',
  'claude-user',
  'plugin',
] as const
const rankOf = ({ source }: { source: (typeof SOURCES)[number] }) => SOURCES.indexOf(source)

type Input = Readonly<Record<string, string>>
type Payload = Record<string, unknown>

/** The kinds of responses, by how they were generated. `invalid` may have been a deny. */
type Meaning = 'deny' | 'invalid' | 'failed' | 'ask' | 'allow' | 'nothing' | 'silent'

interface Reply {
  readonly means: Meaning
  readonly give: () => unknown
  readonly updates?: Input
}

const reply = (means: Meaning, ...gives: (() => unknown)[]): fc.Arbitrary<Reply> =>
  fc.constantFrom(...gives.map(give => ({ means, give })))

const circular: Record<string, unknown> = { permission: 'deny' }
circular.self = circular

const DENY = reply(
  'deny',
  () => ({ permission: 'deny' }),
  () => ({ permission: 'deny', user_message: 'no', agent_message: 'no' }),
  () => ({ continue: false }),
  () => ({ decision: 'deny' }),
  () => ({ decision: 'block', reason: 'no' }),
  () => ({ hookSpecificOutput: { permissionDecision: 'deny' } }),
  () => ({ permission: 'allow', continue: false }),
  () => ({ permission: 'allow', decision: 'deny' }),
  () => ({ permission: 'deny', user_message: 7, updated_input: 'x' }),
  () => ({ permission: 'deny', updated_input: { path: 'evil' }, unknown: { permission: 'allow' } }),
  () => ({ permission: 'deny', env: { A: 1 }, followup_message: null }),
  () => deny('no'),
  () => deny('no', { agent: 'no' }),
  async () => deny('no'),
  async () => ({ permission: 'deny' }),
)

const INVALID = reply(
  'invalid',
  () => ({ permision: 'deny' }),
  () => ({ Permission: 'deny' }),
  () => ({ contniue: false }),
  () => ({ desicion: 'block' }),
  () => ({ permission: 'denied' }),
  () => ({ permission: ['deny'] }),
  () => ({ permission: null }),
  () => ({ decision: 'reject' }),
  () => ({ permission: 'allow', continue: 'no' }),
  () => ({ user_message: 7 }),
  () => ({ hookSpecificOutput: 'deny' }),
  () => ({ hookSpecificOutput: { permissionDecison: 'deny' } }),
  () => 'deny',
  () => 42,
  () => true,
  () => [{ permission: 'deny' }],
  () => circular,
  () => ({ permission: 'allow', user_message: 10n }),
  () => () => ({ permission: 'allow' }),
)

const FAILED = reply(
  'failed',
  () => {
    throw new Error('broken')
  },
  () => {
    throw { permission: 'allow' }
  },
  () => Promise.reject(new Error('broken')),
  () => new Promise(() => {}),
)

const SILENT = reply(
  'silent',
  () => undefined,
  () => null,
)

const NOTHING = reply(
  'nothing',
  () => ({}),
  () => ({ user_message: 'hello' }),
  () => ({ colour: 'red' }),
  () => [],
)

const ALLOW = reply(
  'allow',
  () => ({ permission: 'allow' }),
  () => ({ decision: 'approve', reason: 'fine' }),
  () => ({ permission: 'allow', user_message: 'fine' }),
  () => allow(),
)

const ASK = reply(
  'ask',
  () => ({ permission: 'ask' }),
  () => ({ decision: 'ask' }),
)

const PATHS = ['a', 'b', 'c', 'd'] as const
const input = fc.record({ path: fc.constantFrom(...PATHS), mode: fc.constantFrom('r', 'w') })

const REWRITE: fc.Arbitrary<Reply> = fc
  .tuple(
    fc.record(
      { path: fc.constantFrom(...PATHS), mode: fc.constantFrom('r', 'w') },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.constantFrom('nothing', 'allow', 'ask', 'deny'),
    fc.boolean(),
  )
  .map(([updates, means, isMade]): Reply => {
    if (isMade) {
      const made = { nothing: [], allow: [allow()], ask: [ask('?')], deny: [deny('no')] }[means]!
      return { means: means as Meaning, updates, give: () => [...made, rewrite(updates)] }
    }
    const permission = means === 'nothing' ? {} : { permission: means }
    return { means: means as Meaning, updates, give: () => ({ ...permission, updated_input: updates }) }
  })

const anyReply = fc.oneof(
  { weight: 2, arbitrary: DENY },
  { weight: 1, arbitrary: INVALID },
  { weight: 1, arbitrary: FAILED },
  { weight: 2, arbitrary: NOTHING },
  { weight: 2, arbitrary: SILENT },
  { weight: 3, arbitrary: ALLOW },
  { weight: 1, arbitrary: ASK },
)
const anyChange = fc.oneof({ weight: 3, arbitrary: anyReply }, { weight: 4, arbitrary: REWRITE })
/** Mostly rewrites that no hook denies, so that events have several rounds. */
const mostlyChange = fc.oneof(
  { weight: 6, arbitrary: REWRITE.filter(({ means }) => means === 'nothing' || means === 'allow') },
  { weight: 6, arbitrary: NOTHING },
  { weight: 3, arbitrary: ALLOW },
  { weight: 1, arbitrary: DENY },
)

interface Drawn {
  readonly source: (typeof SOURCES)[number]
  readonly matcher: string | undefined
  readonly failClosed: boolean | undefined
  /** The response to each path of the input, so that one hook judges different inputs differently. */
  readonly replies: Readonly<Record<string, Reply>>
  /** It also modifies the object that it received. */
  readonly tampers: boolean
}

const hookOf = (one: fc.Arbitrary<Reply>): fc.Arbitrary<Drawn> =>
  fc.record({
    source: fc.constantFrom(...SOURCES),
    matcher: fc.constantFrom(undefined, '', '*', 'Write', 'Shell|Write', '^W', '(W)rite', 'Read'),
    failClosed: fc.constantFrom(undefined, true, false),
    replies: fc.record({ a: one, b: one, c: one, d: one }),
    tampers: fc.boolean(),
  })

const anyHooks = fc.oneof(
  fc.array(hookOf(anyChange), { minLength: 1, maxLength: 6 }),
  fc.array(hookOf(mostlyChange), { minLength: 2, maxLength: 5 }),
)

const asks = ({ replies }: Drawn, { path }: Input): boolean => replies[path!]!.means === 'ask'

/** Whether the hook denies a permission event with this input, by its response or by its failure. */
function denies({ replies, failClosed }: Drawn, { path }: Input, isClosedByDefault = false): boolean {
  const { means } = replies[path!]!
  if (means === 'deny' || means === 'invalid') return true
  // `failClosed: true` requires a response.
  if (means === 'silent') return failClosed === true
  return means === 'failed' && (failClosed ?? isClosedByDefault)
}

/** This host cannot ask, so asking stops the action too. */
const stops = (hook: Drawn, on: Input) => denies(hook, on) || asks(hook, on)

interface Call {
  readonly hook: Drawn
  readonly input: Input
}

function register(
  hooks: Hooks,
  event: EventName,
  drawn: readonly Drawn[],
  fieldsOf: (payload: Payload) => Input,
) {
  const calls: Call[] = []
  const takeBack = drawn.map((hook, index) => {
    const run = (payload: Payload) => {
      const seen = { ...fieldsOf(payload) }
      calls.push({ hook, input: seen })
      if (hook.tampers) Object.assign(fieldsOf(payload), { path: 'evil', mode: 'x' })
      return hook.replies[seen.path!]!.give()
    }
    const { source, matcher, failClosed } = hook
    return hooks.register({
      event,
      name: `hook ${index}`,
      // Responses of any shape; many of them do not compile.
      run: run as never,
      source,
      timeout: 0.01,
      ...(matcher === undefined ? {} : { matcher }),
      ...(failClosed === undefined ? {} : { failClosed }),
    })
  })
  return {
    calls,
    remove: () => {
      for (const each of takeBack) each()
    },
  }
}

interface Ended {
  /** The input that the host runs; undefined when it was stopped. */
  readonly runs: Input | undefined
  readonly granted: boolean
  readonly calls: readonly Call[]
}

async function guardTool(hooks: Hooks, drawn: readonly Drawn[], given: Input): Promise<Ended> {
  const { calls, remove } = register(hooks, 'preToolUse', drawn, ({ tool_input }) => tool_input as Input)
  try {
    const fields = { tool_name: 'Write', tool_input: { ...given } }
    const { tool_input, granted } = await hooks.guard('preToolUse', fields)
    return { runs: tool_input as Input, granted, calls }
  } catch (error) {
    if (!(error instanceof HookBlockedError)) throw error
    return { runs: undefined, granted: false, calls }
  } finally {
    remove()
  }
}

const isSame = (a: Input, b: Input) => a.path === b.path && a.mode === b.mode
const changes = (given: Reply, on: Input) =>
  given.updates !== undefined && !isSame({ ...on, ...given.updates }, on)

/** Hooks that run for the tool Write. */
const matching = (drawn: readonly Drawn[]) => drawn.filter(({ matcher }) => matcher !== 'Read')

describe('the input that runs', () => {
  it('is one that no matching hook denies, except its author, and no lower source replaced', async () => {
    const hooks = await space.open()
    await fc.assert(
      fc.asyncProperty(anyHooks, input, async (drawn, given) => {
        const { runs, granted, calls } = await guardTool(hooks, drawn, given)
        const chosen = matching(drawn)
        expect(calls.every(({ hook }) => chosen.includes(hook))).toBe(true)

        if (chosen.some(hook => denies(hook, given))) expect(runs, 'a deny was lost').toBeUndefined()
        if (runs === undefined) {
          const isSettled = calls.length < chosen.length * 3 - 2
          if (isSettled)
            expect(
              calls.some(({ hook, input }) => stops(hook, input)),
              'stopped without a reason',
            ).toBe(true)
          return
        }
        const judges = chosen.filter(hook =>
          calls.some(call => call.hook === hook && isSame(call.input, runs)),
        )
        const others = chosen.filter(hook => !judges.includes(hook))
        const isAuthor = (hook: Drawn) =>
          calls.some(
            call =>
              call.hook === hook &&
              !isSame(call.input, runs) &&
              isSame({ ...call.input, ...hook.replies[call.input.path!]!.updates }, runs),
          )
        if (isSame(runs, given)) expect(others, 'not every hook saw the input').toEqual([])
        else {
          expect(others.length, 'not every hook but the author saw the input').toBeLessThanOrEqual(1)
          expect(others.every(isAuthor), 'the input has no author').toBe(true)
        }
        expect(judges.filter(hook => stops(hook, runs)).filter(hook => !isAuthor(hook))).toEqual([])
        const highestAuthor = Math.min(Number.POSITIVE_INFINITY, ...chosen.filter(isAuthor).map(rankOf))
        const ignored = judges.filter(
          hook =>
            rankOf(hook) <= highestAuthor && !isAuthor(hook) && changes(hook.replies[runs.path!]!, runs),
        )
        expect(ignored, 'a rewrite of a higher source was not taken').toEqual([])
        if (granted) {
          const grants = (hook: Drawn, on: Input) => hook.replies[on.path!]!.means === 'allow'
          const byJudge = judges.some(hook => grants(hook, runs) && !changes(hook.replies[runs.path!]!, runs))
          const byAuthor = calls.some(call => isAuthor(call.hook) && grants(call.hook, call.input))
          expect(byJudge || byAuthor, 'granted by nobody who saw the input').toBe(true)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('is decided by the highest source, whatever lower ones respond', async () => {
    const hooks = await space.open()
    await fc.assert(
      fc.asyncProperty(anyHooks, input, async (drawn, given) => {
        const top = Math.min(...drawn.map(rankOf))
        const alone = await guardTool(
          hooks,
          drawn.filter(hook => rankOf(hook) === top),
          given,
        )
        const { runs } = await guardTool(hooks, drawn, given)
        // A question about an input that a lower source rewrote is asked again for the new input.
        if (!alone.runs && alone.calls.some(({ hook, input }) => asks(hook, input))) return
        if (!alone.runs) expect(runs, 'a lower source loosened a deny').toBeUndefined()
        else if (runs && !isSame(alone.runs, given))
          expect(runs, 'a rewrite was replaced').toEqual(alone.runs)
      }),
      { numRuns: 300 },
    )
  })
})

/** Permission events without rewrites. Two of them fail closed by default. */
const GATES = [
  { event: 'beforeShellExecution', isClosed: false, fields: (path: string) => ({ command: path }) },
  {
    event: 'beforeMCPExecution',
    isClosed: true,
    fields: (path: string) => ({ tool_name: path, tool_input: '{}' }),
  },
  { event: 'beforeReadFile', isClosed: true, fields: (path: string) => ({ file_path: path }) },
  { event: 'beforeTabFileRead', isClosed: false, fields: (path: string) => ({ file_path: path }) },
  { event: 'subagentStart', isClosed: false, fields: (path: string) => ({ subagent_type: path, task: 'x' }) },
] as const
/** The matcher of this event is tested against the word Read, not against the path. */
const isMatched = (event: string, path: string) => event === 'beforeReadFile' || path === 'a' || path === 'b'

describe('a permission event', () => {
  it('is denied exactly when a matching hook denies, is invalid, or fails closed', async () => {
    const hooks = await space.open()
    const matched = hookOf(anyReply).map(hook => ({ ...hook, matcher: hook.tampers ? undefined : 'a|b' }))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...GATES),
        fc.array(matched, { maxLength: 6 }),
        fc.constantFrom(...PATHS),
        async ({ event, isClosed, fields }, drawn, path) => {
          const { remove } = register(hooks, event, drawn, () => ({ path }))
          try {
            const { permission } = await hooks.fire(event, fields(path) as never)
            const chosen = drawn.filter(({ matcher }) => matcher === undefined || isMatched(event, path))
            const isDenied = chosen.some(hook => denies(hook, { path }, isClosed))
            const isAsked = chosen.some(hook => asks(hook, { path }))
            if (isDenied || !isAsked) expect(permission === 'deny').toBe(isDenied)
            else expect(permission).toMatch(/^(ask|deny)$/)
          } finally {
            remove()
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('what a lower source adds', () => {
  it('replaces no variable of a higher one, and no context', async () => {
    const hooks = await space.open()
    const one = fc.record({
      source: fc.constantFrom(...SOURCES),
      env: fc.dictionary(fc.constantFrom('A', 'B', 'C'), fc.constantFrom('1', '2', '3')),
      text: fc.constantFrom('x', 'y', 'z'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 6 }), async drawn => {
        const takeBack = drawn.map(({ source, env, text }, index) =>
          hooks.register({
            event: 'sessionStart',
            source,
            name: `hook ${index}`,
            run: () => (index % 2 === 0 ? { env, additional_context: text } : [context(text)]),
          }),
        )
        const verdict = await hooks.fire('sessionStart', {})
        for (const each of takeBack) each()
        const inOrder = drawn
          .map((hook, index) => ({ ...hook, env: index % 2 === 0 ? hook.env : {} }))
          .toSorted((a, b) => rankOf(a) - rankOf(b))
        for (const name of ['A', 'B', 'C']) {
          const setting = inOrder.filter(({ env }) => env[name] !== undefined)
          const highest = setting.filter(hook => rankOf(hook) === rankOf(setting[0]!)).at(-1)
          expect(verdict.env?.[name]).toBe(highest?.env[name])
        }
        expect(verdict.additionalContext).toBe(
          inOrder.length === 0 ? null : inOrder.map(({ text }) => text).join('\n\n'),
        )
      }),
      { numRuns: 40 },
    )
  })
})

interface Printed {
  readonly means: 'deny' | 'invalid' | 'nothing' | 'silent'
  readonly text: string
}

const printed = (means: Printed['means'], ...texts: string[]): fc.Arbitrary<Printed> =>
  fc.constantFrom(...texts.map(text => ({ means, text })))

const noise = fc.constantFrom(
  '',
  'checking…\n',
  'got "{"\n',
  '{"level":"info"}\n',
  '{"permission":"allow"}\n',
  `${'{"a":'.repeat(300)}\n`,
  `${'{\n'.repeat(500)}`,
)
const anyPrinted = fc.oneof(
  fc
    .tuple(
      noise,
      printed(
        'deny',
        '{"permission":"deny"}',
        '{"permission":"deny","permission":"allow"}',
        '{"continue":false}',
        '{"decision":"block","reason":"no"}',
        '{"permission":"deny","user_message":7}',
        '{"hookSpecificOutput":{"permissionDecision":"deny"}}',
        `{"permission":"deny","user_message":${'['.repeat(250)}${']'.repeat(250)}}`,
        '{"permission":"deny"}\ndone',
        '{"permission":"deny"}\n{"permission":"allow"}',
      ),
    )
    .map(([before, { text }]): Printed => ({ means: 'deny', text: before + text })),
  printed(
    'invalid',
    'denied',
    '{"permission":"den',
    '{"permission":"denied"}',
    '{"permision":"deny"}',
    '["deny"]',
    '{"permission":',
    '{"user_message":7}',
  ),
  printed('nothing', '{}', '{"user_message":"hello"}', '{"permission":"allow"}', 'checking\n{}'),
  printed('silent', '', ' \n'),
)

describe('scripts', () => {
  it('are judged by the same rules, whatever they print and however they end', async () => {
    const script = fc.record({
      source: fc.constantFrom('enterprise', 'project', 'user'),
      failClosed: fc.constantFrom(undefined, true, false),
      exit: fc.constantFrom(0, 0, 1, 2, 3, 127),
      printed: anyPrinted,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 4 }), async drawn => {
        const entriesOf = (source: string) =>
          drawn.flatMap((one, index) => {
            if (one.source !== source) return []
            const file = space.write(`out-${index}`, one.printed.text)
            const { failClosed } = one
            const command = `cat ${file}; exit ${one.exit}`
            return [{ command, ...(failClosed === undefined ? {} : { failClosed }) }]
          })
        space.enterpriseHooks({ beforeShellExecution: entriesOf('enterprise') })
        space.project({ beforeShellExecution: entriesOf('project') })
        space.user({ beforeShellExecution: entriesOf('user') })
        const hooks = await space.open()
        const { permission } = await hooks.fire('beforeShellExecution', { command: 'ls' })
        hooks.close()
        const isStopped = drawn.some(({ printed: { means }, exit, failClosed }) => {
          if (exit === 2 || means === 'deny') return true
          if (exit !== 0) return failClosed === true
          return means === 'invalid' || (means === 'silent' && failClosed === true)
        })
        expect(permission === 'deny').toBe(isStopped)
      }),
      { numRuns: 40 },
    )
  })
})

describe('a text that an event ignores', () => {
  it.each([
    ['a script', { command: `echo '{"agent_message":"x"}'` }],
    ['a prompt hook', { type: 'prompt', prompt: 'Is it safe?' }],
  ])('is noted for %s', async (_, entry) => {
    space.user({ afterFileEdit: [entry as never] })
    const hooks = await space.open({ evaluatePrompt: async () => ({ ok: false, reason: 'no' }) })
    await hooks.fire('afterFileEdit', { file_path: '/a' })
    expect(hooks.log()).toMatchObject([{ notes: ['note/no-effect'] }])
  })

  it.each([
    ['an object', () => ({ agent_message: 'x' }), 'note/no-effect'],
    ['an unknown field', () => ({ colour: 'red' }), 'note/unknown-field'],
    ['a reason', () => ({ reason: 'x' }), 'note/no-effect'],
  ])('is noted for a function: %s', async (_, run, code) => {
    const hooks = await space.open()
    hooks.register({ event: 'afterFileEdit', run: run as never })
    await hooks.fire('afterFileEdit', { file_path: '/a' })
    expect(hooks.log()).toMatchObject([{ notes: [code] }])
  })
})

describe('a deny in more output than is kept', () => {
  const many = (kib: number) => 'x'.repeat(kib * 1024)
  it.each([
    ['at the start', `{"permission":"deny","user_message":"${many(2048)}"}`],
    ['in the middle', `{"user_message":"${many(800)}","permission":"deny","agent_message":"${many(2048)}"}`],
    ['at the edge', `{"user_message":"${many(512).slice(30)}","permission":"deny","a":"${many(2048)}"}`],
    ['in text', `${many(900)}\n{"permission": "deny"}\n${many(900)}`],
    ['at the end', `${many(2048)}\n{"permission":"deny"}`],
    ['of which a part is missing', `{"user_message":"${many(800)}","perm`.padEnd(2 ** 21, 'x')],
  ])('denies: %s', async (_, text) => {
    const file = space.write('out', text)
    space.project({ beforeShellExecution: [{ command: `cat ${file}` }] })
    const hooks = await space.open()
    expect((await hooks.fire('beforeShellExecution', { command: 'ls' })).permission).toBe('deny')
  })

  it('is not assumed of other output', async () => {
    const file = space.write('out', many(2048))
    space.project({ beforeShellExecution: [{ command: `cat ${file}` }] })
    const { permission, runs } = await (await space.open()).fire('beforeShellExecution', { command: 'ls' })
    expect(permission).toBeNull()
    expect(runs[0]!.outcome).toMatchObject({ kind: 'failed', failure: { code: 'run/overflow' } })
  })
})

describe('a guard that is removed while a rewrite is judged', () => {
  it.each(['removed', 'untrusted'])('does not let the rewritten input pass: %s', async how => {
    space.write('.cursor/guard.sh', `#!/bin/sh\ngrep -q EVIL && echo '{"permission":"deny"}' || echo '{}'\n`)
    if (how === 'untrusted') space.project({ preToolUse: [{ command: 'sh .cursor/guard.sh' }] })
    const hooks = await space.open({ trustAll: false })
    await trustShown(hooks)
    let remove = () => {}
    if (how === 'removed')
      remove = hooks.register({
        event: 'preToolUse',
        source: 'enterprise',
        run: ({ tool_input }) =>
          JSON.stringify(tool_input).includes('EVIL') ? { permission: 'deny' } : { permission: 'allow' },
      })
    hooks.register({
      event: 'preToolUse',
      source: 'user',
      run: () => {
        remove()
        space.write('.cursor/more.txt', 'a change below .cursor ends the trust')
        return { updated_input: { path: 'EVIL' } }
      },
    })
    const call = hooks.guard('preToolUse', { tool_name: 'Write', tool_input: { path: 'a' } })
    await expect(call).rejects.toThrow('before it could judge the rewritten one')
  })
})

describe('variables of a session', () => {
  it.each(['{"__proto__":{"a":"b"}}', '{"constructor":{"a":"b"}}', '{"A":1}', '{"__proto__":"x"}'])(
    'that are no texts change no later event: %s',
    async env => {
      const hooks = await space.open()
      hooks.register({ event: 'sessionStart', run: () => ({ env: JSON.parse(env) }) })
      hooks.register({
        event: 'beforeShellExecution',
        source: 'enterprise',
        run: () => ({ permission: 'deny' }),
      })
      space.project({ beforeShellExecution: [{ command: 'true' }] })
      await hooks.reload()
      const session = await hooks.startSession()
      expect((await session.fire('beforeShellExecution', { command: 'ls' })).permission).toBe('deny')
    },
  )
})
