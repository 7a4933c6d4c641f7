// The laws behind the tables, for any runs.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { definition, eventOf, exitOf, judged } from '../../../../tests/fixtures/definition.js'
import { SOURCES, type SourceKind } from '../protocol/config.js'
import { EVENT_SPECS } from '../protocol/events.js'
import type { Event, Run } from '../protocol/run.js'
import type { Decision, Verdict } from '../protocol/verdict.js'
import { read } from '../read/read.js'
import { decide } from './decide.js'
import { join } from './merge.js'

const decision = fc.constantFrom<Decision>('deny', 'ask', 'allow', 'abstain')

describe('join', () => {
  it('is associative, commutative and idempotent, and abstain is neutral', () => {
    fc.assert(
      fc.property(decision, decision, decision, (a, b, c) => {
        expect(join(join(a, b), c)).toBe(join(a, join(b, c)))
        expect(join(a, b)).toBe(join(b, a))
        expect(join(a, a)).toBe(a)
        expect(join(a, 'abstain')).toBe(a)
      }),
    )
  })
})

const source = fc.constantFrom(...(Object.keys(SOURCES) as SourceKind[]))
const stdout = fc.oneof(
  fc.constantFrom('', '{}', 'noise', '{"permission":"denied"}', '{"continue":false}', '{"continue":true}'),
  fc
    .constantFrom('allow', 'ask', 'deny')
    .map(permission => JSON.stringify({ permission, user_message: permission })),
  fc
    .record({
      updated_input: fc.record({ command: fc.string() }),
      permission: fc.constantFrom('allow', 'ask'),
    })
    .map(said => JSON.stringify(said)),
)
const ending = fc.constantFrom('exit 0', 'exit 1', 'exit 2', 'timeout', 'signal')
const hookRun = fc.record({ source, stdout, ending, failClosed: fc.option(fc.boolean(), { nil: undefined }) })
type Drawn = typeof hookRun extends fc.Arbitrary<infer T> ? T : never

const FAILURES = { timeout: 'run/timeout', signal: 'run/signal' } as const

function asRun(drawn: Drawn, event: Event): Run {
  const { failClosed } = drawn
  const hook = definition({ source: drawn.source, ...(failClosed === undefined ? {} : { failClosed }) })
  const failure = FAILURES[drawn.ending as keyof typeof FAILURES]
  const code = failure ? null : Number(drawn.ending.at(-1))
  const exit = exitOf({
    code,
    stdout: drawn.stdout,
    ...(failure ? { failure: { code: failure, message: 'x' } } : {}),
  })
  return { hook, exit, ...read(exit, hook, event) }
}

const inOrder = (runs: Run[]) => runs.sort((a, b) => a.hook.rank - b.hook.rank)

const strictness = ({ permission, continue: goesOn }: Verdict): number => {
  if (permission === 'deny' || goesOn === false) return 3
  if (permission === 'ask') return 2
  return permission === 'allow' || goesOn === true ? 1 : 0
}

const gates = EVENT_SPECS.filter(spec => spec.gate !== 'none').map(spec => eventOf(spec.name))
const gate = fc.constantFrom(...gates)

describe('the verdict', () => {
  it('never loosens when a hook is added', () => {
    fc.assert(
      fc.property(gate, fc.array(hookRun, { maxLength: 6 }), hookRun, (event, drawn, one) => {
        const runs = drawn.map(each => asRun(each, event))
        const before = judged(event, inOrder([...runs]))
        const after = judged(event, inOrder([...runs, asRun(one, event)]))
        expect(strictness(after)).toBeGreaterThanOrEqual(strictness(before))
      }),
    )
  })

  it('is a deny whenever any hook denied', () => {
    const denying: Drawn = {
      source: 'plugin',
      stdout: '{"permission":"deny"}',
      ending: 'exit 0',
      failClosed: undefined,
    }
    fc.assert(
      fc.property(gate, fc.array(hookRun, { maxLength: 6 }), source, ending, (event, drawn, from, how) => {
        const runs = [...drawn, { ...denying, source: from, ending: how }].map(each => asRun(each, event))
        expect(strictness(judged(event, inOrder(runs)))).toBe(3)
      }),
    )
  })

  it('takes single values from the highest source, whatever lower ones say', () => {
    const event = eventOf('preToolUse')
    const rewrite = (from: SourceKind, command: string): Drawn => ({
      source: from,
      stdout: JSON.stringify({ updated_input: { command } }),
      ending: 'exit 0',
      failClosed: undefined,
    })
    fc.assert(
      fc.property(fc.array(source, { minLength: 1, maxLength: 6 }), sources => {
        const runs = inOrder(sources.map((from, i) => asRun(rewrite(from, `${from} ${i}`), event)))
        const highest = runs.filter(run => run.hook.rank === runs[0]!.hook.rank).at(-1)!
        const { outcome } = highest
        const expected = outcome.kind === 'answered' ? outcome.answer.updated_input : undefined
        expect(judged(event, runs).updatedInput).toEqual(expected)
      }),
    )
  })

  it.each([
    ['sessionStart', { continue: false }, { additional_context: 'more', env: { A: '1' } }],
    ['preToolUse', { permission: 'deny' }, { updated_input: { command: 'ls' } }],
  ] as const)('that denies %s changes nothing else', (name, stop, more) => {
    const event = eventOf(name)
    const runOf = (answer: object) => {
      const hook = definition()
      const exit = exitOf({ stdout: JSON.stringify(answer) })
      return { hook, exit, ...read(exit, hook, event) }
    }
    const changes = ({ additionalContext, env, variables, updatedInput }: Verdict) =>
      [additionalContext, env, variables, updatedInput].filter(each => each && Object.keys(each).length > 0)
    expect(changes(judged(event, [runOf(more)]))).not.toEqual([])
    expect(changes(judged(event, [runOf(more), runOf(stop)]))).toEqual([])
    expect(changes(judged(event, [runOf({ ...more, ...stop })]))).toEqual([])
  })

  it('is denied while a required source is missing, and says why', () => {
    const event = eventOf('beforeShellExecution')
    const verdict = decide({
      event,
      runs: [],
      skipped: [],
      durationMs: 0,
      denials: [{ message: 'hooks.json is gone.', source: 'team', file: null }],
    })
    expect(verdict).toMatchObject({ permission: 'deny', userMessage: 'hooks.json is gone.' })
    const after = eventOf('afterShellExecution')
    expect(
      decide({
        event: after,
        runs: [],
        skipped: [],
        durationMs: 0,
        denials: [{ message: 'gone', source: 'team', file: null }],
      }).permission,
    ).toBeNull()
  })
})

describe('the reason of a failed hook', () => {
  it('ends with the last line of stderr, at most 200 characters of it', () => {
    const event = eventOf('beforeMCPExecution')
    const hook = definition({ name: 'guard.sh', failClosed: true })
    const messageFor = (stderr: string) => {
      const exit = exitOf({ code: 1, stderr })
      const runs = [{ hook, exit, ...read(exit, hook, event) }]
      return decide({ event, runs, skipped: [], durationMs: 0, denials: [] }).userMessage
    }
    expect(messageFor('first\nsecond\nlast \n\n')).toMatch(
      /guard\.sh: It ended with exit code 1\. stderr: last$/,
    )
    expect(messageFor('x'.repeat(300))).toMatch(/ stderr: x{200}$/)
    expect(messageFor(' \n')).toMatch(/exit code 1\.$/)
  })
})

describe('continue: false in the version that drops it', () => {
  it.each([
    ['is lost beside a hook that prints nothing', 0, null],
    ['holds beside a hook that fails without output', 1, false],
  ])('%s', (_, code, expected) => {
    const event = eventOf('beforeSubmitPrompt', {}, 'cursor-3')
    const runs = [exitOf({ stdout: '{"continue":false}' }), exitOf({ code })].map(exit => {
      const hook = definition()
      return { hook, exit, ...read(exit, hook, event) }
    })
    expect(decide({ event, runs, skipped: [], durationMs: 0, denials: [] }).continue).toBe(expected)
  })
})
