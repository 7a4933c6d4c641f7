import { describe, expect, it, vi } from 'vitest'
import { openQuota } from './quota.js'
import { seldom } from './receive.js'

describe('a quota', () => {
  it('lets a device send much once, and then as much as comes back', () => {
    let now = 0
    const quota = openQuota(() => now)
    for (let batch = 0; batch < 20; batch++) expect(quota.take('a', 1000, 1000)).toBe(0)
    expect(quota.take('a', 1000, 1000)).toBe(5000)
    expect(quota.pause('a')).toBe(5000)
    expect(quota.take('b', 1000, 1000)).toBe(0)
    expect(quota.pause('b')).toBe(0)
    now = 5000
    expect(quota.take('a', 1000, 1000)).toBe(0)
    expect(quota.take('a', 1, 1)).toBe(5)
    now = 3_600_000
    expect(quota.take('a', 20_000, 1000)).toBe(0)
  })
  it('counts bytes, too, and a clock that goes back gives nothing', () => {
    let now = 10_000
    const quota = openQuota(() => now)
    expect(quota.take('a', 1, 64 * 1024 * 1024)).toBe(0)
    now = 0
    expect(quota.take('a', 1, 1024 * 1024)).toBe(1000)
  })
  it('never holds more than it may send at once, however long a device was silent', () => {
    let now = 0
    const quota = openQuota(() => now)
    expect([quota.take('a', 1, 1), quota.take('b', 1, 1)]).toEqual([0, 0])
    now = 30 * 86_400_000
    expect(quota.take('a', 20_001, 1)).toBe(5)
    expect(quota.take('a', 20_000, 1)).toBe(0)
    expect(quota.take('b', 1, 64 * 1024 * 1024 + 1)).toBe(1)
    expect(quota.take('b', 1, 64 * 1024 * 1024)).toBe(0)
  })
  it('asks a device to wait by whichever is nearer its end, records or bytes', () => {
    const quota = openQuota(() => 0)
    quota.take('records', 15_000, 0)
    quota.take('bytes', 0, 48 * 1024 * 1024)
    quota.take('half', 10_000, 32 * 1024 * 1024)
    expect(['records', 'bytes', 'half'].map(quota.pause)).toEqual([2500, 2500, 0])
    quota.take('half', 2000, 0)
    expect(quota.pause('half')).toBe(1000)
  })
  it('evicts the device that was silent for longest, and none that sends', () => {
    const quota = openQuota(() => 0)
    quota.take('busy', 20_000, 0)
    for (let other = 0; other < 19_999; other++) quota.take(`other ${other}`, 20_000, 0)
    expect(quota.take('busy', 1, 0)).toBe(5)
    quota.take('another one', 1, 0)
    expect(quota.take('busy', 1, 0)).toBe(5)
    expect(quota.take('other 1', 1, 0)).toBe(5)
    expect(quota.take('other 0', 1, 0)).toBe(0)
  })
})

it('says seldom that something is new, but never leaves out the last time', () => {
  vi.useFakeTimers()
  try {
    const act = vi.fn()
    const tell = seldom(act, 1000)
    tell()
    tell()
    tell()
    expect(act).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1000)
    expect(act).toHaveBeenCalledTimes(2)
    vi.advanceTimersByTime(5000)
    expect(act).toHaveBeenCalledTimes(2)
    tell()
    expect(act).toHaveBeenCalledTimes(3)
  } finally {
    vi.useRealTimers()
  }
})
