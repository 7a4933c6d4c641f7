import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { onAbort, withTimeLimit } from './abort.js'

describe('calls on the abort of a signal', () => {
  it('share one listener, and leave none when all are taken back', () => {
    const { signal } = new AbortController()
    const takeBack = Array.from({ length: 50 }, () => onAbort(signal, () => {}))
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    for (const each of takeBack) each()
    for (const each of takeBack) each()
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('are made once each, except those that were taken back', () => {
    const controller = new AbortController()
    const made: string[] = []
    const push = () => void made.push('twice')
    onAbort(controller.signal, push)
    onAbort(controller.signal, push)
    onAbort(controller.signal, () => made.push('taken back'))()
    controller.abort()
    controller.abort()
    expect(made).toEqual(['twice', 'twice'])
  })

  it('are made at once when the signal has aborted, and never without a signal', () => {
    let count = 0
    onAbort(AbortSignal.abort(), () => count++)()
    onAbort(undefined, () => count++)()
    expect(count).toBe(1)
  })

  it('start again after all were taken back', () => {
    const controller = new AbortController()
    let count = 0
    onAbort(controller.signal, () => count++)()
    onAbort(controller.signal, () => count++)
    controller.abort()
    expect(count).toBe(1)
  })
})

describe('work with a time limit', () => {
  const aborted = (signal: AbortSignal) =>
    new Promise<string>(resolve => signal.addEventListener('abort', () => resolve(signal.reason?.name)))

  it('is aborted at its limit, or with the signal of the caller, and leaves no listener', async () => {
    const caller = new AbortController()
    expect(await withTimeLimit(1, caller.signal, aborted)).toBe('TimeoutError')
    expect(getEventListeners(caller.signal, 'abort')).toEqual([])
    const work = withTimeLimit(60_000, caller.signal, aborted)
    caller.abort()
    expect(await work).toBe('AbortError')
    expect(await withTimeLimit(60_000, undefined, async signal => signal.aborted)).toBe(false)
  })
})
