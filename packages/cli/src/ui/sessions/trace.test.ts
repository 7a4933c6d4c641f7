import type { RunRecord } from '@holdfast/hooks'
import { EVENT_SPECS, type EventSpec } from '@holdfast/hooks/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomRuns, runsEverything } from '../../../../../tests/scope.js'
import { momentsOf } from './moments.js'
import { type Span, traceOf } from './trace.js'

/** The event that a kind of work begins or ends with, asked of the table. */
const eventOf = (kind: string, part: string, more = (_: EventSpec) => true) =>
  EVENT_SPECS.find(spec => spec.trace?.kind === kind && spec.trace.part === part && more(spec))!.name

const SESSION = eventOf('session', 'begins')
const SESSION_END = eventOf('session', 'ends')
const PROMPT = eventOf('prompt', 'begins')
const TURN_END = eventOf('prompt', 'ends')
const TOOL = eventOf('tool', 'begins')
const TOOL_END = eventOf('tool', 'ends')
const SHELL = eventOf('shell', 'begins')
const SHELL_END = eventOf('shell', 'ends')
const EDIT = eventOf('edit', 'whole')
const SUBAGENT = eventOf('subagent', 'begins')
const SUBAGENT_END = eventOf('subagent', 'ends')

let number = 0

interface Given {
  readonly at: number | string
  readonly event: string
  readonly fields?: Readonly<Record<string, unknown>>
  readonly conversation?: string
  readonly took?: number
  readonly permission?: string
  readonly followup?: string
}

function ran({
  at,
  event,
  fields = {},
  conversation = 'c',
  took = 10,
  permission,
  followup,
}: Given): RunRecord {
  const id = `r${String(++number).padStart(7, '0')}`
  return {
    id,
    event_id: id,
    time: typeof at === 'number' ? new Date(1_000_000 + at).toISOString() : at,
    event,
    profile: 'holdfast',
    source: 'project',
    hook: './guard.sh',
    file: '/p/.cursor/hooks.json',
    line: 1,
    conversation_id: conversation,
    generation_id: '',
    request: { conversation_id: conversation, ...fields },
    response: { ...(permission ? { permission } : {}), ...(followup ? { followup_message: followup } : {}) },
    outcome: 'answered',
    permission: permission ?? null,
    failure: null,
    message: null,
    exit_code: 0,
    signal: null,
    duration_ms: took,
    stderr: '',
    notes: [],
    failed_open: false,
    verdict: { permission: permission ?? null, continue: null },
    redacted: [],
  } as unknown as RunRecord
}

const traced = (records: readonly RunRecord[]) => traceOf(momentsOf(records), 'c').spans
const trace = (given: readonly Given[]) => traced(given.map(ran))

/** Holds for every tree: parents precede their children and start no later, and no id occurs twice. */
function expectTree(spans: readonly Span[]): void {
  const starts = new Map([['', 0]])
  for (const { id, parentId, startMs, endMs } of spans) {
    expect(starts.has(id)).toBe(false)
    expect(starts.has(parentId)).toBe(true)
    starts.set(id, startMs)
    expect(startMs).toBeGreaterThanOrEqual(starts.get(parentId)!)
    if (endMs !== undefined) expect(endMs).toBeGreaterThanOrEqual(startMs)
  }
}

/** Without hooks, indented by depth. */
function drawn(spans: readonly Span[]): string[] {
  expectTree(spans)
  const depth = new Map<string, number>()
  return spans.flatMap(({ id, parentId, kind, name, startMs, endMs }) => {
    const deep = parentId === '' ? 0 : depth.get(parentId)! + 1
    depth.set(id, deep)
    return kind === 'hook' ? [] : [`${'  '.repeat(deep)}${kind} ${name} ${startMs}–${endMs ?? '?'}`]
  })
}

describe('a conversation', () => {
  it('is a tree: prompts, tools, what tools do, and hooks under what they were asked about', () => {
    const spans = trace([
      { at: 10, event: SESSION },
      { at: 110, event: PROMPT, fields: { prompt: 'Fix it' } },
      { at: 210, event: TOOL, fields: { tool_name: 'Shell', tool_use_id: '1' } },
      { at: 230, event: SHELL, fields: { command: 'npm test' } },
      { at: 810, event: SHELL_END, fields: { command: 'npm test', duration: 560 } },
      { at: 830, event: TOOL_END, fields: { tool_name: 'Shell', tool_use_id: '1', duration: 600 } },
      { at: 900, event: EDIT, fields: { file_path: '/p/a.ts' } },
      { at: 1010, event: TURN_END },
      { at: 2010, event: SESSION_END },
    ])
    expect(drawn(spans)).toEqual([
      'session Session 0–2010',
      '  prompt Prompt 100–1010',
      '    tool Shell 200–830',
      '      shell Shell 220–810',
      '    edit Edit 890–900',
    ])
    const hook = spans.find(({ kind }) => kind === 'hook')!
    expect(hook).toMatchObject({
      name: 'guard.sh',
      startMs: 0,
      endMs: 10,
      runId: expect.stringMatching(/^r/),
    })
    expect(spans.filter(({ kind }) => kind === 'hook')).toHaveLength(9)
  })

  it('continues automatically when a hook says so', () => {
    const spans = trace([
      { at: 10, event: PROMPT, fields: { prompt: 'Fix it' } },
      { at: 110, event: TURN_END, followup: 'Run the tests.' },
      { at: 120, event: PROMPT, fields: { prompt: 'Run the tests.' } },
      { at: 210, event: SHELL, fields: { command: 'npm test' } },
      { at: 310, event: TURN_END, followup: 'Again.' },
      { at: 410, event: TURN_END },
      { at: 510, event: PROMPT, fields: { prompt: 'Thanks' } },
    ])
    expect(drawn(spans)).toEqual([
      'session Session 0–?',
      '  prompt Prompt 0–410',
      '    loop Follow-up 1 110–310',
      `      prompt ${PROMPT} 110–120`,
      '      shell Shell 200–?',
      '    loop Follow-up 2 310–410',
      '  prompt Prompt 500–?',
    ])
  })

  it('holds the conversations of its subagents, and theirs', () => {
    const inner = { conversation: 'c2', fields: { parent_conversation_id: 'c', subagent_id: 's1' } }
    const innermost = { conversation: 'c3', fields: { parent_conversation_id: 'c2' } }
    const spans = trace([
      { at: 10, event: PROMPT },
      { at: 110, event: SUBAGENT, fields: { subagent_id: 's1', subagent_type: 'explore', task: 'x' } },
      { at: 210, event: SHELL, ...inner },
      {
        at: 310,
        event: SUBAGENT,
        conversation: 'c2',
        fields: { ...inner.fields, subagent_id: 's2', subagent_type: 'shell' },
      },
      { at: 410, event: EDIT, ...innermost },
      { at: 510, event: SUBAGENT_END, fields: { subagent_type: 'explore', task: 'x' } },
      { at: 610, event: EDIT },
    ])
    expect(drawn(spans)).toEqual([
      'session Session 0–?',
      '  prompt Prompt 0–?',
      '    subagent explore 100–510',
      '      shell Shell 200–?',
      '      subagent shell 300–?',
      '        edit Edit 400–410',
      '    edit Edit 600–610',
    ])
  })

  it('holds subagents whose beginning or whose parent is not in the log', () => {
    const spans = trace([
      { at: 10, event: EDIT, conversation: 'c2', fields: { parent_conversation_id: 'c' } },
      { at: 20, event: EDIT, conversation: 'c9', fields: { parent_conversation_id: 'gone' } },
    ])
    expect(drawn(spans)).toEqual([
      'session Session 0–?',
      '  subagent Subagent 0–?',
      '    edit Edit 0–10',
      '  subagent Subagent 10–?',
      '    edit Edit 10–20',
    ])
  })

  it('ends what was denied where it was denied', () => {
    const spans = trace([
      { at: 10, event: SHELL, fields: { command: 'x' }, permission: 'deny' },
      { at: 110, event: SHELL, fields: { command: 'x' } },
      { at: 210, event: SHELL_END, fields: { command: 'x', duration: 90 } },
    ])
    expect(drawn(spans)).toEqual(['session Session 0–?', '  shell Shell 0–10', '  shell Shell 100–210'])
    expect(spans[1]!.verdict).toBe('deny')
  })
})

describe('what clocks and logs do', () => {
  it('has work without an end, and ends without a beginning', () => {
    const spans = trace([
      { at: 1000, event: TOOL, fields: { tool_name: 'Read', tool_use_id: '1' } },
      { at: 1100, event: EDIT },
      { at: 1200, event: TOOL, fields: { tool_name: 'Write', tool_use_id: '2' } },
      { at: 2000, event: TOOL_END, fields: { tool_name: 'Grep', tool_use_id: '3', duration: 500 } },
    ])
    expect(drawn(spans)).toEqual([
      'session Session 0–?',
      '  tool Read 0–?',
      '    edit Edit 100–110',
      '  tool Write 200–?',
      '    tool Grep 500–1010',
    ])
  })

  it('has zero and negative durations, times that go back, and times that are none', () => {
    const spans = trace([
      { at: 1000, event: PROMPT, took: 0 },
      { at: 1100, event: SHELL, fields: { command: 'x' } },
      { at: 400, event: SHELL_END, fields: { command: 'x', duration: -50 } },
      { at: 'yesterday', event: EDIT, took: Number.NaN },
      { at: 1200, event: EDIT, took: -7 },
      { at: 1300, event: SHELL_END, fields: { command: 'y', duration: 'long' }, took: 0 },
    ])
    expect(drawn(spans)).toEqual([
      'session Session 0–?',
      '  prompt Prompt 610–?',
      '    shell Shell 700–700',
      '    edit Edit 610–610',
      '    edit Edit 810–810',
      '    shell Shell 910–910',
    ])
  })

  it('draws children that report a start before that of their parents from the start of the parents', () => {
    const spans = trace([
      { at: 1000, event: TOOL, fields: { tool_name: 'Shell', tool_use_id: '1' } },
      { at: 1050, event: SHELL_END, fields: { command: 'x', duration: 700 } },
      { at: 1060, event: TOOL_END, fields: { tool_name: 'Shell', tool_use_id: '1' } },
    ])
    expect(drawn(spans)).toEqual(['session Session 0–?', '  tool Shell 650–720', '    shell Shell 650–710'])
  })

  it('draws events from their recorded start to their recorded end, whenever the records were made', () => {
    const at = (ms: number) => new Date(1_000_000 + ms).toISOString()
    const period = (startMs: number, endMs: number) => ({
      event_started_at: at(startMs),
      event_ended_at: at(endMs),
    })
    const records = [
      { ...ran({ at: 90, event: PROMPT, took: 5 }), ...period(0, 8) },
      { ...ran({ at: 90, event: SHELL, fields: { command: 'x' }, took: 30 }), ...period(20, 51) },
    ]
    expect(drawn(traced(records))).toEqual([
      'session Session 0–?',
      '  prompt Prompt 0–?',
      '    shell Shell 20–?',
    ])
    expect(traced(records).filter(({ kind }) => kind === 'hook')).toMatchObject([
      { startMs: 0, endMs: 5 },
      { startMs: 20, endMs: 50 },
    ])
  })

  it('never starts a child before its parent, whatever is recorded', () => {
    const kinds = EVENT_SPECS.filter(({ trace }) => trace).map(({ name }) => name)
    const number = fc.oneof(fc.integer({ min: -50, max: 2000 }), fc.constantFrom(0, 1e12, Number.NaN))
    const given = fc.record({
      at: fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.constant('never')),
      event: fc.constantFrom(...kinds),
      conversation: fc.constantFrom('c', 'c2', 'c3'),
      took: number,
      permission: fc.option(fc.constantFrom('allow', 'deny'), { nil: undefined }),
      followup: fc.option(fc.constant('again'), { nil: undefined }),
      period: fc.option(fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 5000 })), {
        nil: undefined,
      }),
      fields: fc.record(
        {
          prompt: fc.constant('again'),
          command: fc.constantFrom('a', 'b'),
          tool_use_id: fc.constantFrom('1', '2'),
          subagent_id: fc.constantFrom('1', '2'),
          parent_conversation_id: fc.constantFrom('c', 'c2', 'c3', 'gone'),
          duration: number,
        },
        { requiredKeys: [] },
      ),
    })
    fc.assert(
      fc.property(fc.array(given, { maxLength: 30 }), events => {
        const records = events.map(({ period, permission, followup, ...rest }) => ({
          ...ran({ ...rest, ...(permission ? { permission } : {}), ...(followup ? { followup } : {}) }),
          ...(period
            ? {
                event_started_at: new Date(period[0]).toISOString(),
                event_ended_at: new Date(period[1]).toISOString(),
              }
            : {}),
        }))
        expectTree(traced(records))
      }),
      { numRuns: randomRuns(400) },
    )
  })

  it('may hold nothing, or nothing that it should', () => {
    expect(traced([])).toEqual([expect.objectContaining({ kind: 'session', startMs: 0 })])
    const odd = {
      ...ran({ at: 1, event: 'nothingLikeIt' }),
      request: null,
      verdict: null,
      conversation_id: null,
    }
    expectTree(traced([odd as unknown as RunRecord]))
  })
})

describe('a long conversation', () => {
  const EACH = runsEverything ? 74 : 24
  it('of many spans, 200 deep, is drawn in linear time', () => {
    const given: Given[] = []
    for (let depth = 0; depth < 200; depth++) {
      const conversation = depth === 0 ? 'c' : `c${depth}`
      const fields =
        depth === 0
          ? {}
          : { parent_conversation_id: depth === 1 ? 'c' : `c${depth - 1}`, subagent_id: `s${depth}` }
      for (let at = 0; at < EACH; at++) {
        given.push({
          at: depth * 1000 + at,
          event: SHELL,
          conversation,
          fields: { ...fields, command: `echo ${at}` },
        })
      }
      given.push({
        at: depth * 1000 + 100,
        event: SUBAGENT,
        conversation,
        fields: { ...fields, subagent_id: `s${depth + 1}`, subagent_type: 'explore' },
      })
    }
    const records = given.map(ran)
    const timeOf = (size: number) => {
      // Work, not time: the machine may do something else beside it.
      const began = process.cpuUsage()
      traced(records.slice(0, size))
      const { user, system } = process.cpuUsage(began)
      return (user + system) / 1000
    }
    timeOf(records.length)
    const spans = traced(records)
    expect(spans.length).toBeGreaterThan(2 * 200 * EACH)
    expectTree(spans)
    const depths = new Map<string, number>([['', -1]])
    for (const { id, parentId } of spans) depths.set(id, depths.get(parentId)! + 1)
    expect(Math.max(...depths.values())).toBeGreaterThanOrEqual(200)
    // Ten times as much takes nowhere near a hundred times as long.
    const [small, large] = [timeOf(records.length / 10), timeOf(records.length)]
    expect(large).toBeLessThan(Math.max(small, 2) * 60)
  })
})
