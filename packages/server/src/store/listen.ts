// A connection that receives the notifications of PostgreSQL.

import pg from 'pg'
import { connectionTo, drop } from './pool.js'

const ANSWER_MS = 5000

export interface ListenerOptions {
  readonly channel: string
  onMessage(payload: string): void
  /** Once, when it is lost or cannot be made. */
  onLost(): void
}

export interface Listener {
  readonly isListening: Promise<boolean>
  /** Ends it without notifying the other end. */
  drop(): void
  close(): void
}

export function openListener(database: string, { channel, onMessage, onLost }: ListenerOptions): Listener {
  const client = new pg.Client({ ...connectionTo(database, 'holdfast listen'), query_timeout: ANSWER_MS })
  let isLost = false
  const lose = () => {
    if (isLost) return
    isLost = true
    drop(client)
    onLost()
  }
  client.on('error', lose)
  client.on('end', lose)
  client.on('notification', ({ payload = '' }) => onMessage(payload))
  const connect = async () => {
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      return true
    } catch {
      lose()
      return false
    }
  }
  return { isListening: connect(), drop: () => drop(client), close: () => void client.end().catch(() => {}) }
}
