import { expect, it } from 'vitest'
import { shortened } from './shorten.js'

/** The fields that a shortened record keeps, written independently of the list in the code. */
const KEPT = {
  id: '0m1-0000-x',
  event_id: 'e1',
  event_started_at: '2026-01-31T11:59:59Z',
  event_ended_at: '2026-01-31T12:00:00Z',
  time: '2026-01-31T12:00:00Z',
  event: 'beforeShellExecution',
  profile: 'latest',
  source: 'team',
  hook: './guard.sh',
  file: '/home/ann/hooks.json',
  line: 4,
  mode: 'observe',
  would: 'deny',
  hook_id: 7,
  revision: 3,
  release: 2,
  conversation_id: 'c1',
  generation_id: 'g1',
  outcome: 'failed',
  permission: 'deny',
  failure: 'timeout',
  message: 'It took too long.',
  exit_code: 2,
  signal: 'SIGKILL',
  duration_ms: 12.5,
  failed_open: true,
}

it('keeps each field that says what happened, and none that holds contents', () => {
  const contents = { request: { command: 'secret' }, stderr: 'secret', notes: ['secret'], extra: 'secret' }
  const answer = { permission: 'deny', continue: false, user_message: 'secret' }
  const text = shortened({ ...KEPT, ...contents, response: answer, verdict: answer }, 70_000)
  expect(JSON.parse(text)).toEqual({
    ...KEPT,
    request: {},
    response: { permission: 'deny', continue: false },
    verdict: { permission: 'deny', continue: false },
    stderr: '',
    notes: [],
    redacted: ['request: left out (the record had 70000 bytes)'],
  })
})

it('cuts each text after 1000 characters, and keeps nothing that is nested', () => {
  const long = Object.fromEntries(Object.keys(KEPT).map(name => [name, 'x'.repeat(1001)]))
  const kept = JSON.parse(shortened(long, 1)) as Record<string, unknown>
  for (const name of Object.keys(KEPT)) expect(kept[name], name).toBe('x'.repeat(1000))
  for (const nested of [{ a: 1 }, [1]]) {
    const { hook, response, verdict } = JSON.parse(
      shortened({ hook: nested, response: { permission: nested, continue: nested }, verdict: null }, 1),
    )
    expect([hook, response, verdict]).toEqual([null, { permission: null, continue: null }, null])
  }
})
