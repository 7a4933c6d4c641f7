import { describe, expect, it } from 'vitest'
import { openLog } from './log.js'

const NOW = Date.UTC(2026, 0, 31, 12)
function logged(message: string, facts?: Record<string, unknown>) {
  const lines: string[] = []
  openLog(
    line => lines.push(line),
    () => NOW,
  ).warn(message, facts)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^[^\n]+\n$/)
  return JSON.parse(lines[0]!) as Record<string, unknown>
}

describe('the log', () => {
  it('is one JSON object a line, with the time and the level', () => {
    expect(logged('one\ntwo', { count: 7, to: 'x' })).toEqual({
      time: '2026-01-31T12:00:00.000Z',
      level: 'warn',
      message: 'one\ntwo',
      count: 7,
      to: 'x',
    })
    const levels: string[] = []
    const log = openLog(
      line => levels.push((JSON.parse(line) as { level: string }).level),
      () => NOW,
    )
    log.info('a')
    log.error('b')
    expect(levels).toEqual(['info', 'error'])
  })

  it.each([
    ...['token', 'secret', 'password', 'cookie', 'authorization', 'private', 'signature'],
    ...['deviceToken', 'CLIENT_SECRET', 'set-cookie', 'Authorization', 'private_key'],
  ])('hides whatever is called %s', name => {
    expect(logged('m', { [name]: 'hunter2' })[name]).toBe('(hidden)')
    expect(logged('m', { [name]: { deep: 'hunter2' } })[name]).toBe('(hidden)')
  })

  it.each(['hfd', 'hfe', 'hfp', 'hfi'])('hides each %s_… in its messages and data', prefix => {
    const text = `${prefix}_${'0'.repeat(16)}_${'f'.repeat(64)}`
    const shown = logged(`${text} and ${text}`, {
      url: `http://x/join/${text}`,
      error: `bad ${text}\n${text}`,
    })
    expect(shown).toMatchObject({
      message: '(hidden) and (hidden)',
      url: 'http://x/join/(hidden)',
      error: 'bad (hidden)\n(hidden)',
    })
  })

  it('hides the password of each address, and keeps the rest of it', () => {
    const error = 'postgres://ann:hunter2@db/team and https://bob:pass@x/'
    expect(logged(error, { error })).toMatchObject({
      message: 'postgres://ann:(hidden)@db/team and https://bob:(hidden)@x/',
      error: 'postgres://ann:(hidden)@db/team and https://bob:(hidden)@x/',
    })
    expect(logged('http://127.0.0.1:80/a@b')).toMatchObject({ message: 'http://127.0.0.1:80/a@b' })
  })

  it('has an end: 4000 characters of each text', () => {
    const long = 'x'.repeat(4001)
    expect(logged(long, { error: long })).toMatchObject({
      message: 'x'.repeat(4000),
      error: 'x'.repeat(4000),
    })
  })
})
