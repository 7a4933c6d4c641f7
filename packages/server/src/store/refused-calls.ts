// Rejected calls, for administrators.

import type { Insertable, Selectable } from 'kysely'
import { contains } from './like.js'
import type { Db } from './open.js'
import type { Schema } from './schema.js'

export type RefusedCall = Selectable<Schema['refused_calls']>

export const insertRefused = (db: Db, rows: readonly Insertable<Schema['refused_calls']>[]) =>
  db.insertInto('refused_calls').values(rows).execute()

/** Newest first. */
export const pageOfRefused = (db: Db, text: string, before: number | null, limit: number) =>
  db
    .selectFrom('refused_calls')
    .selectAll()
    .$if(text !== '', query =>
      query.where(({ or }) => or(['who', 'what', 'detail'].map(name => contains(name, text)))),
    )
    .$if(before !== null, query => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
