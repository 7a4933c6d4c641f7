// Devices that send while the server is killed repeatedly. Acknowledged records must be stored.

import { createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { DeviceService } from '@holdfast/team'
import { sql } from 'kysely'
import { openStore } from '../../packages/server/src/store/open.js'
import { runsEverything } from '../scope.js'
import { bytesOf, recordAt } from './records.js'

/** Any kind of server that is killed. */
export interface Crashing {
  readonly database: string
  /** The token of each sending device. */
  readonly devices: readonly string[]
  readonly url: () => string
  /** Killed and started again, as after a power failure. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface CrashResult {
  readonly kills: number
  readonly acknowledged: number
  readonly lost: number
  /** Rows that the sums do not count, or count twice. */
  readonly miscounted: number
}

const RECORDS = 50
/** Before it is killed again. */
const MOST_BATCHES = runsEverything ? 60 : 10
const LEAST_BATCHES = 3

export async function crash(server: Crashing, kills: number): Promise<CrashResult> {
  let isOver = false
  let restarted = Promise.resolve()
  const acknowledged = new Set<string>()

  const device = async (authorization: string) => {
    let from = 0
    let url = server.url()
    let client = clientFor(url, authorization)
    while (!isOver) {
      const records = Array.from({ length: RECORDS }, () => recordAt(Date.now()))
      const bytes = records.map(bytesOf)
      const to = from + bytes.reduce((sum, one) => sum + one.length + 1, 0)
      // Sent again until the server acknowledges it.
      for (;;) {
        try {
          if (url !== server.url()) client = clientFor(server.url(), authorization)
          url = server.url()
          const { ackedTo } = await client.sendRecords(
            { segment: 's', from, to, records: bytes },
            { timeoutMs: 5000 },
          )
          if (ackedTo < to) throw new Error(`${ackedTo} is not ${to}`)
          for (const { id } of records) acknowledged.add(id)
          break
        } catch {
          if (isOver) return
          await restarted
          await new Promise(resolve => setTimeout(resolve, 20))
        }
      }
      from = to
    }
  }
  const sending = Promise.all(server.devices.map(device))
  try {
    for (let kill = 0; kill < kills; kill++) {
      // In the middle of it, at full speed.
      const enough = acknowledged.size + RECORDS * (LEAST_BATCHES + Math.random() * MOST_BATCHES)
      while (acknowledged.size < enough) await new Promise(resolve => setTimeout(resolve, 5))
      await new Promise(resolve => setTimeout(resolve, Math.random() * 20))
      restarted = server.restart()
      await restarted
      // Each device resends its unacknowledged batch.
      const underWay = acknowledged.size + RECORDS * server.devices.length
      while (acknowledged.size < underWay) await new Promise(resolve => setTimeout(resolve, 5))
    }
  } finally {
    isOver = true
    await sending
    await server.stop()
  }
  return { kills, acknowledged: acknowledged.size, ...(await lookInto(server.database, acknowledged)) }
}

const clientFor = (baseUrl: string, authorization: string) =>
  createClient(
    DeviceService,
    createConnectTransport({
      baseUrl,
      httpVersion: '1.1',
      interceptors: [
        next => request => {
          request.header.set('authorization', authorization)
          return next(request)
        },
      ],
    }),
  )

async function lookInto(
  database: string,
  acknowledged: ReadonlySet<string>,
): Promise<Pick<CrashResult, 'lost' | 'miscounted'>> {
  const { db, close } = await openStore({ database, now: Date.now })
  try {
    const rows = await db.selectFrom('records').select('id').execute()
    const stored = new Set(rows.map(({ id }) => id))
    const { rows: sums } = await sql<{ n: number }>`
      select coalesce((select sum(count) from rollup where span = 1), 0) + coalesce((select sum(count) from rollup_deltas), 0) as n`.execute(
      db,
    )
    return {
      lost: [...acknowledged].filter(id => !stored.has(id)).length,
      miscounted: Math.abs(rows.length - sums[0]!.n) + (rows.length - stored.size),
    }
  } finally {
    await close()
  }
}
