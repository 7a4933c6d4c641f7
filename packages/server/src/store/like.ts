// What people type is looked for as it stands, whatever it means to a database.

import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Somewhere in the column, in capital letters or not. */
export const contains = (column: string | RawBuilder<unknown>, text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`lower(${typeof column === 'string' ? sql.ref(column) : column}) like ${patternOf(text.toLowerCase())} escape '\\'`

export const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
