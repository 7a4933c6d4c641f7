// Every record is forwarded to a collector exactly once: pauses on either side lose none.

import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSender } from '../../packages/server/src/audit/otlp/sender.js'
import type { OpenTeam } from '../../packages/server/src/open-team.js'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { fileOf, openTestTeam, recordAt } from './records.js'

interface Collector {
  readonly url: string
  readonly ids: string[]
  readonly requests: { headers: Record<string, unknown>; body: LogRequest }[]
  /** The next responses; empty means success. */
  readonly answers: { status: number; headers?: Record<string, string>; body?: string }[]
  close(): Promise<void>
}

interface LogRequest {
  resourceLogs: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] }
    scopeLogs: { logRecords: { attributes: { key: string; value: Record<string, unknown> }[] }[] }[]
  }[]
}

async function openCollector(): Promise<Collector> {
  const collector = { ids: [], requests: [], answers: [] } as unknown as Collector
  const server: Server = createServer((request, response) => {
    let text = ''
    request.on('data', chunk => (text += chunk))
    request.on('end', () => {
      const answer = collector.answers.shift()
      response.writeHead(answer?.status ?? 200, { 'content-type': 'application/json', ...answer?.headers })
      response.end(answer?.body ?? '{}')
      if (answer && answer.status !== 200) return
      const body = JSON.parse(text) as LogRequest
      collector.requests.push({ headers: request.headers, body })
      for (const { scopeLogs } of body.resourceLogs)
        for (const { attributes } of scopeLogs[0]!.logRecords)
          collector.ids.push(String(attributes.find(({ key }) => key === 'holdfast.id')!.value.stringValue))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return Object.assign(collector, {
    url: `http://127.0.0.1:${port}/v1/logs`,
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  })
}

const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await new Promise(resolve => setTimeout(resolve, 10))
}

describe.each(ANY_DATABASE)('$kind', ({ kind, create }) => {
  let database: TestDatabase
  let opened: OpenTeam
  let collector: Collector
  const said: string[] = []
  const log = {
    info: (text: string) => said.push(text),
    warn: (text: string) => said.push(text),
    error: (text: string) => said.push(text),
  }
  beforeEach(async () => {
    said.length = 0
    database = await create()
    collector = await openCollector()
    opened = await openTestTeam(database.url, Date.now, { otlp: { url: collector.url }, log })
  })
  afterEach(async () => {
    await opened.close()
    await collector.close()
    await database.drop()
  })
  const some = (count: number) => Array.from({ length: count }, () => recordAt(Date.now()))
  const start = (headers = {}) => startSender(opened.team, { url: collector.url, headers }, 20)
  const isEmpty = async () =>
    (await opened.team.store.db.selectFrom('outbox').select('id').executeTakeFirst()) === undefined

  it('all of them, as logs of their devices', async () => {
    const records = some(1200)
    await fileOf(opened, 'd1').send(records.slice(0, 700))
    const sender = start({ authorization: 'Bearer x' })
    await fileOf(opened, 'd2').send(records.slice(700))
    await until(() => collector.ids.length === 1200)
    await until(isEmpty)
    await sender.stop()
    expect(new Set(collector.ids)).toEqual(new Set(records.map(({ id }) => id)))
    const { headers, body } = collector.requests[0]!
    expect(headers).toMatchObject({ authorization: 'Bearer x', 'content-type': 'application/json' })
    expect(body.resourceLogs[0]!.resource.attributes).toContainEqual({
      key: 'host.id',
      value: { stringValue: 'd1' },
    })
    expect(body.resourceLogs[0]!.scopeLogs[0]!.logRecords[0]).toMatchObject({ severityText: 'INFO' })
  })

  it('a collector that is away gets them later, and is not asked without end', async () => {
    collector.answers.push(
      { status: 503, headers: { 'retry-after': '0' } },
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 401, headers: { 'retry-after': '0' }, body: 'no' },
    )
    await fileOf(opened, 'd1').send(some(5))
    const sender = start()
    await until(isEmpty)
    await sender.stop()
    expect(collector.ids).toHaveLength(5)
    expect(said).toEqual(['records cannot be sent on', 'records are sent on again'])
  })

  it('what a collector never accepts is reported, and does not block the rest', async () => {
    for (const status of [400, 413, 422]) collector.answers.push({ status, body: 'bad' })
    collector.answers.push({ status: 200, body: '{"partialSuccess":{"rejectedLogRecords":"2"}}' })
    const file = fileOf(opened, 'd1')
    for (let count = 0; count < 3; count++) await file.send(some(3))
    await file.send(some(4))
    const sender = start()
    await until(isEmpty)
    await sender.stop()
    expect(collector.ids).toHaveLength(4)
    expect(said).toEqual([
      ...Array(3).fill('a collector refused records; they are not sent again'),
      'a collector did not take all records',
    ])
  })

  it('no other address gets records, or the header that opens the collector', async () => {
    const other = await openCollector()
    try {
      collector.answers.push({ status: 307, headers: { location: other.url } })
      await fileOf(opened, 'd1').send(some(1))
      const sender = start({ authorization: 'Bearer x' })
      await until(() => said.length + other.requests.length > 0)
      await sender.stop()
      expect(said).toEqual(['records cannot be sent on'])
      expect([other.requests, await isEmpty()]).toEqual([[], false])
    } finally {
      await other.close()
    }
  })

  it('a restart goes on where the last one was, and two servers send once', async () => {
    const file = fileOf(opened, 'd1')
    const records = some(900)
    await file.send(records.slice(0, 600))
    let sender = start()
    await until(() => collector.ids.length > 0)
    await sender.stop()
    await file.send(records.slice(600))
    sender = start()
    // A database file has one server.
    const other = kind === 'postgres' ? await openTestTeam(database.url, Date.now, { log }) : null
    const second = other && startSender(other.team, { url: collector.url }, 20)
    await until(isEmpty)
    await sender.stop()
    await second?.stop()
    await other?.close()
    expect([...collector.ids].sort()).toEqual(records.map(({ id }) => id).sort())
  })
})
