// Searches for typed text literally, without the wildcards of a database.

import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Anywhere in the column, ignoring case. */
export const contains = (column: string | RawBuilder<unknown>, text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`lower(${typeof column === 'string' ? sql.ref(column) : column}) like ${patternOf(text.toLowerCase())} escape '\\'`

export const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** In a list with the newest first and, among those of the same time, by id. */
export const afterNewest = (place: readonly [createdAt: number, id: string] | null): RawBuilder<SqlBool> =>
  place === null
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`(created_at < ${place[0]} or (created_at = ${place[0]} and id > ${place[1]}))`
