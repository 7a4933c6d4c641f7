// Parts of a request of revision 2026-07-28 that HTTP repeats in headers. They come from the text that is sent, after
// hooks, so a header never shows another call than the body.

import { isObject, type Message } from './message.js'
import { metaOf } from './modern.js'

const NAMED_BY: Readonly<Record<string, 'name' | 'uri' | 'taskId'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

export function standardHeaders(message: Message): Record<string, string> {
  const method = message.method ?? ''
  const key = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined
  const name = key && message.params?.[key]
  return {
    'mcp-protocol-version': headerValue(metaOf(message)?.version ?? ''),
    'mcp-method': headerValue(method),
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  }
}

/** What cannot be written in a header as it is, or looks as if it were encoded, is encoded. */
export const headerValue = (text: string): string =>
  /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

/** Undefined for a value that is encoded wrongly. */
export function decodedHeader(value: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined
}

interface ParamHeader {
  readonly path: readonly string[]
  readonly name: string
}

/** Arguments that a server wants as headers, as its tools say (`x-mcp-header`). */
export class ParamHeaders {
  private readonly byTool = new Map<string, readonly ParamHeader[]>()
  hasLearned = false

  /** From the answer to `tools/list`. */
  learn(answer: unknown): void {
    this.hasLearned = true
    const result = isObject(answer) ? answer.result : undefined
    const tools: unknown[] = isObject(result) && Array.isArray(result.tools) ? result.tools : []
    for (const tool of tools) {
      if (!isObject(tool) || typeof tool.name !== 'string') continue
      const found = [...headersIn(tool.inputSchema, [])]
      if (found.length > 0) this.byTool.set(tool.name, found)
      else this.byTool.delete(tool.name)
    }
  }

  /** All that the tool may have. */
  namesOf({ method, params }: Message): string[] {
    const headers = method === 'tools/call' ? (this.byTool.get(String(params?.name)) ?? []) : []
    return headers.map(({ name }) => `mcp-param-${name}`)
  }

  of({ method, params }: Message): Record<string, string> {
    const headers = method === 'tools/call' ? (this.byTool.get(String(params?.name)) ?? []) : []
    return Object.fromEntries(
      headers.flatMap(({ path, name }) => {
        const value = path.reduce<unknown>(
          (from, key) => (isObject(from) && Object.hasOwn(from, key) ? from[key] : undefined),
          params?.arguments,
        )
        const isSent = ['string', 'number', 'boolean'].includes(typeof value)
        return isSent ? [[`mcp-param-${name}`, headerValue(String(value))]] : []
      }),
    )
  }
}

/** The header that differs from the message; undefined when all agree. */
export function headerMismatch(
  given: Readonly<Record<string, unknown>>,
  message: Message,
  params: ParamHeaders,
): string | undefined {
  const expected = { ...standardHeaders(message), ...params.of(message) }
  const isEqual = (value: unknown, wanted: string) => {
    const decoded = typeof value === 'string' ? decodedHeader(value) : undefined
    const plain = decodedHeader(wanted)
    return decoded === plain || (decoded?.trim() !== '' && Number(decoded) === Number(plain))
  }
  const wrong = Object.entries(expected).find(([name, wanted]) => !isEqual(given[name], wanted))
  if (wrong) return wrong[0]
  return params.namesOf(message).find(name => given[name] !== undefined && expected[name] === undefined)
}

/** Only along `properties`: elsewhere the value has no fixed place. */
function* headersIn(schema: unknown, path: readonly string[]): Generator<ParamHeader> {
  const properties = isObject(schema) ? schema.properties : undefined
  for (const [key, each] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(each)) continue
    const name = each['x-mcp-header']
    if (typeof name === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      yield { path: [...path, key], name: name.toLowerCase() }
    }
    if (path.length < DEEPEST) yield* headersIn(each, [...path, key])
  }
}

const DEEPEST = 32
