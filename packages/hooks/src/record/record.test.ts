import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import v8 from 'node:v8'
import vm from 'node:vm'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyText } from '../../../../tests/any-text.js'
import { EMPTY_VERDICT } from '../../../../tests/fixtures/definition.js'
import { randomRuns } from '../../../../tests/scope.js'
import type { HookDefinition } from '../protocol/config.js'
import { EVENT_SPECS, type EventName, findEvent } from '../protocol/events.js'
import { PROFILES } from '../protocol/profiles.js'
import type { Outcome, Run, TimedEvent } from '../protocol/run.js'
import type { Verdict } from '../protocol/verdict.js'
import { openRecorder, type RecorderOptions, type RunRecord } from './record.js'

const hook: HookDefinition = {
  id: 'project:.cursor/hooks.json:hooks.beforeShellExecution[0]',
  source: 'project',
  rank: 2,
  mode: 'enforce',
  event: 'beforeShellExecution',
  type: 'command',
  name: './guard.sh --token abc123',
  command: './guard.sh --token abc123',
  matcher: { kind: 'all' },
  timeoutMs: 60_000,
  loopLimit: 5,
  dialect: 'native',
  file: '/project/.cursor/hooks.json',
  line: 4,
  column: 7,
  path: 'hooks.beforeShellExecution[0]',
  cwd: '/project',
  root: '/project',
  scripts: [],
  covered: [],
  fingerprint: 'f',
  trusted: true,
}

const event = (name: EventName, fields: Record<string, unknown>): TimedEvent => ({
  spec: findEvent(name)!,
  profile: PROFILES.holdfast,
  payload: fields,
  fields,
  startedAt: 1_699_999_999_000,
})

const run = (outcome: Outcome, exit: Partial<Run['exit']> = {}): Run => ({
  hook,
  exit: { code: 0, signal: null, stdout: '', stderr: '', durationMs: 12.5, ...exit },
  outcome,
  notes: [{ code: 'note/text-before', message: 'There was text.' }],
})

const verdict = (runs: readonly Run[], rest: Partial<Verdict> = {}): Verdict => ({
  ...EMPTY_VERDICT,
  event: 'beforeShellExecution',
  runs,
  ...rest,
})

const silent = run({ kind: 'silent' })
const crashed = run(
  { kind: 'failed', failure: { code: 'run/exit', message: 'exit code 1, password=hunter2' } },
  { code: 1, stderr: 'cannot log in with password=hunter2' },
)
const open = (options: Partial<RecorderOptions> = {}) =>
  openRecorder({ now: () => 1_700_000_000_000, random: () => 'r4nd', ...options })
const shell = event('beforeShellExecution', {
  command: 'ls',
  conversation_id: 'c1',
  generation_id: 'g1',
})

describe('a denial that no run explains', () => {
  const denial = { message: 'The input did not settle.', source: 'user', file: null, hook: 'fix.sh' } as const
  const issue = { message: 'The folder cannot be verified.', source: 'team', file: '/team' } as const

  it('is recorded after the runs, and so are issues that are not its reason', () => {
    const denied = verdict([silent], { permission: 'deny', denials: [denial] })
    expect(open().record(shell, denied, [issue as never])).toMatchObject([
      { outcome: 'silent', permission: null },
      { hook: 'fix.sh', message: denial.message, outcome: 'failed', permission: 'deny', failed_open: false },
      { hook: 'team manifest', message: issue.message, permission: null },
    ])
    const missing = verdict([], { permission: 'deny', denials: [issue] })
    expect(open().record(shell, missing, [issue as never])).toMatchObject([
      { hook: 'required source', permission: 'deny' },
    ])
  })
})

describe('what is private', () => {
  const requestOf = (tool_name: string, redact: RecorderOptions['redact'] = {}) => {
    const fields = { tool_name, tool_output: 'export const a = 1', user_email: 'ada@example.com' }
    return open({ redact }).record(event('postToolUse', fields), verdict([silent]))[0]!
  }

  it('includes the output of a tool that reads a file, and the address of the user', () => {
    expect(requestOf('Read')).toMatchObject({
      request: { tool_output: '[left out: 18 characters]', user_email: '[left out: 15 characters]' },
      redacted: ['request.tool_output: left out (contents)', 'request.user_email: left out (emails)'],
    })
    expect(requestOf('Shell').request.tool_output).toBe('export const a = 1')
  })

  it('is kept where the host wants it', () => {
    expect(requestOf('Read', { contents: false, emails: false }).request).toMatchObject({
      tool_output: 'export const a = 1',
      user_email: 'ada@example.com',
    })
  })
})

it('keeps the last 100 records in memory, in order', () => {
  const recorder = open()
  const ids: string[] = []
  for (const count of [1, 98, 3, 40, 250, 1]) {
    const records = recorder.record(shell, verdict(Array.from({ length: count }, () => silent)))
    ids.push(...records.map(({ id }) => id))
    expect(recorder.recent().map(({ id }) => id)).toEqual(ids.slice(-100))
  }
})

describe('one record per run', () => {
  it('holds what the log shows', () => {
    const answered = run({ kind: 'answered', answer: { permission: 'deny', user_message: 'no' } })
    const [record] = open().record(shell, verdict([answered], { permission: 'deny' }))
    expect(record).toEqual({
      id: '0lovqt3pc-0001-r4nd'.replace('0lovqt3pc', (1_700_000_000_000).toString(36).padStart(9, '0')),
      event_id: record!.id,
      time: '2023-11-14T22:13:20.000Z',
      event_started_at: '2023-11-14T22:13:19.000Z',
      event_ended_at: '2023-11-14T22:13:19.005Z',
      event: 'beforeShellExecution',
      profile: 'holdfast',
      source: 'project',
      hook: './guard.sh --token [secret: token]',
      file: '/project/.cursor/hooks.json',
      line: 4,
      conversation_id: 'c1',
      generation_id: 'g1',
      request: { command: 'ls', conversation_id: 'c1', generation_id: 'g1' },
      response: { permission: 'deny', user_message: 'no' },
      outcome: 'answered',
      permission: 'deny',
      failure: null,
      message: null,
      exit_code: 0,
      signal: null,
      duration_ms: 12.5,
      stderr: '',
      notes: ['note/text-before'],
      failed_open: false,
      verdict: { permission: 'deny', continue: null },
      redacted: [],
    } satisfies RunRecord)
  })

  it('holds when the event began and ended, which is not when the record was made', () => {
    const period = (durationMs: number) => {
      const [{ event_started_at, event_ended_at }] = open().record(
        shell,
        verdict([silent], { durationMs }),
      ) as [RunRecord]
      return [event_started_at, event_ended_at]
    }
    expect(period(250)).toEqual(['2023-11-14T22:13:19.000Z', '2023-11-14T22:13:19.250Z'])
    // A clock that was set back during the event.
    for (const durationMs of [-5, Number.NaN])
      expect(period(durationMs)).toEqual(['2023-11-14T22:13:19.000Z', '2023-11-14T22:13:19.000Z'])
  })

  it('says that a hook only observed, what it would have counted as, and never that it failed open', () => {
    const observing = { ...crashed, hook: { ...hook, mode: 'observe' } as const }
    const [record] = open().record(
      shell,
      verdict([observing], { observed: [{ run: observing, decision: 'deny' }] }),
    )
    expect(record).toMatchObject({ mode: 'observe', would: 'deny', outcome: 'failed', failed_open: false })
    expect(open().record(shell, verdict([crashed]))[0]).toMatchObject({ failed_open: true })
  })

  it('has the numbers of a managed hook, those that there are', () => {
    const managed = (numbers: object) => ({ ...silent, hook: { ...hook, managed: numbers } })
    const runs = [managed({ id: 7, revision: 3, release: 41 }), managed({ release: 41 }), silent]
    const numbers = open()
      .record(shell, verdict(runs))
      .map(({ hook_id, revision, release }) => [hook_id, revision, release])
    expect(numbers).toEqual([
      [7, 3, 41],
      [undefined, undefined, 41],
      [undefined, undefined, undefined],
    ])
  })

  it('redacts what the hook printed, and names the places', () => {
    const [record] = open().record(shell, verdict([crashed]))
    expect(record).toMatchObject({
      failure: 'run/exit',
      message: 'exit code 1, password=[secret: password]',
      stderr: 'cannot log in with password=[secret: password]',
      response: null,
      redacted: ['message: secret (password)', 'stderr: secret (password)'],
    })
  })

  it('masks secrets in every text of the record', () => {
    const fields = { command: 'ls', conversation_id: 'password=hunter2', generation_id: 'password=hunter2' }
    const named = { ...crashed, hook: { ...hook, file: '/p/password=hunter2/hooks.json' } }
    const [record] = open().record(event('beforeShellExecution', fields), verdict([named]))
    expect(record!.stderr).toContain('[secret: password]')
    expect(JSON.stringify(record)).not.toContain('hunter2')
  })

  it('follows the column of the table and the settings', () => {
    const read = event('beforeReadFile', { file_path: '/a', content: 'x'.repeat(40) })
    expect(open().record(read, verdict([silent]))[0]).toMatchObject({
      request: { file_path: '/a', content: '[left out: 40 characters]' },
      redacted: ['request.content: left out (contents)'],
    })
    const kept = open({ redact: { contents: false } }).record(read, verdict([silent]))[0]
    expect(kept!.request.content).toBe('x'.repeat(40))
    const prompt = event('beforeSubmitPrompt', { prompt: 'deploy' })
    expect(open().record(prompt, verdict([silent]))[0]!.request.prompt).toBe('deploy')
    const without = open({ redact: { prompts: true } }).record(prompt, verdict([silent]))[0]
    expect(without!.request.prompt).toBe('[left out: 6 characters]')
  })

  it('leaves out of an answer what it would leave out of a payload', () => {
    const answer = { permission: 'allow', updated_input: { path: 'a', content: 'x' } } as const
    const [record] = open().record(shell, verdict([run({ kind: 'answered', answer })]))
    expect(record!.response).toEqual({
      permission: 'allow',
      updated_input: { path: 'a', content: '[left out: 1 character]' },
    })
  })

  it('says when a failure let the action pass', () => {
    const failedOpen = (name: EventName, rest: Partial<Verdict>, one = crashed) =>
      open().record(event(name, {}), verdict([one], rest))[0]!.failed_open
    expect(failedOpen('beforeShellExecution', {})).toBe(true)
    expect(failedOpen('beforeShellExecution', { permission: 'allow' })).toBe(true)
    expect(failedOpen('beforeShellExecution', { permission: 'deny' })).toBe(false)
    expect(failedOpen('beforeSubmitPrompt', { continue: false })).toBe(false)
    expect(failedOpen('beforeSubmitPrompt', {})).toBe(true)
    expect(failedOpen('stop', {})).toBe(false)
    expect(failedOpen('beforeShellExecution', {}, silent)).toBe(false)
  })

  it('gives ids that sort by age, even when the clock is set back', () => {
    const times = [5, 9, 9, 3, 4, 10]
    const recorder = open({ now: () => times.shift()! })
    for (let i = 0; i < 3; i++) recorder.record(shell, verdict([silent, silent]))
    const ids = recorder.recent().map(record => record.id)
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids).size).toBe(6)
  })

  it('keeps the last hundred', () => {
    const recorder = open()
    for (let i = 0; i < 130; i++) recorder.record(event('stop', { loop_count: i }), verdict([silent]))
    expect(recorder.recent()).toHaveLength(100)
    expect(recorder.recent().at(-1)!.request.loop_count).toBe(129)
    expect(recorder.recent()[0]!.request.loop_count).toBe(30)
  })

  it('joins the runs of one event', () => {
    const recorder = open()
    const first = recorder.record(shell, verdict([silent, crashed, silent]))
    const second = recorder.record(shell, verdict([silent, crashed]))
    expect(first.map(record => record.event_id)).toEqual(Array(3).fill(first[0]!.id))
    expect(second.map(record => record.event_id)).toEqual(Array(2).fill(second[0]!.id))
    expect(first[0]!.event_id).not.toBe(second[0]!.event_id)
  })

  it('redacts a payload once, however many hooks ran', () => {
    const records = open().record(shell, verdict([silent, crashed, silent]))
    expect(records).toHaveLength(3)
    expect(records[1]!.request).toBe(records[0]!.request)
    expect(Object.isFrozen(records[0]!.request)).toBe(true)
  })
})

describe('listeners', () => {
  it('receive each record until they unsubscribe, and cannot disturb', () => {
    const recorder = open()
    const heard: string[] = []
    recorder.subscribe(() => {
      throw new Error('no, token=abc123')
    })
    const leave = recorder.subscribe(record => heard.push(record.event))
    expect(recorder.record(shell, verdict([silent, silent]))).toHaveLength(2)
    leave()
    recorder.record(shell, verdict([silent]))
    expect(heard).toHaveLength(2)
    expect(recorder.problem()).toBe('a listener threw: no, token=[secret: token]')
  })

  it('that throw are reported without secrets', () => {
    const recorder = open()
    recorder.subscribe(() => {
      throw new Error('no route for password=hunter2')
    })
    recorder.record(shell, verdict([silent]))
    expect(recorder.problem()).toBe('a listener threw: no route for password=[secret: password]')
  })

  it('receive nothing after the end', () => {
    const recorder = open()
    recorder.record(shell, verdict([silent]))
    recorder.close()
    expect(recorder.record(shell, verdict([silent]))).toEqual([])
    expect(recorder.recent()).toHaveLength(1)
  })
})

describe('never throws', () => {
  it('over any payload, any answer and any text', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true })
    fc.assert(
      fc.property(
        fc.constantFrom(...EVENT_SPECS),
        fc.dictionary(fc.string(), anything),
        anything,
        anyText(),
        (spec, fields, given, stderr) => {
          const answer = { permission: 'ask', updated_input: { given } } as const
          const runs = [run({ kind: 'answered', answer }, { stderr }), { ...crashed }]
          const recorder = open({ redact: { prompts: true, outputs: true } })
          const records = recorder.record(event(spec.name, fields), verdict(runs))
          expect(records).toHaveLength(2)
          expect(recorder.problem()).toBe(null)
          for (const record of records) expect(JSON.parse(JSON.stringify(record))).toEqual(record)
        },
      ),
      { numRuns: randomRuns(500) },
    )
  })

  it('when the host itself fails', () => {
    const recorder = open({
      now: () => {
        throw new Error('no clock')
      },
    })
    expect(recorder.record(shell, verdict([silent]))).toEqual([])
    expect(recorder.problem()).toContain('no clock')
    expect(open({ now: () => Number.NaN }).record(shell, verdict([silent]))).toEqual([])
  })
})

describe('with a file', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-record-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('writes one line per run', () => {
    const path = join(folder, 'logs', 'runs.jsonl')
    const recorder = open({ file: { path } })
    const records = recorder.record(shell, verdict([silent, crashed]))
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(records)
    expect(recorder.problem()).toBe(null)
  })

  it('goes on in memory when the file cannot be written', () => {
    const path = join(folder, 'taken')
    mkdirSync(path)
    const recorder = open({ file: { path } })
    expect(recorder.record(shell, verdict([silent, silent]))).toHaveLength(2)
    expect(recorder.recent()).toHaveLength(2)
    expect(recorder.problem()).toMatch(/^2 runs not written to .*: EISDIR/)
  })
})

it('stays small however large the payloads are', () => {
  v8.setFlagsFromString('--expose-gc')
  const collect = vm.runInNewContext('gc') as () => void
  const recorder = open()
  const size = 4 * 1024 * 1024
  collect()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < 10; i++) {
    const output = JSON.parse(`"${String.fromCharCode(97 + (i % 26)).repeat(size)}"`) as string
    recorder.record(event('afterShellExecution', { command: 'x', output }), verdict([silent]))
  }
  collect()
  expect(recorder.recent()).toHaveLength(10)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * 1024 * 1024)
})
