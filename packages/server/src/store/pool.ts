// Connections to PostgreSQL, directly or through PgBouncer in transaction mode: each transaction may run on another
// connection of the database, so nothing here or above sets anything for a session, prepares a statement by name or takes
// a lock that outlives a transaction.

import pg from 'pg'
import { NUMBERS } from './numbers.js'

const CONNECT_MS = 5_000
const KEEP_ALIVE_MS = 10_000
const TIMEOUT = 'Query read timeout'

export interface PoolOptions {
  readonly name: string
  readonly max: number
  /** A query without an answer for so long means that its connection is dead. 0: no limit. */
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
    follow(client, {
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

/** Ends a connection without a word to its other end. The pool and its user receive an error. */
export const drop = (client: pg.ClientBase): void =>
  void (client as unknown as pg.Client).connection.stream.destroy(new Error('The connection was lost.'))

interface Following {
  answered(): void
  timedOut(asked: number): void
}

/** After a time limit, pg gives the connection back although the answer may still come. */
function follow(client: pg.PoolClient, { answered, timedOut }: Following): void {
  const followed = (...args: unknown[]) => {
    const asked = performance.now()
    const result: unknown = pg.Client.prototype.query.apply(client, args as never)
    if (result instanceof Promise) {
      result.then(answered, (error: Error) => (error.message === TIMEOUT ? timedOut(asked) : answered()))
    }
    return result
  }
  Object.assign(client, { query: followed })
}
