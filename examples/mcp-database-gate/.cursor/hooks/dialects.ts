// Databases read the same characters differently, and a guard seldom knows the database. A string in one dialect is
// code in another, so each text is read in every dialect and the strictest result counts.

export interface Dialect {
  /** 'it\'s' */
  readonly backslash?: true
  /** # to the end of the line */
  readonly hash?: true
  /** // to the end of the line */
  readonly slashes?: true
  /** -- is a comment only before a blank. */
  readonly dashesNeedBlank?: true
  /** A comment inside a comment. */
  readonly nested?: true
  /** A comment that runs: slash, star, exclamation mark. */
  readonly runsComments?: true
  /** $tag$ ... $tag$ */
  readonly dollar?: true
  /** [a name] */
  readonly brackets?: true
  /** q'[ ... ]' */
  readonly ownQuotes?: true
  /** Three quotes begin a string that three quotes end. */
  readonly triple?: true
}

export const DIALECTS: readonly Dialect[] = [
  // SQLite
  { brackets: true },
  // SQL Server
  { brackets: true, nested: true },
  // PostgreSQL, and its older string rules
  { nested: true, dollar: true },
  { nested: true, dollar: true, backslash: true },
  // MySQL and MariaDB, also with NO_BACKSLASH_ESCAPES
  { backslash: true, hash: true, runsComments: true, dashesNeedBlank: true },
  { hash: true, runsComments: true, dashesNeedBlank: true },
  // Oracle
  { ownQuotes: true },
  // Snowflake
  { backslash: true, dollar: true, slashes: true },
  // BigQuery
  { backslash: true, hash: true, triple: true },
  // ClickHouse
  { backslash: true, hash: true, dollar: true, nested: true },
]
