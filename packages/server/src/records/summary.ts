// A short line with the subject of a run, from fields that the device has redacted. Users search in it.

const LONGEST = 300

/** The most informative fields; the first that exists is used. */
const SUBJECTS = ['command', 'file_path', 'prompt', 'task', 'url', 'text', 'reason', 'status'] as const
const OF_INPUT = ['command', 'file_path', 'path', 'query', 'pattern', 'url', 'sql', 'description'] as const

export function summaryOf(request: unknown): string {
  if (!isObject(request)) return ''
  const { tool_name: tool, mcp_server_name: server, subagent_type: agent } = request
  const names = [tool, server, agent].filter(name => typeof name === 'string' && name !== '')
  const subject =
    firstIn(request, tool === undefined ? SUBJECTS : ['file_path']) ?? inputOf(request.tool_input)
  return tidy([...names, subject ?? ''].join(' '), LONGEST)
}

function inputOf(input: unknown): string | undefined {
  if (typeof input === 'string') return input
  if (!isObject(input)) return undefined
  return firstIn(input, OF_INPUT)
}

const firstIn = (fields: Record<string, unknown>, names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/** On one line, without characters that are invalid in a database or a terminal. */
export function tidy(text: string, longest: number): string {
  // Long texts are cut before processing, with a margin for what is removed then.
  const start = text.length > longest * 4 ? text.slice(0, longest * 4) : text
  const line = UNTIDY.test(start) ? start.replaceAll(UNTIDY_ALL, ' ') : start
  const whole = line.trim()
  if (whole.length <= longest) return whole
  const isHalf = /[\ud800-\udbff]/.test(whole[longest - 2]!)
  return `${whole.slice(0, longest - (isHalf ? 2 : 1))}…`
}

const UNTIDY = /\p{Cc}|\p{Surrogate}|\s\s/u
const UNTIDY_ALL = /(?:\p{Cc}|\p{Surrogate}|\s)+/gu

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
