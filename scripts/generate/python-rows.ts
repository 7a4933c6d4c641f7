// The rows of the Python library, as Python.

import { authoringCommon, authoringRows } from './authoring-rows.js'

export const PYTHON_ROWS = 'python/holdfast_hooks/_rows.py'

/** Path from the repository → content. */
export function pythonRows(): Map<string, string> {
  const { always, conversation, copies, attachment, twins } = authoringCommon()
  const text = `# Generated from the table of events by \`npm run generate\`. Do not edit.

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

${lines('ALWAYS', 'dict[str, Any]', always)}

${lines('CONVERSATION', 'dict[str, Any]', conversation)}

COPIES: dict[str, str] = ${python(copies)}

ATTACHMENT: dict[str, str] = ${python(attachment)}

TWINS: dict[str, str] = ${python(twins)}

# Each row as JSON: a program reads the few it needs, which is faster than to build them all at each start.
EVENTS: dict[str, str] = {
${Object.entries(authoringRows())
  .map(([name, row]) => `    ${python(name)}: ${quoted(JSON.stringify(withoutEmpty(row)))},`)
  .join('\n')}
}
`
  return new Map([[PYTHON_ROWS, text]])
}

/** What is empty is left out. */
const withoutEmpty = (row: object) =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([, value]) => typeof value !== 'object' || value === null || Object.keys(value).length > 0,
    ),
  )

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const lines = (name: string, type: string, value: object): string =>
  `${name}: ${type} = {\n${Object.entries(value)
    .map(([key, each]) => `    ${python(key)}: ${python(each)},`)
    .join('\n')}\n}`

/** A JSON value in Python's words. */
function python(value: unknown): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`
  if (typeof value === 'object') {
    const items = Object.entries(value).map(([key, each]) => `${python(key)}: ${python(each)}`)
    return `{${items.join(', ')}}`
  }
  return JSON.stringify(value)
}
