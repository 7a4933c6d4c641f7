import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { eventOf } from '../../../../tests/fixtures/definition.js'
import { decide } from '../decide/decide.js'
import { recordLater } from './backlog.js'
import type { Recorder } from './record.js'

const event = eventOf('beforeShellExecution')
const verdict = decide({ event, runs: [], skipped: [], durationMs: 1, denials: [] })

function open() {
  const record = vi.fn()
  return { record, later: recordLater({ record } as unknown as Recorder) }
}

describe('what waits to be recorded', () => {
  it('is recorded in order at the next turn of the event loop, once', async () => {
    const { record, later } = open()
    const second = { ...verdict, durationMs: 2 }
    later.add(event, verdict)
    later.add(event, second)
    expect(record).not.toHaveBeenCalled()
    await setImmediate()
    expect(record.mock.calls).toEqual([
      [event, verdict, []],
      [event, second, []],
    ])
    later.flush()
    expect(record).toHaveBeenCalledTimes(2)
    later.close()
  })

  it('is recorded at once when it is asked for, when it is closed, and when too much waits', () => {
    const { record, later } = open()
    later.add(event, verdict)
    later.flush()
    expect(record).toHaveBeenCalledTimes(1)
    for (let i = 0; i < 63; i++) later.add(event, verdict)
    expect(record).toHaveBeenCalledTimes(1)
    later.add(event, verdict)
    expect(record).toHaveBeenCalledTimes(65)
    later.add(event, verdict)
    later.close()
    expect(record).toHaveBeenCalledTimes(66)
  })

  it('is recorded when the process exits, until it is closed, by one listener for all engines', async () => {
    // A module of its own: engines of other tests may share the listener of the usual one.
    const own: typeof import('./backlog.js') = await import(
      `${import.meta.resolve('./backlog.js')}?${process.hrtime.bigint()}`
    )
    const before = process.listeners('exit')
    const added = () => process.listeners('exit').filter(each => !before.includes(each))
    const engines = Array.from({ length: 12 }, () => {
      const record = vi.fn()
      return { record, later: own.recordLater({ record } as unknown as Recorder) }
    })
    for (const { later } of engines) {
      later.add(event, verdict)
      later.add(event, verdict)
    }
    expect(added()).toHaveLength(1)
    ;(added()[0] as () => void)()
    for (const { record, later } of engines) {
      expect(record).toHaveBeenCalledTimes(2)
      later.close()
    }
    expect(added()).toEqual([])
  })
})
