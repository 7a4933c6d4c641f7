// Generates the rows of the TypeScript SDK: one line for each event, without empty values.

import { authoringRows, commonFields } from './authoring-rows.js'

export const SDK_ROWS = 'packages/hooks/src/sdk/rows.ts'

const HEAD = `// Made from the table of events by \`npm run generate\`. Do not edit.

import type { EventName } from '../protocol/events.js'
import type { Common, Row } from './row.js'

export const COMMON: Common = ${JSON.stringify(commonFields())}

export const ROWS: Readonly<Record<EventName, Row>> = {
`

export const sdkRows = (): Map<string, string> =>
  new Map([
    [
      SDK_ROWS,
      `${HEAD}${Object.entries(authoringRows())
        .map(([name, row]) => `  ${name}: ${JSON.stringify(withoutEmpty(row))},\n`)
        .join('')}}\n`,
    ],
  ])

const withoutEmpty = (row: object) =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([name, value]) => name === 'answer' || typeof value !== 'object' || Object.keys(value).length > 0,
    ),
  )
