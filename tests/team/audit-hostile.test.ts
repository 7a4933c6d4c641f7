// Data of one device must not spoil what the team sees of all the others.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DATABASES, type TestDatabase, usualItOn } from './databases.js'
import { startServer, type TestServer } from './people.js'

describe.each(DATABASES)('$kind', ({ create, kind }) => {
  const usualIt = usualItOn(kind)
  let database: TestDatabase
  let server: TestServer
  let bytes = 0
  beforeEach(async () => {
    bytes = 0
    database = await create()
    server = await startServer(database)
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
  })
  let count = 0
  const record = (more: object = {}) => ({
    id: `${Date.now().toString(36).padStart(9, '0')}-${String(count++).padStart(4, '0')}-x`,
    time: new Date().toISOString(),
    event: 'beforeShellExecution',
    source: 'team',
    hook: 'guard.sh',
    outcome: 'answered',
    duration_ms: 5,
    failed_open: false,
    permission: 'deny',
    request: { command: 'ls' },
    ...more,
  })
  const send = async (token: string, ...records: object[]) => {
    bytes += 10
    const answer = await server.call(
      'DeviceService/SendRecords',
      {
        segment: 'one',
        from: bytes - 10,
        to: bytes,
        records: records.map(one => Buffer.from(JSON.stringify(one)).toString('base64')),
      },
      { authorization: `Bearer ${token}` },
    )
    expect(answer).toMatchObject({ status: 200 })
    return answer.body
  }

  it('numbers that no message can hold are refused, and every list can still be read', async () => {
    const owner = await server.owner()
    const { token } = await server.device()
    for (const name of ['release', 'revision', 'hook_id']) {
      const { rejected } = await send(token, record({ [name]: 2 ** 31 }))
      expect(rejected).toMatchObject([{ code: 'bad-field' }])
      expect((await send(token, record({ [name]: 2 ** 31 - 1 }))).rejected).toBe(undefined)
    }
    const { body, status } = await owner.call('AuditService/SearchRecords', {})
    expect([status, body.records?.length]).toEqual([200, 3])
  })

  it('runs that took longer than the world is old do not stop the sums', async () => {
    const owner = await server.owner()
    const { token } = await server.device()
    for (let times = 0; times < 3; times++) {
      await send(token, record({ duration_ms: 1.7e308 }), record({ duration_ms: 1.7e308 }))
    }
    await server.team.records.fold()
    await send(token, record({ duration_ms: 1.7e308 }))
    await server.team.records.fold()
    const { body, status } = await owner.call('AuditService/GetOverview', {})
    expect([status, body.now?.runs]).toEqual([200, 7])
  })

  usualIt('names without number are shown up to a number, and all are counted', async () => {
    const owner = await server.owner()
    const { token } = await server.device()
    for (let part = 0; part < 4; part++) {
      await send(
        token,
        ...Array.from({ length: 900 }, (_, index) => record({ hook: `hook ${part} ${index}` })),
      )
    }
    await send(token, ...Array.from({ length: 20 }, () => record()))
    await server.team.records.fold()
    const { body } = await owner.call('AuditService/GetOverview', {})
    expect(body.now.runs).toBe(3620)
    const facets = (await owner.call('AuditService/GetFacets', {})).body
    expect(facets.hooks[0]).toMatchObject({ name: 'guard.sh', count: 20 })
    expect(facets.hooks).toHaveLength(200)
    expect(facets.verdicts).toEqual([{ name: 'deny', count: 3620 }])
  })
})
