// The tables of better-auth, with hashed secrets: a reader of the database finds no working session or device code. The
// library looks secrets up by the text of the caller, so it needs no change.

import type { DBAdapter, Where } from 'better-auth/types'
import { sha256 } from '../access/token.js'

/** By table, the column that contains a secret. */
const HASHED: Readonly<Record<string, string>> = { session: 'token', deviceCode: 'deviceCode' }

export const hashed = (secret: string): string => sha256(secret).toString('hex')

export function hashing(inner: DBAdapter): DBAdapter {
  const adapter: DBAdapter = {
    ...inner,
    create: (async (ask: { model: string; data: AdapterRow }) => {
      const column = HASHED[ask.model]
      const secret = column && ask.data[column]
      if (typeof secret !== 'string') return inner.create(ask)
      const row: AdapterRow = await inner.create({ ...ask, data: { ...ask.data, [column!]: hashed(secret) } })
      return { ...row, [column!]: secret }
    }) as DBAdapter['create'],
    findOne: (async ask => back(ask, await inner.findOne(toHash(ask)))) as DBAdapter['findOne'],
    findMany: (async ask => {
      const rows = await inner.findMany(toHash(ask))
      return rows.map(row => back(ask, row))
    }) as DBAdapter['findMany'],
    count: ask => inner.count(toHash(ask)),
    update: (async ask => back(ask, await inner.update(toHash(ask)))) as DBAdapter['update'],
    updateMany: ask => inner.updateMany(toHash(ask)),
    delete: ask => inner.delete(toHash(ask)),
    deleteMany: ask => inner.deleteMany(toHash(ask)),
    consumeOne: (async ask => back(ask, await inner.consumeOne(toHash(ask)))) as DBAdapter['consumeOne'],
    incrementOne: (async ask =>
      back(ask, await inner.incrementOne(toHash(ask)))) as DBAdapter['incrementOne'],
    // The library's own transactions are off; otherwise it would continue with the inner adapter.
    transaction: work => work(adapter),
  }
  return adapter
}

type AdapterRow = Record<string, unknown>
interface Ask {
  model: string
  where?: Where[] | undefined
}

/** The condition on the secret, if there is one. */
const onSecret = ({ model, where }: Ask): Where | undefined =>
  where?.find(({ field }) => field === HASHED[model])

function toHash<T extends Ask>(ask: T): T {
  if (!onSecret(ask)) return ask
  const where = ask.where!.map(condition =>
    condition.field === HASHED[ask.model] ? { ...condition, value: hashedValue(condition.value) } : condition,
  )
  return { ...ask, where }
}

const hashedValue = (value: Where['value']): Where['value'] =>
  Array.isArray(value) ? value.map(one => hashed(String(one))) : hashed(String(value))

/** A lookup by the secret returns it; any other returns the useless hash. */
function back(ask: Ask, row: unknown): unknown {
  const condition = onSecret(ask)
  if (!condition || row === null || typeof condition.value !== 'string') return row
  return { ...(row as AdapterRow), [condition.field]: condition.value }
}
