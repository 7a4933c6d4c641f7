// Devices that send while the server is killed, again and again. What they were told is stored must be there.

import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { DeviceService } from '@holdfast/team'
import { sql } from 'kysely'
import { type ServerProcess, startServer } from './process.js'
import { bytesOf, openTestTeam, recordAt } from './records.js'

export interface CrashResult {
  readonly kills: number
  readonly acknowledged: number
  readonly lost: number
  /** Rows that the sums do not know, or know twice. */
  readonly miscounted: number
}

const DEVICES = 6
const RECORDS = 50
/** Before it is killed again. */
const MOST_BATCHES = 60

export async function crash(database: string, kills: number): Promise<CrashResult> {
  let server: ServerProcess = await startServer({ database })
  let isOver = false
  const acknowledged = new Set<string>()

  const device = async (deviceId: string) => {
    let from = 0
    let url = ''
    let client = clientFor(server.url, deviceId)
    while (!isOver) {
      const records = Array.from({ length: RECORDS }, () => recordAt(Date.now()))
      const bytes = records.map(bytesOf)
      const to = from + bytes.reduce((sum, one) => sum + one.length + 1, 0)
      // Again and again, until somebody says that it is stored.
      for (;;) {
        try {
          if (url !== server.url) client = clientFor(server.url, deviceId)
          url = server.url
          const { ackedTo } = await client.sendRecords(
            { segment: 's', from, to, records: bytes },
            { timeoutMs: 5000 },
          )
          if (ackedTo < to) throw new Error(`${ackedTo} is not ${to}`)
          for (const { id } of records) acknowledged.add(id)
          break
        } catch {
          if (isOver) return
          await new Promise(resolve => setTimeout(resolve, 20))
        }
      }
      from = to
    }
  }
  const sending = Promise.all(Array.from({ length: DEVICES }, (_, index) => device(`device${index}`)))
  try {
    for (let kill = 0; kill < kills; kill++) {
      // Somewhere in the middle of it, at full speed.
      const enough = acknowledged.size + RECORDS * (1 + Math.random() * MOST_BATCHES)
      while (acknowledged.size < enough) await new Promise(resolve => setTimeout(resolve, 5))
      await new Promise(resolve => setTimeout(resolve, Math.random() * 20))
      await server.kill()
      server = await startServer({ database })
    }
  } finally {
    isOver = true
    await sending
    await server.stop()
  }
  return { kills, acknowledged: acknowledged.size, ...(await lookInto(database, acknowledged)) }
}

const clientFor = (baseUrl: string, deviceId: string) =>
  createClient(
    DeviceService,
    createConnectTransport({
      baseUrl,
      httpVersion: '1.1',
      interceptors: [
        next => request => {
          request.header.set('authorization', `device ${deviceId}`)
          return next(request)
        },
      ],
    }),
  )

async function lookInto(
  database: string,
  acknowledged: ReadonlySet<string>,
): Promise<Pick<CrashResult, 'lost' | 'miscounted'>> {
  const { team, close } = await openTestTeam(database, Date.now)
  try {
    const rows = await team.store.db.selectFrom('records').select('id').execute()
    const stored = new Set(rows.map(({ id }) => id))
    const { rows: sums } = await sql<{ n: number }>`
      select coalesce((select sum(count) from rollup where span = 1), 0) + coalesce((select sum(count) from rollup_deltas), 0) as n`.execute(
      team.store.db,
    )
    return {
      lost: [...acknowledged].filter(id => !stored.has(id)).length,
      miscounted: Math.abs(rows.length - sums[0]!.n) + (rows.length - stored.size),
    }
  } finally {
    await close()
  }
}
