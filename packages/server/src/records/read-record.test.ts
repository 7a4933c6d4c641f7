import { describe, expect, it } from 'vitest'
import { type NewRecord, readRecord, type Unfit } from './read-record.js'

const NOW = Date.UTC(2026, 5, 15, 12)
const ID = `${NOW.toString(36).padStart(9, '0')}-0000-x`
const RECORD = {
  id: ID,
  time: '2026-06-15T12:00:00Z',
  event: 'beforeShellExecution',
  source: 'team',
  hook: './guard.sh',
  outcome: 'answered',
  duration_ms: 1,
  failed_open: false,
  request: { command: 'ls' },
}

const readText = (text: string): NewRecord | Unfit =>
  readRecord(Buffer.from(text), { deviceId: 'd', now: NOW, recordDays: 90 })
const read = (change: object): NewRecord | Unfit => readText(JSON.stringify({ ...RECORD, ...change }))
const codeOf = (change: object): string => {
  const result = read(change)
  return 'code' in result ? `${result.code} ${result.message.split(' ')[0]}` : 'ok'
}

describe('a record', () => {
  it.each([
    ['time', [7, null, undefined]],
    ['event', [7, null, undefined, '', '1event', 'a b', 'a/b', `a${'b'.repeat(64)}`]],
    ['source', [7, null, undefined, '', '-team', 'a b', `a${'b'.repeat(64)}`]],
    ['hook', [7, null, undefined, {}]],
    ['outcome', [7, null, undefined, '', 'denied']],
    ['duration_ms', ['1', null, undefined, -1]],
    ['failed_open', [0, 1, 'true', null, undefined]],
    ['request', ['x', 7, [], null, undefined]],
    ['response', ['x', 7, [], false]],
    ['verdict', ['x', 7, [], false]],
    ['permission', ['denied', '', 7, true]],
    ['mode', ['off', '', 7, true]],
    ['would', [7, {}, false]],
    ['release', [-1, 1.5, '1', 2 ** 31, true]],
    ['revision', [-1, 1.5, '1', 2 ** 31, true]],
    ['hook_id', [-1, 1.5, '1', 2 ** 31, true]],
    ['event_id', [7, {}]],
    ['event_started_at', [7, {}]],
    ['event_ended_at', [7, {}]],
    ['profile', [7, {}]],
    ['file', [7, {}]],
    ['line', ['4', {}]],
    ['conversation_id', [7, {}]],
    ['generation_id', [7, {}]],
    ['failure', [7, {}]],
    ['message', [7, {}]],
    ['exit_code', ['0', {}]],
    ['signal', [7, {}]],
    ['stderr', [7, {}]],
    ['notes', ['x', [1], {}, 7]],
    ['redacted', ['x', [1], {}, 7]],
  ] as [string, unknown[]][])('with another %s than the engine writes is not stored', (field, values) => {
    for (const value of values) {
      expect(codeOf({ [field]: value }), JSON.stringify(value)).toBe(`bad-field ${field}`)
    }
  })

  it.each([
    ...['response', 'verdict', 'permission', 'mode', 'would', 'release', 'revision', 'hook_id', 'event_id'],
    ...['profile', 'file', 'line', 'conversation_id', 'generation_id', 'failure', 'message', 'exit_code'],
    ...['signal', 'stderr', 'notes', 'redacted', 'event_started_at', 'event_ended_at'],
  ])('is stored without %s', field => {
    expect([codeOf({ [field]: null }), codeOf({})]).toEqual(['ok', 'ok'])
  })

  it('is stored at the limits of its fields', () => {
    const most = { release: 2 ** 31 - 1, revision: 0, hook_id: 2 ** 31 - 1 }
    expect(read({ ...most, event: `a${'b'.repeat(63)}` })).toMatchObject(most)
    expect(read({ duration_ms: 1e300 })).toMatchObject({ duration_ms: 1e9 })
    expect(read({ hook: 'x'.repeat(201), conversation_id: 'x'.repeat(129) })).toMatchObject({
      hook: `${'x'.repeat(199)}…`,
      conversation_id: `${'x'.repeat(127)}…`,
    })
  })

  it.each([
    ['', 'bad-id id'],
    [ID.slice(1), 'bad-id id'],
    [ID.toUpperCase(), 'bad-id id'],
    [`${ID}/`, 'bad-id id'],
    [`${ID.slice(0, -1)}${'x'.repeat(65)}`, 'bad-id id'],
    [`${ID.slice(0, -1)}${'x'.repeat(64)}`, 'ok'],
  ])('with the id %j: %s', (id, code) => {
    expect(codeOf({ id })).toBe(code)
  })

  it.each([
    [{ outcome: 'failed', permission: 'allow', response: { continue: true } }, 'failed'],
    [{ permission: 'deny', response: { continue: true } }, 'deny'],
    [{ permission: 'ask' }, 'ask'],
    [{ permission: 'allow', response: { continue: false } }, 'allow'],
    [{ response: { continue: false } }, 'deny'],
    [{ response: { continue: true } }, 'allow'],
    [{ response: { continue: 'false' } }, 'none'],
    [{ response: {} }, 'none'],
    [{ outcome: 'silent' }, 'none'],
  ])('%j has the verdict %s', (change, verdict) => {
    expect(read(change)).toMatchObject({ verdict })
  })

  it('failed open only when it failed, and was observed only in that mode', () => {
    expect(read({ outcome: 'failed', failed_open: true })).toMatchObject({ failed_open: 1, observed: 0 })
    expect(read({ outcome: 'failed' })).toMatchObject({ failed_open: 0 })
    expect(read({ outcome: 'silent', failed_open: true })).toMatchObject({ failed_open: 0 })
    expect(read({ mode: 'observe' })).toMatchObject({ observed: 1 })
    expect(read({ mode: 'enforce' })).toMatchObject({ observed: 0 })
  })

  it('is of the device that sent it, at the time of its arrival, whatever it says itself', () => {
    expect(read({ device_id: 'other', received_at: 1, deviceId: 'other' })).toMatchObject({
      device_id: 'd',
      received_at: NOW,
    })
  })

  it('is kept whole up to 64 KiB, in short up to 1 MiB, and refused above', () => {
    const sized = (size: number) => {
      const text = JSON.stringify({ ...RECORD, stderr: '' })
      return text.replace('"stderr":""', `"stderr":"${'x'.repeat(size - text.length)}"`)
    }
    const whole = sized(64 * 1024)
    expect(readText(whole)).toMatchObject({ body: whole })
    for (const size of [64 * 1024 + 1, 1024 * 1024]) {
      const short = readText(sized(size)) as NewRecord
      expect(JSON.parse(short.body).redacted).toEqual([`request: left out (the record had ${size} bytes)`])
    }
    expect(readText(sized(1024 * 1024 + 1))).toMatchObject({ code: 'too-large' })
  })
})
