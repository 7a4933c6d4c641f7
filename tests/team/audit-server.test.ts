// The audit log of a real server in a separate process, over HTTP.

import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { AuditService, DeviceService } from '@holdfast/team'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runsEverything } from '../scope.js'
import { type Crashing, crash } from './crash.js'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { type ServerProcess, startServer } from './process.js'
import { bytesOf, recordAt } from './records.js'

describe.each(ANY_DATABASE)('$kind', ({ create }) => {
  let database: TestDatabase
  let server: ServerProcess
  beforeAll(async () => {
    database = await create()
    server = await startServer({ database: database.url })
  })
  afterAll(async () => {
    await server.stop()
    await database.drop()
  })
  const transport = (who: string) =>
    createConnectTransport({
      baseUrl: server.url,
      httpVersion: '1.1',
      interceptors: [
        next => request => {
          request.header.set('authorization', who)
          return next(request)
        },
      ],
    })
  const device = (id: string) => createClient(DeviceService, transport(`device ${id}`))
  const person = () => createClient(AuditService, transport('person'))
  const refusal = (work: Promise<unknown>): Promise<ConnectError> =>
    work.then(
      () => {
        throw new Error('It was not refused.')
      },
      error => ConnectError.from(error),
    )

  it('takes records and shows them, with their figures', async () => {
    const records = [
      recordAt(Date.now() - 1000, { request: { command: 'git push' }, permission: 'deny' }),
      recordAt(Date.now() - 2000),
    ]
    const answer = await device('d1').sendRecords({
      segment: 's',
      from: 0,
      to: 100,
      records: [...records.map(bytesOf), Buffer.from('torn')],
    })
    expect(answer).toMatchObject({
      ackedTo: 100,
      rejected: [{ index: 2, code: 'not-json', message: 'It is not JSON.' }],
      waitMs: 0,
    })
    const { records: found } = await person().searchRecords({ filter: { text: 'push' } })
    expect(found).toMatchObject([
      {
        id: records[0]!.id,
        verdict: 'deny',
        summary: 'git push',
        bodyJson: '',
        deviceId: 'd1',
        failedOpen: false,
      },
    ])
    const { record } = await person().getRecord({ id: records[0]!.id })
    expect(JSON.parse(record!.bodyJson)).toEqual(records[0])
    const { now } = await person().getOverview({})
    expect(now).toMatchObject({ runs: 2, denials: 1 })
    expect(await person().getFacets({ filter: {} })).toMatchObject({ devices: [{ name: 'd1', count: 2 }] })
    const lines: string[] = []
    for await (const part of person().exportRecords({ format: 'jsonl' }))
      lines.push(Buffer.from(part.lines).toString())
    expect(lines.join('').trim().split('\n')).toHaveLength(2)
  })

  it('refuses what is no batch, in words', async () => {
    const send = (more: object) =>
      refusal(device('d1').sendRecords({ segment: 's', from: 0, to: 10, records: [], ...more }))
    expect((await send({ segment: '../x' })).rawMessage).toMatch(/^segment must be/)
    expect((await send({ from: 11 })).rawMessage).toBe('from is 11 and to is 10; expected 0 <= from <= to.')
    expect((await send({ from: -1 })).code).toBe(Code.InvalidArgument)
    const many = await send({ records: Array(1001).fill(new Uint8Array()) })
    expect(many.rawMessage).toBe('There are 1001 records; 1000 is the most at once.')
  })

  it('only a device that sends without end has to wait', async () => {
    const batch = () => ({
      segment: 'flood',
      from: 0,
      to: 1,
      records: Array.from({ length: 1000 }, () => new Uint8Array()),
    })
    let refused: ConnectError | null = null
    let waitMs = 0
    for (let index = 0; index < 30 && !refused; index++) {
      await device('flood')
        .sendRecords(batch())
        .then(
          answer => (waitMs = Math.max(waitMs, answer.waitMs)),
          error => (refused = ConnectError.from(error)),
        )
    }
    expect(refused!.rawMessage).toMatch(/^This device sends too many records\. Try again in \d+ ms\.$/)
    expect(refused!.code).toBe(Code.ResourceExhausted)
    expect(waitMs).toBeGreaterThan(0)
    expect(Number(refused!.metadata.get('retry-after-ms'))).toBeGreaterThan(0)
    expect(await device('calm').sendRecords(batch())).toMatchObject({ ackedTo: 1 })
  })
})

// Each database has its own writer. By default the one inside the server is killed.
it.each(ANY_DATABASE)(
  '$kind: killed while devices send, what was acknowledged is stored and counted once',
  async ({ create }) => {
    const own = await create()
    try {
      let killed = await startServer({ database: own.url })
      const server: Crashing = {
        database: own.url,
        devices: Array.from({ length: 6 }, (_, index) => `device ${index}`),
        url: () => killed.url,
        async restart() {
          await killed.kill()
          killed = await startServer({ database: own.url })
        },
        stop: () => killed.stop(),
      }
      const kills = runsEverything ? 3 : 1
      const result = await crash(server, kills)
      expect(result).toMatchObject({ kills, lost: 0, miscounted: 0 })
      expect(result.acknowledged).toBeGreaterThan(100)
    } finally {
      await own.drop()
    }
  },
  120_000,
)
