import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { eventOf } from '../../../../tests/fixtures/definition.js'
import { decide } from '../decide/decide.js'
import { openBacklog } from './backlog.js'
import type { Recorder } from './record.js'

const event = eventOf('beforeShellExecution')
const verdict = decide({ event, runs: [], skipped: [], durationMs: 1, denials: [] })

function open() {
  const record = vi.fn()
  return { record, backlog: openBacklog({ record } as unknown as Recorder) }
}

describe('what waits to be recorded', () => {
  it('is recorded in order at the next turn of the event loop, once', async () => {
    const { record, backlog } = open()
    const second = { ...verdict, durationMs: 2 }
    backlog.add(event, verdict)
    backlog.add(event, second)
    expect(record).not.toHaveBeenCalled()
    await setImmediate()
    expect(record.mock.calls).toEqual([
      [event, verdict, []],
      [event, second, []],
    ])
    backlog.flush()
    expect(record).toHaveBeenCalledTimes(2)
    backlog.close()
  })

  it('is recorded at once when it is asked for, when it is closed, and when too much waits', () => {
    const { record, backlog } = open()
    backlog.add(event, verdict)
    backlog.flush()
    expect(record).toHaveBeenCalledTimes(1)
    for (let i = 0; i < 63; i++) backlog.add(event, verdict)
    expect(record).toHaveBeenCalledTimes(1)
    backlog.add(event, verdict)
    expect(record).toHaveBeenCalledTimes(65)
    backlog.add(event, verdict)
    backlog.close()
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
      return { record, backlog: own.openBacklog({ record } as unknown as Recorder) }
    })
    for (const { backlog } of engines) {
      backlog.add(event, verdict)
      backlog.add(event, verdict)
    }
    expect(added()).toHaveLength(1)
    ;(added()[0] as () => void)()
    for (const { record, backlog } of engines) {
      expect(record).toHaveBeenCalledTimes(2)
      backlog.close()
    }
    expect(added()).toEqual([])
  })
})
