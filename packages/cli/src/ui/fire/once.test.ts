import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { onceEach } from './once.js'

/** Work that ends when the test resolves it, and records its starts and stops. */
function job() {
  let resolve = (_: string) => {}
  let reject = (_: Error) => {}
  const promise = new Promise<string>((yes, no) => {
    resolve = yes
    reject = no
  })
  const begun: AbortSignal[] = []
  return {
    begun,
    resolve,
    reject,
    work: (stop: AbortSignal) => {
      begun.push(stop)
      return promise
    },
  }
}
const here = () => new AbortController().signal

describe('work with a key', () => {
  it('is done once for all calls with the same key, also for later ones', async () => {
    const once = onceEach()
    const { begun, resolve, work } = job()
    const asked = [once('k', here(), work), once('k', here(), work)]
    resolve('done')
    expect(await Promise.all(asked)).toEqual(['done', 'done'])
    expect(await once('k', here(), work)).toBe('done')
    expect(begun).toHaveLength(1)
  })

  it('is done again after it failed', async () => {
    const once = onceEach()
    await expect(once('k', here(), () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
    expect(await once('k', here(), async () => 'done')).toBe('done')
  })

  it('is done each time without a key', async () => {
    const once = onceEach()
    expect(await once('', here(), async () => 1)).toBe(1)
    expect(await once('', here(), async () => 2)).toBe(2)
  })

  it('is stored for the last 200 keys', async () => {
    const once = onceEach()
    for (let key = 0; key <= 200; key++) await once(`k${key}`, here(), async () => 'first')
    expect(await once('k200', here(), async () => 'second')).toBe('first')
    expect(await once('k1', here(), async () => 'second')).toBe('first')
    expect(await once('k0', here(), async () => 'second')).toBe('second')
  })
})

it('begins work only when the work before it is over, also when that failed', async () => {
  const once = onceEach()
  const [first, second, third] = [job(), job(), job()]
  const asked = [first, second, third].map(({ work }, index) => once(`k${index}`, here(), work))
  const over = Promise.allSettled(asked)
  await setImmediate()
  expect([first.begun.length, second.begun.length]).toEqual([1, 0])
  first.reject(new Error('failed'))
  await setImmediate()
  expect([second.begun.length, third.begun.length]).toEqual([1, 0])
  second.resolve('')
  await setImmediate()
  expect(third.begun).toHaveLength(1)
  third.resolve('')
  expect((await over).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
})

it('stops work when the last caller has gone, and not before', async () => {
  const once = onceEach()
  const { begun, resolve, work } = job()
  const [one, other] = [new AbortController(), new AbortController()]
  const asked = [once('k', one.signal, work), once('k', other.signal, work)]
  await setImmediate()
  one.abort()
  expect(begun[0]!.aborted).toBe(false)
  other.abort()
  expect(begun[0]!.aborted).toBe(true)
  resolve('')
  await Promise.all(asked)
})

it('stops work whose caller disconnected before it started', async () => {
  const once = onceEach()
  const { begun, resolve, work } = job()
  resolve('')
  await once('k', AbortSignal.abort(), work)
  expect(begun[0]!.aborted).toBe(true)
})
