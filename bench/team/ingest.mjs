// The rate at which the server accepts records of enrolled devices over HTTP, relative to a plain insert or COPY of
// the same rows into the same tables.

import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import Database from 'libsql'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { copied } from '../copy.mjs'
import { interleave, report } from '../measure.mjs'
import { recordOf } from '../records.mjs'
import { load } from '../sources.mjs'
import { startTeam } from '../team-server.mjs'

const BATCH = 1000
const BATCHES = 20
const ROUNDS = 7
/** Enough devices that none exceeds its limit. */
const DEVICES = 20
const CALLERS = 8
const PATH = '/holdfast.team.v1.DeviceService/SendRecords'

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const parts = await load(
    'tests/team/postgres.ts',
    'tests/team/records.ts',
    'packages/server/src/records/read-record.ts',
    'packages/server/src/records/record.ts',
    'packages/server/src/store/writer/partitions.ts',
    'packages/team/src/gen/holdfast/team/v1/device_pb.ts',
  )
  try {
    await sqlite(parts, folder)
    await postgres(parts)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function sqlite(parts, folder) {
  const file = join(folder, 'bare.db')
  await (await parts.openTestTeam(file, Date.now)).close()
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  const { COLUMNS } = parts
  const insert = database.prepare(
    `insert into records (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})`,
  )
  const bare = async batches => {
    for (const rows of batches) {
      database.exec('begin immediate')
      for (const row of rows) insert.run(...COLUMNS.map(column => row[column]))
      database.exec('commit')
    }
  }
  await compare(parts, 'SQLite, taken over HTTP ÷ bare batch insert', join(folder, 'team.db'), bare)
  database.close()
}

async function postgres(parts) {
  const { url, stop } = await parts.startPostgres()
  const client = new pg.Client({ connectionString: at(url, 'bare') })
  try {
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    for (const name of ['bare', 'team']) await admin.query(`create database ${name}`)
    await admin.end()
    await (await parts.openTestTeam(at(url, 'bare'), Date.now)).close()
    await client.connect()
    const today = Math.floor(Date.now() / 86_400_000)
    for (const day of [today - 1, today, today + 1]) await parts.makePartition(client, day)
    const bare = async batches => {
      for (const bytes of batches) {
        const stream = client.query(copyFrom(`copy records (${parts.COLUMNS.join(', ')}) from stdin binary`))
        await new Promise((resolve, reject) => {
          stream.once('error', reject)
          stream.once('finish', resolve)
          stream.end(bytes)
        })
      }
    }
    await compare(parts, 'PostgreSQL, taken over HTTP ÷ bare COPY', at(url, 'team'), bare, rows =>
      copied(rows, parts.COLUMNS),
    )
  } finally {
    await client.end()
    await stop()
  }
}

const at = (url, name) => Object.assign(new URL(url), { pathname: `/${name}` }).href

/** Everything that both need is prepared before the measurement. */
async function compare(parts, title, database, bare, prepared = rows => rows) {
  const server = await startTeam({ database })
  const tokens = []
  for (let index = 0; index < DEVICES; index++) tokens.push(await server.device(`laptop${index}`))
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
  const calls = []
  const rows = []
  let offset = 0
  const arrival = { now: Date.now(), recordDays: 90, deviceId: 'bare' }
  const make = () => {
    for (let batch = 0; batch < BATCHES; batch++) {
      const device = batch % DEVICES
      const deviceId = `device${device}`
      const bytes = Array.from({ length: BATCH }, () =>
        Buffer.from(JSON.stringify(recordOf(Date.now(), deviceId))),
      )
      const message = { segment: 's', from: offset, to: ++offset, records: bytes }
      calls.push({
        token: tokens[device],
        body: toBinary(parts.SendRecordsRequestSchema, create(parts.SendRecordsRequestSchema, message)),
      })
      rows.push(prepared(bytes.map(one => parts.readRecord(one, { ...arrival, deviceId }))))
    }
  }
  for (let round = 0; round < ROUNDS + 2; round++) make()
  try {
    const times = await interleave(
      {
        http: () => send(server.url, agent, calls.splice(0, BATCHES)),
        bare: () => bare(rows.splice(0, BATCHES)),
      },
      ROUNDS,
      2,
    )
    const rate = ms => Math.round((BATCH * BATCHES * 1000) / ms)
    const detail = `${rate(times.http)} of ${rate(times.bare)} records a second`
    report(title, times.bare / times.http, 0.4, '≥', detail)
  } finally {
    agent.destroy()
    await server.stop()
  }
}

async function send(url, agent, calls) {
  const left = [...calls]
  const caller = async () => {
    for (let call = left.shift(); call; call = left.shift()) await post(url, agent, call)
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

function post(url, agent, { token, body }) {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/proto',
      'content-length': body.length,
      authorization: `Bearer ${token}`,
    }
    const call = request(url + PATH, { method: 'POST', agent, headers }, response => {
      response.resume()
      response.once('end', () =>
        response.statusCode === 200
          ? resolve()
          : reject(new Error(`The server answered ${response.statusCode}.`)),
      )
    })
    call.once('error', reject)
    call.end(body)
  })
}
