import { countedRuns, type RunRecord } from '@holdfast/hooks'
import { PROFILES, type SourceKind } from '@holdfast/hooks/protocol'
import { describe, expect, it } from 'vitest'
import { Workspace } from '../../../../tests/fixtures/workspace.js'
import { readRecords } from '../log/records.js'
import { compare } from './compare.js'
import { type Effect, effectOf } from './effect.js'
import { leftOut, occurrences } from './occurrences.js'
import { sinceOf } from './select.js'

let number = 0
const record = (over: Partial<RunRecord> = {}): RunRecord => ({
  id: String(++number),
  time: '2026-01-02T03:04:05.000Z',
  event: 'beforeShellExecution',
  profile: 'holdfast',
  source: 'project',
  hook: 'guard.sh',
  file: '/project/.cursor/hooks.json',
  line: 4,
  conversation_id: 'c1',
  generation_id: 'g1',
  request: { command: 'ls' },
  response: null,
  outcome: 'silent',
  permission: null,
  failure: null,
  message: null,
  exit_code: 0,
  signal: null,
  duration_ms: 1,
  stderr: '',
  notes: [],
  failed_open: false,
  verdict: { permission: null, continue: null },
  redacted: [],
  ...over,
})

const grouped = (records: readonly RunRecord[]) =>
  [...occurrences(records.toReversed())].reverse().map(one => one.records.map(({ id }) => id))

describe('events of a log', () => {
  it('are distinguished by their id', () => {
    const twice = [
      record({ id: 'a', event_id: 'a' }),
      record({ id: 'b', event_id: 'a' }),
      record({ id: 'c', event_id: 'c' }),
    ]
    expect(grouped(twice)).toEqual([['a', 'b'], ['c']])
  })

  it('are distinguished in logs without ids: another request, or a hook that runs again', () => {
    const old = [
      record({ id: '1', hook: 'a' }),
      record({ id: '2', hook: 'b' }),
      record({ id: '3', hook: 'a' }),
      record({ id: '4', hook: 'b' }),
      record({ id: '5', hook: 'b', request: { command: 'pwd' } }),
      record({ id: '6', hook: 'a', event: 'stop', request: { command: 'pwd' } }),
      record({ id: '7', hook: 'a', event: 'stop', request: { command: 'pwd' }, event_id: '7' }),
    ]
    expect(grouped(old)).toEqual([['1', '2'], ['3', '4'], ['5'], ['6'], ['7']])
    expect(grouped([])).toEqual([])
  })

  it('say what the log left out of what hooks read', () => {
    const redacted = ['request.content: left out (contents)', 'stderr: secret (token)']
    const [one] = occurrences([record({ redacted })])
    expect(leftOut(one!)).toEqual(['request.content: left out (contents)'])
    const [old] = occurrences([record({ redacted: undefined as never })])
    expect(leftOut(old!)).toEqual([])
  })
})

describe('what came of an event', () => {
  const answer = (response: Record<string, unknown>, over: Partial<RunRecord> = {}) =>
    record({ outcome: 'answered', response, ...over })
  const deny = { permission: 'deny', continue: null } as const
  const none = { permission: null, continue: null }

  it('messages of those who decided, in order', () => {
    const effect = effectOf(
      [
        answer({ permission: 'deny', user_message: 'a' }),
        answer({ permission: 'allow', user_message: 'no' }),
        answer({ permission: 'deny', user_message: 'b', updated_input: { a: 1 } }),
      ],
      deny,
      PROFILES.holdfast,
    )
    expect(effect).toMatchObject({ decision: 'deny', given: { user_message: 'a\n\nb' } })
    expect(effect.given).not.toHaveProperty('updated_input')
    expect(effect.deciders).toHaveLength(2)
  })

  it('one value of the highest source, or of the last where a version says so', () => {
    const records = [
      answer(
        { followup_message: 'high', additional_context: 'x', env: { A: '1' } },
        { source: 'enterprise' },
      ),
      answer(
        { followup_message: 'low', additional_context: 'y', env: { A: '2', B: '2' } },
        { source: 'user' },
      ),
    ]
    expect(effectOf(records, none, PROFILES.holdfast).given).toEqual({
      followup_message: 'high',
      additional_context: 'x\n\ny',
      env: { A: '1', B: '2' },
    })
    expect(effectOf(records, none, PROFILES['cursor-3']).given).toEqual({
      followup_message: 'low',
      additional_context: 'y',
      env: { A: '2', B: '2' },
    })
  })

  it('a failure that stops the action is who decided', () => {
    const failed = record({ outcome: 'failed', failure: 'run/exit' })
    expect(effectOf([failed], deny, PROFILES.holdfast).deciders).toEqual([failed])
    expect(effectOf([failed], none, PROFILES.holdfast).deciders).toEqual([])
  })

  it('the last round of an event whose input was rewritten, with the run that rewrote it', () => {
    const author = answer(
      { updated_input: { path: 'b' }, permission: 'allow', user_message: 'b instead' },
      { hook: 'fix.sh', round: 1 },
    )
    const before = answer({ permission: 'ask', user_message: 'a?' }, { hook: 'guard.sh', round: 1 })
    const after = answer({ permission: 'allow', user_message: 'b is fine' }, { hook: 'guard.sh', round: 2 })
    const allow = { permission: 'allow', continue: null } as const
    const effect = effectOf([author, before, after], allow, PROFILES.holdfast)
    expect(effect).toMatchObject({
      decision: 'allow',
      given: { updated_input: { path: 'b' }, user_message: 'b instead\n\nb is fine' },
    })
    expect(effect.counted).toEqual([author, after])
    expect(effect.deciders).toEqual([author, after])
  })

  it('what the engine itself decided, for any number of rounds', async () => {
    type Respond = (path: string) => object | undefined
    const cases: [SourceKind, Respond][][] = [
      [['user', path => (path === 'a' ? { updated_input: { path: 'b' } } : {})]],
      [
        ['enterprise', path => ({ permission: 'allow', user_message: `saw ${path}` })],
        ['user', path => (path === 'a' ? { updated_input: { path: 'b', mode: 'w' } } : {})],
      ],
      [
        ['enterprise', path => (path === 'b' ? { updated_input: { path: 'c' } } : { permission: 'allow' })],
        ['project', path => ({ permission: path === 'a' ? 'ask' : 'allow', user_message: path })],
        ['user', path => (path === 'a' ? { updated_input: { path: 'b', mode: 'w' } } : undefined)],
      ],
      [
        ['enterprise', path => ({ updated_input: { path: `${path}x` } })],
        ['user', path => ({ updated_input: { path: `${path}y` }, user_message: path })],
        ['user', path => ({ permission: path === 'a' ? 'allow' : 'deny', user_message: path })],
      ],
    ]
    const space = new Workspace()
    try {
      for (const drawn of cases) {
        const hooks = await space.open()
        for (const [index, [source, respond]] of drawn.entries()) {
          hooks.register({
            event: 'preToolUse',
            source,
            name: `hook ${index}`,
            run: ({ tool_input }) => respond((tool_input as { path: string }).path),
          })
        }
        const verdict = await hooks.fire('preToolUse', { tool_name: 'Write', tool_input: { path: 'a' } })
        const { decision, given, deciders, counted } = effectOf(hooks.log(), verdict, PROFILES.holdfast)
        expect({
          decision,
          updatedInput: given.updated_input ?? null,
          userMessage: given.user_message ?? null,
          deciders: deciders.map(({ hook }) => hook),
          counted: counted.map(({ hook, round }) => [hook, round ?? 1]).sort(),
        }).toEqual({
          decision: verdict.permission ?? 'none',
          updatedInput: verdict.updatedInput,
          userMessage: verdict.userMessage,
          deciders: verdict.deciders.map(({ hook }) => hook.name),
          counted: countedRuns(verdict)
            .map(({ hook, round }) => [hook.name, round ?? 1])
            .sort(),
        })
      }
    } finally {
      space.close()
    }
  })

  it('is total over records that nobody wrote', () => {
    const strange = [record({ outcome: 'answered', response: 7 as never, source: 'moon' as never })]
    expect(effectOf(strange, {}, PROFILES.holdfast).decision).toBe('none')
  })
})

describe('then and now', () => {
  const effect = (decision: Effect['decision'], given = {}, failed: readonly RunRecord[] = []): Effect => ({
    decision,
    given,
    deciders: [],
    failed,
    denials: [],
    counted: [],
  })

  it.each([
    ['none', 'deny', 'newly-denied'],
    ['allow', 'deny', 'newly-denied'],
    ['ask', 'deny', 'newly-denied'],
    ['none', 'ask', 'newly-asked'],
    ['deny', 'ask', 'newly-asked'],
    ['deny', 'allow', 'newly-allowed'],
    ['deny', 'none', 'newly-allowed'],
    ['ask', 'none', 'newly-allowed'],
    ['none', 'allow', 'newly-allowed'],
    ['allow', 'none', 'changed'],
    ['deny', 'deny', 'unchanged'],
  ] as const)('%s, then %s: %s', (before, after, kind) => {
    expect(compare(effect(before), effect(after)).kind).toBe(kind)
  })

  it('other words, and hooks that fail', () => {
    const said = effect('none', { user_message: 'a' })
    expect(compare(said, effect('none', { user_message: 'b' }))).toEqual({
      kind: 'changed',
      fields: ['user_message'],
    })
    expect(compare(said, effect('none', { user_message: 'a' })).kind).toBe('unchanged')
    expect(compare(effect('none'), effect('none', {}, [record()])).kind).toBe('newly-failing')
    expect(compare(effect('none', {}, [record()]), effect('none', {}, [record()])).kind).toBe('unchanged')
  })
})

describe('since', () => {
  const now = Date.parse('2026-01-02T12:00:00Z')
  it.each([
    ['30m', now - 1_800_000],
    ['2h', now - 7_200_000],
    ['3d', now - 259_200_000],
    ['2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:00:00Z')],
    ['2026-01-01', new Date(2026, 0, 1).getTime()],
  ])('%s', (text, time) => expect(sinceOf(text, now)).toBe(time))

  it.each(['', 'h', '-2h', '2 h', 'yesterday', '2026-13-45', '9999999d', '1e3h', '2026'])('not %j', text =>
    expect(() => sinceOf(text, now)).toThrow('--since'),
  )
})

it('reads nothing where there is no log', () => {
  expect(readRecords('/nowhere/runs.jsonl').records).toEqual([])
})
