// Searches for typed text literally, without the wildcards of a database.

import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Anywhere in the column, ignoring case. */
export const contains = (column: string | RawBuilder<unknown>, text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`lower(${typeof column === 'string' ? sql.ref(column) : column}) like ${patternOf(text.toLowerCase())} escape '\\'`

export const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
