// What the tools of Gemini CLI give back: words with marks around them for the model, another form for the person.

import type { LooseFacts } from '../protocol/payload.js'
import { isObject, type Json, orEmpty, textOf } from './shape.js'
import type { SubagentEnd, ToolFailure, ToolResult } from './tool.js'

export function resultOf(payload: Json, isMcp: boolean): ToolResult | ToolFailure {
  const { tool_name, tool_input, tool_response: value } = payload
  const { llmContent, returnDisplay: display, error } = isObject(value) ? value : {}
  if (error !== undefined && error !== null) {
    const message = isObject(error) ? (textOf(error.message) ?? JSON.stringify(error)) : String(error)
    return { message, durationMs: 0, isInterrupt: false }
  }
  const plain = { text: textOf(display) ?? orEmpty(llmContent), value, durationMs: 0 }
  if (isMcp) return { ...plain, value: { content: [llmContent].flat().map(contentOf) } }
  if (tool_name === SHELL) return { ...plain, ...commandRan(orEmpty(llmContent), tool_input, display) }
  if (!isObject(display)) return plain
  return { ...plain, ...fileEdited(display, tool_input), ...subagentEnded(display) }
}

const SHELL = 'run_shell_command'

const OPEN = '<untrusted_context>\n'
const CLOSE = '\n</untrusted_context>'
const withoutMarks = (text: string): string =>
  text.startsWith(OPEN) && text.endsWith(CLOSE) ? text.slice(OPEN.length, -CLOSE.length) : text

/** A part of a result, as the MCP server would have written it. */
function contentOf(part: unknown): Json {
  const { text = part, inlineData } = isObject(part) ? part : {}
  if (isObject(inlineData)) {
    const { mimeType, data } = inlineData
    return { type: orEmpty(mimeType).startsWith('audio/') ? 'audio' : 'image', data, mimeType }
  }
  return { type: 'text', text: typeof text === 'string' ? withoutMarks(text) : JSON.stringify(text ?? null) }
}

/** What stands below the output of a command in the report, the last first. */
const BELOW = ['Process Group PGID', 'Background PIDs', 'Signal', 'Exit Code', 'Error']

/** In a terminal the person may see a screen, which is no text; the report for the model always holds it. */
export function commandRan(
  told: string,
  input: unknown,
  display?: unknown,
): { text: string; exitCode?: number } {
  const report = withoutHead(withoutMarks(told), input)
  const shown = textOf(display)
  // What the command itself printed must not be taken for a line of the report.
  const start = `Output: ${shown}`
  const lines = (shown && report.startsWith(start) ? report.slice(start.length) : report).split('\n')
  const below = new Map<string, string>()
  for (const label of BELOW) {
    if (lines.length < 2 || !lines.at(-1)!.startsWith(`${label}: `)) continue
    below.set(label, lines.pop()!.slice(label.length + 2))
  }
  const printed = lines.join('\n').replace(/^Output: (?:\(empty\)$)?/, '')
  const code = below.get('Exit Code')
  return {
    text: shown ?? printed,
    ...(code !== undefined && /^\d+$/.test(code) ? { exitCode: Number(code) } : {}),
  }
}

/** Qwen Code says first which command it was and where. */
function withoutHead(report: string, input: unknown): string {
  const start = `Command: ${isObject(input) ? orEmpty(input.command) : ''}\n`
  return report.startsWith(start) ? report.slice(start.length).replace(/^Directory: [^\n]*\n/, '') : report
}

/** The file that was written, which may be another than the model named, and what became of it. */
function fileEdited(display: Json, input: unknown): { path?: string; edits?: LooseFacts[] } {
  const { filePath, originalContent: before, newContent: after } = display
  if (typeof before !== 'string' || typeof after !== 'string') return {}
  const { old_string, new_string } = isObject(input) ? input : {}
  // A passage that differs in its spaces is found, too.
  const isVerbatim = typeof old_string === 'string' && old_string !== '' && before.includes(old_string)
  const edit = isVerbatim
    ? { old_string, new_string: orEmpty(new_string) }
    : { old_string: before, new_string: after }
  return { ...(typeof filePath === 'string' ? { path: filePath } : {}), edits: [edit] }
}

function subagentEnded({ isSubagentProgress, terminateReason, result }: Json): { ended?: SubagentEnd } {
  if (isSubagentProgress !== true) return {}
  const status =
    terminateReason === 'GOAL' ? 'completed' : terminateReason === 'ABORTED' ? 'aborted' : 'error'
  return { ended: { status, summary: orEmpty(result) } }
}
