import { describe, expect, it } from 'vitest'
import { together, waterfall } from './path-layout.js'
import { pathOfRecord } from './path-record.js'
import { axisLabel, axisTicks } from './timeline-axis.js'

describe('the waterfall of one event', () => {
  it('fills its own axis', () => {
    const { bars, totalMs, ticks } = waterfall([
      { startMs: 0, durationMs: 4 },
      { startMs: 2, durationMs: 38 },
    ])
    expect(totalMs).toBe(40)
    expect(bars[1]).toEqual({ left: 0.05, width: 0.95 })
    expect(ticks.map(({ label }) => label)).toEqual(['0', '10 ms', '20 ms', '30 ms', '40 ms'])
  })

  it('stays a waterfall with times that make no sense', () => {
    const { bars } = waterfall([
      { startMs: -5, durationMs: Number.NaN },
      { startMs: Number.POSITIVE_INFINITY, durationMs: -1 },
    ])
    expect(bars).toEqual([
      { left: 0, width: 0 },
      { left: 0, width: 0 },
    ])
    expect(waterfall([]).ticks).toEqual([])
  })

  it('knows whether hooks ran beside each other', () => {
    expect(
      together([
        { startMs: 0, durationMs: 5 },
        { startMs: 4, durationMs: 5 },
      ]),
    ).toBe(true)
    expect(
      together([
        { startMs: 0, durationMs: 5 },
        { startMs: 5, durationMs: 5 },
      ]),
    ).toBe(false)
  })
})

describe('the figures of an axis', () => {
  it('are round', () => {
    expect(axisTicks(0, 18_400, 7).map(({ label }) => label)).toEqual(['0 s', '5 s', '10 s', '15 s'])
    expect(axisTicks(0, 5 * 60_000, 5).map(({ label }) => label)).toEqual([
      '0 s',
      '1:00',
      '2:00',
      '3:00',
      '4:00',
      '5:00',
    ])
    expect(axisTicks(61_000, 61_010, 2).map(({ label }) => label)).toEqual([
      '1:01.000',
      '1:01.005',
      '1:01.010',
    ])
    expect(axisTicks(8299, 8301, 2).map(({ label }) => label)).toEqual(['8.299 s', '8.300 s', '8.301 s'])
    expect(axisTicks(1000, 2000, 2).map(({ label }) => label)).toEqual(['1.0 s', '1.5 s', '2.0 s'])
    expect(axisLabel(-5000, 1000)).toBe('−5 s')
    expect(axisTicks(0, 0, 5)).toEqual([])
    expect(axisTicks(0, 1e15, 5).length).toBeGreaterThan(1)
  })
})

describe('a record as a path', () => {
  const record = {
    id: 'a-1',
    time: '2026-11-16T12:00:00Z',
    event: 'beforeThing',
    profile: 'holdfast',
    source: 'team',
    hook: 'guard.ts',
    file: 'hooks.json',
    line: 9,
    request: { command: 'git push --force' },
    response: { permission: 'deny', user_message: 'Blocked here.', agent_message: 'Open a pull request.' },
    outcome: 'answered',
    permission: 'deny',
    exit_code: 0,
    duration_ms: 38,
    stderr: '',
    notes: [],
    failed_open: false,
    verdict: { permission: 'deny', continue: null },
    redacted: ['request.prompt: left out (prompts)'],
  }

  it('is one step, with its messages', () => {
    const path = pathOfRecord(JSON.stringify(record))!
    expect(path).toMatchObject({
      subject: 'git push --force',
      verdict: 'deny',
      userMessage: 'Blocked here.',
      agentMessage: 'Open a pull request.',
      redacted: ['request.prompt: left out (prompts)'],
    })
    expect(path.steps).toMatchObject([
      { hook: 'guard.ts', line: 9, verdict: 'deny', decided: true, exitCode: 0 },
    ])
  })

  it('shows no message of a hook without an effect', () => {
    const path = pathOfRecord(
      JSON.stringify({ ...record, mode: 'observe', would: 'deny', verdict: { permission: 'allow' } }),
    )!
    expect(path).toMatchObject({ verdict: 'allow', userMessage: '' })
    expect(path.steps[0]).toMatchObject({ observed: true, would: 'deny' })
  })

  it.each([
    ['failed_open', { outcome: 'failed', failed_open: true, verdict: { permission: null } }],
    // What was denied did not go through.
    ['failed', { outcome: 'failed', failed_open: true }],
    ['failed', { outcome: 'failed' }],
    ['silent', { outcome: 'silent' }],
    ['deny', { permission: null, response: { continue: false } }],
    ['answered', { permission: null, response: { additional_context: 'x' } }],
    ['none', { permission: null, response: null }],
  ])('says %s', (verdict, change) => {
    expect(pathOfRecord(JSON.stringify({ ...record, ...change }))!.steps[0]!.verdict).toBe(verdict)
  })

  it('is none of what is no record', () => {
    for (const odd of ['', 'x', '[]', 'null', '{}', '{"event":4}']) expect(pathOfRecord(odd)).toBeNull()
    const odd = {
      event: 'e',
      request: 3,
      response: [],
      verdict: 'x',
      redacted: {},
      duration_ms: 'long',
      notes: [1],
    }
    expect(pathOfRecord(JSON.stringify(odd))).toMatchObject({ verdict: 'none', redacted: [], durationMs: 0 })
  })
})
