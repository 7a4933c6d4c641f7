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
