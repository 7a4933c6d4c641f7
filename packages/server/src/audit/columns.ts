// The columns of a record, in the order of writing, and those that a list shows.

import { BLANK_RECORD, type RecordRow } from '../store/schema.js'

export const COLUMNS = Object.keys(BLANK_RECORD) as readonly (keyof RecordRow)[]

type ListedColumn = Exclude<keyof RecordRow, 'day' | 'body'>

/** Never the body. */
export const LISTED = COLUMNS.filter((name): name is ListedColumn => name !== 'day' && name !== 'body')
