// The payload of any version → one shape with the current field names, so that a handler works under every version.

import type { EventName } from '../protocol/events.js'
import type { Kind, Row } from './row.js'
import { COMMON, ROWS } from './rows.js'

type Fields = Record<string, unknown>

export interface Normalised {
  readonly payload: Fields
  /** Required fields that are missing or of the wrong type: the handler cannot be called. */
  readonly problems: readonly string[]
}

export const isEvent = (name: unknown): name is EventName =>
  typeof name === 'string' && Object.hasOwn(ROWS, name)

/** "2.4.1" → "2.4", "3.19.13" → "3", as in the event table. The terminal sends dates, which count as new versions. */
export const versionOf = ({ cursor_version }: Fields): string | undefined => {
  const [, major, minor] =
    /^(\d+)(?:\.(\d+))?/.exec(typeof cursor_version === 'string' ? cursor_version : '') ?? []
  if (major === undefined) return undefined
  return Number(major) >= 3 ? '3' : `${major}.${minor ?? 0}`
}

export function normalise(name: EventName, sent: Fields): Normalised {
  const row: Row = ROWS[name]
  const payload: Fields = { ...sent }
  renameFields(row, payload, versionOf(sent))
  const problems: string[] = []
  const kinds = row.kinds ?? {}
  for (const [field, kind] of Object.entries(kinds)) {
    const value = payload[field] ?? undefined
    const isRequired = row.required?.includes(field)
    // Other fields of the wrong type count as absent. An input must not: the handler would judge an empty call.
    const mustFit = isRequired || (field === 'tool_input' && value !== undefined)
    if (isRequired && value === undefined) problems.push(`"${field}" is missing`)
    else if (mustFit && !isKind(kind, value)) problems.push(`"${field}" is not ${withArticle(kind)}`)
    setDefault(payload, field, kind, row.defaults?.[field])
  }
  const common = { ...COMMON.always, ...(row.conversation ? COMMON.conversation : {}) }
  for (const [field, kind] of Object.entries(common)) {
    if (field === 'session_id') setDefault(payload, field, 'string', payload.conversation_id)
    else if (kind.startsWith('optional ')) setDefault(payload, field, kind.slice(9) as Kind, undefined)
    else setDefault(payload, field, kind as Kind, EMPTY[kind as Kind])
  }
  return { payload, problems }
}

function renameFields(row: Row, payload: Fields, version: string | undefined): void {
  for (const [old, today] of Object.entries(row.accepts ?? {})) {
    if (payload[old] === undefined || row.kinds?.[old]) continue
    if (payload[today] === undefined) payload[today] = payload[old]
    delete payload[old]
  }
  for (const [old, today] of Object.entries(row.inVersion?.[version!] ?? {})) payload[today] ??= payload[old]
  for (const field of row.seconds?.[version!] ?? []) {
    if (typeof payload[field] === 'number') payload[field] *= 1000
  }
  if (row.kinds?.attachments && Array.isArray(payload.attachments)) {
    payload.attachments = payload.attachments.map(renameAttachmentPath)
  }
  const input = row.kinds?.tool_input
  if (input === 'string' && typeof payload.tool_input === 'object' && payload.tool_input !== null) {
    payload.tool_input = JSON.stringify(payload.tool_input)
  } else if (input === 'object' && typeof payload.tool_input === 'string') {
    const text = payload.tool_input
    payload.tool_input = text.trim() === '' ? {} : (parseObject(text) ?? text)
  }
}

const renameAttachmentPath = (item: unknown): unknown => {
  if (!isKind('object', item) || 'file_path' in item || !('filePath' in item)) return item
  const { filePath, ...rest } = item
  return { ...rest, file_path: filePath }
}

/** A value of the wrong type is replaced by the default, or removed. */
function setDefault(payload: Fields, field: string, kind: Kind, fallback: unknown): void {
  const value = payload[field]
  if (isKind(kind, value)) return
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  if (kind === 'number' && Number.isFinite(number)) payload[field] = number
  else if (fallback === undefined) delete payload[field]
  else payload[field] = typeof fallback === 'object' ? structuredClone(fallback) : fallback
}

const EMPTY: Readonly<Record<Kind, unknown>> = {
  string: '',
  number: 0,
  boolean: false,
  object: {},
  array: [],
  'string or null': null,
}

function isKind(kind: 'object', value: unknown): value is Fields
function isKind(kind: Kind, value: unknown): boolean
function isKind(kind: Kind, value: unknown): boolean {
  if (kind === 'array') return Array.isArray(value)
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (kind === 'string or null') return value === null || typeof value === 'string'
  return typeof value === kind
}

const withArticle = (kind: Kind) => (/^[ao]/.test(kind) ? `an ${kind}` : `a ${kind}`)

/** Undefined unless the text is a JSON object. */
function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isKind('object', value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The arguments of an MCP call, which arrive as a JSON string. Throws if they are not an object. */
export function mcpInput({ tool_input }: { readonly tool_input: unknown }): Record<string, unknown> {
  if (isKind('object', tool_input)) return tool_input
  // A call without arguments.
  if (typeof tool_input === 'string' && tool_input.trim() === '') return {}
  const input = parseObject(String(tool_input))
  if (!input) throw new TypeError('the arguments of the tool are not a JSON object')
  return input
}
