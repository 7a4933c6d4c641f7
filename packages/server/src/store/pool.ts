// Connections to PostgreSQL, directly or through PgBouncer in transaction mode: each transaction may use another
// connection of the database, so no code sets session state, prepares a statement by name or takes a lock that outlives
// a transaction.

import pg from 'pg'
import type { Db } from './open.js'

const INT8 = 20
const NUMERIC = 1700

/** Counts and times fit into a number; strings would be error-prone. */
const NUMBERS = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

const CONNECT_MS = 5_000
const KEEP_ALIVE_MS = 10_000
const TIMEOUT = 'Query read timeout'

export interface PoolOptions {
  readonly name: string
  readonly max: number
  /**
   * A connection is dead when a query has no answer for this long. PostgreSQL ends a transaction that receives no
   * query for this long. 0: no limit.
   */
  readonly queryMs: number
}

export function openPool(database: string, { name, max, queryMs }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...connectionTo(database, name),
    max,
    types: NUMBERS,
    ...(queryMs > 0 ? { query_timeout: queryMs } : {}),
  })
  // The pool replaces a connection that breaks; without a listener the error would end the process.
  pool.on('error', () => {})
  const heard = new Map<pg.PoolClient, number>()
  pool.on('remove', client => heard.delete(client))
  pool.on('connect', client => {
    heard.set(client, performance.now())
    // While it is in use, its queries fail with the error.
    client.on('error', () => {})
    follow(client, queryMs, {
      answered: () => heard.set(client, performance.now()),
      // The network drops silent connections together: those that were silent since then are not tried one by one.
      timedOut: asked => {
        for (const [other, at] of heard) if (at <= asked) drop(other)
      },
    })
  })
  return pool
}

export const connectionTo = (database: string, name: string) => ({
  connectionString: database,
  application_name: name,
  connectionTimeoutMillis: CONNECT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
})

/** Closes a connection without notifying its other end. The pool and its user receive an error. */
export const drop = (client: pg.ClientBase): void =>
  void (client as unknown as pg.Client).connection.stream.destroy(new Error('The connection was lost.'))

export const notify = (db: Db, channel: string, payload: string) =>
  db.selectNoFrom(({ fn, val }) => fn('pg_notify', [val(channel), val(payload)]).as('sent')).execute()

interface Following {
  answered(): void
  timedOut(asked: number): void
}

/** After a time limit, pg returns the connection to the pool although the response may still arrive. */
function follow(client: pg.PoolClient, queryMs: number, { answered, timedOut }: Following): void {
  const followed = (query: unknown, ...args: unknown[]) => {
    const asked = performance.now()
    const limited = queryMs > 0 ? endingWhenIdle(query, queryMs) : query
    const result: unknown = pg.Client.prototype.query.apply(client, [limited, ...args] as never)
    if (result instanceof Promise) {
      result.then(answered, (error: Error) => (error.message === TIMEOUT ? timedOut(asked) : answered()))
    }
    return result
  }
  Object.assign(client, { query: followed })
}

/**
 * The locks of a transaction whose connection was lost without a notice would block all others until PostgreSQL finds the
 * connection dead, which takes hours by default.
 */
const endingWhenIdle = (query: unknown, ms: number) =>
  typeof query === 'string' && /^(begin|start transaction)\b/.test(query)
    ? `${query}; set local idle_in_transaction_session_timeout = ${ms}`
    : query
