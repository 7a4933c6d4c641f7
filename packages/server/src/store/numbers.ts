// Counts and times fit into a number; strings in their place would be a trap.

import pg from 'pg'

const INT8 = 20
const NUMERIC = 1700

export const NUMBERS = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig
