// Waiting polls without a network: how many are served at once, and what a caller that does not read costs the others.

import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DeviceActor } from '../access/actor.js'
import type { Situation } from '../rollout/situation.js'
import { ROLLOUT } from '../setup.js'
import type { Team } from '../team.js'
import { openHub } from './hub.js'
import { openPolls } from './polls.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const PATH = '/holdfast.team.v1.DeviceService/GetTeamHooks?encoding=json&message=%7B%22waitSeconds%22%3A'

function freshPolls() {
  const hub = openHub()
  const log = { info() {}, warn() {}, error() {} }
  const releases = () => [
    {
      number: 1,
      hash: String(hub.epoch('releases')),
      state: 'done',
      ring: 0,
      hasMembers: false,
      ringOf() {},
    },
  ]
  const current = async () =>
    ({
      settings: ROLLOUT,
      releases: releases(),
      pins: new Map(),
      isKilled: false,
      trust: [],
      etags: new Map(),
    }) as unknown as Situation
  const gone = new Set<string>()
  const identify = ({ headers }: IncomingMessage): DeviceActor | undefined => {
    const id = headers.authorization!
    const enrolled = { id, place: 0, group: '', operating_system: 'Linux' }
    return gone.has(id) ? undefined : { kind: 'device', deviceId: id, enrolled, address: '' }
  }
  let tokenChanged = (_: string) => {}
  const team = { hub, now: Date.now, log } as unknown as Team
  const polls = openPolls(team, {
    situations: { current },
    deliver: () => Promise.reject(new Error('not delivered')),
    count: async () => true,
    identify,
    onTokenChange: listener => {
      tokenChanged = listener
    },
  })
  /** What became of a poll: waits, served, or a status. */
  const poll = async (id: string, { wait = 50, serve = async () => {} } = {}) => {
    const state = { status: 0, served: 0, response: new EventEmitter() }
    const response = Object.assign(state.response, {
      destroyed: false,
      writeHead: (status: number) => {
        state.status = status
      },
      end: () => state.response.emit('close'),
    })
    const ask = (etag: string) =>
      polls.handle(
        {
          method: 'GET',
          url: `${PATH}${wait}%7D`,
          headers: { authorization: id, 'if-none-match': etag },
        } as unknown as IncomingMessage,
        response as unknown as ServerResponse,
        async () => {
          state.served++
          await serve()
        },
      )
    await ask('*')
    return state
  }
  return { hub, polls, poll, gone, tokenChanged: (id: string) => tokenChanged(id) }
}

it('ends a poll after its time, and no later than 55 seconds', async () => {
  const { polls, poll } = freshPolls()
  const [short, long] = [await poll('a', { wait: 10 }), await poll('b', { wait: 100_000 })]
  await vi.advanceTimersByTimeAsync(7_900)
  expect([short.status, long.status, polls.waiting()]).toEqual([0, 0, 2])
  await vi.advanceTimersByTimeAsync(3_200)
  expect([short.status, long.status, polls.waiting()]).toEqual([304, 0, 1])
  await vi.advanceTimersByTimeAsync(46_000)
  expect([long.status, polls.waiting()]).toEqual([304, 0])
  polls.close()
})

it('serves a poll whose token ended, so that its caller receives the reason', async () => {
  const { poll, gone, tokenChanged, polls } = freshPolls()
  const [first, second, third] = [await poll('a'), await poll('b'), await poll('c', { wait: 10 })]
  gone.add('a').add('c')
  tokenChanged('a')
  await vi.advanceTimersByTimeAsync(0)
  expect([first.served, second.served, third.served]).toEqual([1, 0, 0])
  // Notifications that got lost: at the latest when its time is over.
  await vi.advanceTimersByTimeAsync(11_000)
  expect([third.served, third.status, polls.waiting()]).toEqual([1, 0, 1])
  gone.add('b')
  tokenChanged('')
  await vi.advanceTimersByTimeAsync(0)
  expect([second.served, polls.waiting()]).toEqual([1, 0])
  polls.close()
})

it('serves 32 polls at once, and passes over callers that do not read', async () => {
  const { polls, poll, gone, tokenChanged } = freshPolls()
  const stuck = { serve: () => new Promise<void>(() => {}) }
  const hostile = []
  for (let count = 0; count < 40; count++) hostile.push(await poll(`h${count}`, stuck))
  const honest = await poll('honest')
  for (let count = 0; count < 40; count++) gone.add(`h${count}`)
  gone.add('honest')
  tokenChanged('')
  await vi.advanceTimersByTimeAsync(0)
  expect(hostile.filter(({ served }) => served === 1)).toHaveLength(32)
  expect(honest.served).toBe(0)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(honest.served).toBe(1)
  polls.close()
})

it('serves the next poll as soon as a response is written', async () => {
  const { polls, poll, gone, tokenChanged } = freshPolls()
  const all = []
  for (let count = 0; count < 100; count++) {
    // As Connect: the response is written, and the promise stays open.
    const state: Awaited<ReturnType<typeof poll>> = await poll(`d${count}`, {
      serve: () => {
        state.response.emit('finish')
        return new Promise<void>(() => {})
      },
    })
    all.push(state)
    gone.add(`d${count}`)
  }
  tokenChanged('')
  await vi.advanceTimersByTimeAsync(100)
  expect(all.filter(({ served }) => served === 1)).toHaveLength(100)
  polls.close()
})

it('skips a poll whose caller left while it was in the queue, and one that left while it waited', async () => {
  const { polls, poll } = freshPolls()
  const left = await poll('a')
  left.response.emit('close')
  expect(polls.waiting()).toBe(0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect([left.status, left.served]).toEqual([0, 0])
  polls.close()
})
