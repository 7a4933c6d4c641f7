// Generates the rows of the Python library.

import { RESPONSE_ALIASES } from '../../packages/hooks/src/protocol/response-fields.js'
import { authoringRows, commonFields } from './authoring-rows.js'

export const PYTHON_ROWS = 'python/holdfast_hooks/_rows.py'

/** Path from the repository → content. */
export function pythonRows(): Map<string, string> {
  const { always, conversation } = commonFields()
  const text = `# Generated from the table of events by \`npm run generate\`. Do not edit.
# Rows are JSON: a program reads the few it needs, which is faster than to build them all at each start.

from __future__ import annotations

ALWAYS: dict[str, str] = ${words(always)}

CONVERSATION: dict[str, str] = ${words(conversation)}

TWINS: dict[str, str] = ${words(Object.fromEntries(twins))}

EVENTS: dict[str, str] = {
${Object.entries(authoringRows())
  .map(([name, each]) => `    "${name}": ${row(each)},`)
  .join('\n')}
}
`
  return new Map([[PYTHON_ROWS, text]])
}

/** Fields that the first version reads only in camelCase: current name → that spelling. */
const twins = Object.entries(RESPONSE_ALIASES)
  .filter(([, name]) => name === 'user_message' || name === 'agent_message')
  .map(([alias, name]) => [name, alias])

/** A row as a Python string; empty values are left out. */
function row(columns: object): string {
  const said = Object.entries(columns).filter(
    ([, value]) => typeof value !== 'object' || value === null || Object.keys(value).length > 0,
  )
  const json = JSON.stringify(Object.fromEntries(said))
  return `'${json.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

const words = (names: Readonly<Record<string, string>>): string =>
  `{${Object.entries(names)
    .map(([key, value]) => `"${key}": "${value}"`)
    .join(', ')}}`
