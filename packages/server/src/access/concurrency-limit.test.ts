import { expect, it } from 'vitest'
import type { Actor } from './actor.js'
import { openConcurrencyLimit } from './concurrency-limit.js'
import { MOST_BATCHES, MOST_CALLS, openRateLimit } from './rate-limit.js'

const personOf = (userId: string): Actor => ({
  kind: 'person',
  userId,
  name: userId,
  role: 'auditor',
  via: 'session',
  address: '',
})

it('one person has 64 questions about records open; ended ones and others do not count', () => {
  const concurrency = openConcurrencyLimit()
  const enter = (who = 'ann', method = 'AuditService/SearchRecords') => {
    const call = new AbortController()
    concurrency.enter(method, personOf(who), call.signal)
    return call
  }
  const calls = Array.from({ length: 64 }, () => enter())
  expect(() => enter()).toThrow('64 queries')
  enter('bob')
  for (let count = 0; count < 100; count++) enter('ann', 'HooksService/ListHooks')
  for (let count = 0; count < 100; count++) {
    concurrency.enter(
      'AuditService/X',
      { kind: 'device', deviceId: 'ann', address: '' },
      new AbortController().signal,
    )
  }
  calls[0]!.abort()
  enter()
  expect(() => enter()).toThrow('64 queries')
  for (const call of calls.slice(1)) call.abort()
  for (let count = 0; count < 63; count++) enter()
  expect(() => enter()).toThrow('64 queries')
})

it('a device has so many calls and so many batches in a minute, each counted by itself', async () => {
  const turns = openRateLimit()
  const take = async (method: string, id = 'one') => (await turns.take(method, id))?.code ?? 'taken'
  for (let count = 0; count < MOST_CALLS; count++)
    expect(await take('DeviceService/GetTeamHooks')).toBe('taken')
  expect(await take('DeviceService/Report')).toBe('too-much')
  expect(await take('DeviceService/Report', 'two')).toBe('taken')
  for (let count = 0; count < MOST_BATCHES; count++)
    expect(await take('DeviceService/SendRecords')).toBe('taken')
  expect(await take('DeviceService/SendRecords')).toBe('too-much')
})

it('the first refusal of a device is news; the next ones are not', async () => {
  const turns = openRateLimit()
  for (let count = 0; count < MOST_CALLS; count++) await turns.take('DeviceService/Report', 'one')
  const refusals = [
    await turns.take('DeviceService/Report', 'one'),
    await turns.take('DeviceService/Report', 'one'),
  ]
  expect(refusals.map(refusal => refusal?.facts.isKnown)).toEqual([false, true])
  for (const refusal of refusals) expect(refusal!.facts.waitSeconds).toBeGreaterThan(0)
})
