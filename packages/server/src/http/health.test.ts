import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import type { Team } from '../team.js'
import { openHealth } from './health.js'

const REASON = 'postgres://ann:hunter2@db.internal does not answer'

function broken() {
  const logged: unknown[] = []
  const fail = () => {
    throw new Error(REASON)
  }
  const db = new Proxy({}, { get: () => fail })
  const log = { info() {}, warn: (...said: unknown[]) => void logged.push(said), error() {} }
  const records = { isDiskFull: () => false }
  const team = { store: { db }, records, now: () => 0, log } as unknown as Team
  const health = openHealth(team, { connected: () => 3, isPushDegraded: () => false })
  const ask = (url: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      let status = 200
      const response = {
        writeHead(code: number) {
          status = code
        },
        setHeader() {},
        end: (text: string) => resolve({ status, text }),
      }
      const isOne = health.handle({ url } as IncomingMessage, response as unknown as ServerResponse)
      if (!isOne) reject(new Error('not a page of health'))
    })
  return { ask, logged, stop: health.stop, stopping: health.stopping }
}

it('says that it is not ready when the database does not answer, and why only in the log', async () => {
  const { ask, logged } = broken()
  expect(await ask('/healthz')).toEqual({ status: 200, text: 'ok\n' })
  expect(await ask('/readyz')).toEqual({ status: 503, text: 'not ready: the database does not answer\n' })
  expect(await ask('/metrics')).toEqual({ status: 500, text: 'the database does not answer\n' })
  expect(logged).toEqual([
    ['not ready', { error: REASON }],
    ['the figures could not be read', { error: REASON }],
  ])
})

it('says that it is not ready while it stops, and ends what is under way', async () => {
  const { ask, logged, stop, stopping } = broken()
  expect(stopping.aborted).toBe(false)
  stop()
  expect(stopping.aborted).toBe(true)
  expect(await ask('/readyz')).toEqual({ status: 503, text: 'not ready: the server is stopping\n' })
  expect(logged).toEqual([])
})

it.each(['/', '/healthz/', '/metrics?x=1', '/readyz/../metrics', undefined])(
  'leaves %s to others',
  async url => {
    await expect(broken().ask(url as string)).rejects.toThrow('not a page of health')
  },
)
