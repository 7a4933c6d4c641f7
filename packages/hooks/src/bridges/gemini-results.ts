// Results of the tools of Gemini CLI, which have one form for the model and another for the user.

import type { AnyFields } from '../protocol/payload.js'
import type { SubagentEnd, ToolFailure, ToolResult } from './tool-steps.js'
import { isObject, type Json, textOf, textOrEmpty } from './types.js'

export function resultOf(payload: Json, isMcp: boolean): ToolResult | ToolFailure {
  const { tool_name, tool_input, tool_response: value } = payload
  const { llmContent, returnDisplay: display, error } = isObject(value) ? value : {}
  if (error !== undefined && error !== null) {
    const message = isObject(error) ? (textOf(error.message) ?? JSON.stringify(error)) : String(error)
    return { message, durationMs: 0, isInterrupt: false }
  }
  const plain = { text: textOf(display) ?? textOrEmpty(llmContent), value, durationMs: 0 }
  if (isMcp) return { ...plain, value: { content: [llmContent].flat().map(toMcpContent) } }
  if (tool_name === SHELL)
    return { ...plain, ...parseShellReport(textOrEmpty(llmContent), tool_input, display) }
  if (!isObject(display)) return plain
  return { ...plain, ...readEdits(display, tool_input), ...readSubagentEnd(display) }
}

const SHELL = 'run_shell_command'

const OPEN = '<untrusted_context>\n'
const CLOSE = '\n</untrusted_context>'
const withoutMarks = (text: string): string =>
  text.startsWith(OPEN) && text.endsWith(CLOSE) ? text.slice(OPEN.length, -CLOSE.length) : text

/** A part of a result in the form of MCP. */
function toMcpContent(part: unknown): Json {
  const { text = part, inlineData } = isObject(part) ? part : {}
  if (isObject(inlineData)) {
    const { mimeType, data } = inlineData
    return { type: textOrEmpty(mimeType).startsWith('audio/') ? 'audio' : 'image', data, mimeType }
  }
  return { type: 'text', text: typeof text === 'string' ? withoutMarks(text) : JSON.stringify(text ?? null) }
}

/** The lines after the output of a command, in reverse order. */
const FOOTER_LABELS = ['Process Group PGID', 'Background PIDs', 'Signal', 'Exit Code', 'Error']

/** In a terminal the display may not be a text; the report for the model always is. */
export function parseShellReport(
  report: string,
  input: unknown,
  display?: unknown,
): { text: string; exitCode?: number } {
  const body = withoutHeader(withoutMarks(report), input)
  const shown = textOf(display)
  // Output of the command must not be read as a line of the footer.
  const start = `Output: ${shown}`
  const lines = (shown && body.startsWith(start) ? body.slice(start.length) : body).split('\n')
  const footer = new Map<string, string>()
  for (const label of FOOTER_LABELS) {
    if (lines.length < 2 || !lines.at(-1)!.startsWith(`${label}: `)) continue
    footer.set(label, lines.pop()!.slice(label.length + 2))
  }
  const printed = lines.join('\n').replace(/^Output: (?:\(empty\)$)?/, '')
  const code = footer.get('Exit Code')
  return {
    text: shown ?? printed,
    ...(code !== undefined && /^\d+$/.test(code) ? { exitCode: Number(code) } : {}),
  }
}

/** In Qwen Code the report starts with the command and its folder. */
function withoutHeader(report: string, input: unknown): string {
  const start = `Command: ${isObject(input) ? textOrEmpty(input.command) : ''}\n`
  return report.startsWith(start) ? report.slice(start.length).replace(/^Directory: [^\n]*\n/, '') : report
}

/** The written file, which may not be the one that the model named, and its edits. */
function readEdits(display: Json, input: unknown): { path?: string; edits?: AnyFields[] } {
  const { filePath, originalContent: before, newContent: after } = display
  if (typeof before !== 'string' || typeof after !== 'string') return {}
  const { old_string, new_string } = isObject(input) ? input : {}
  // The agent also finds passages that differ in white space.
  const isVerbatim = typeof old_string === 'string' && old_string !== '' && before.includes(old_string)
  const edit = isVerbatim
    ? { old_string, new_string: textOrEmpty(new_string) }
    : { old_string: before, new_string: after }
  return { ...(typeof filePath === 'string' ? { path: filePath } : {}), edits: [edit] }
}

function readSubagentEnd({ isSubagentProgress, terminateReason, result }: Json): { ended?: SubagentEnd } {
  if (isSubagentProgress !== true) return {}
  const status =
    terminateReason === 'GOAL' ? 'completed' : terminateReason === 'ABORTED' ? 'aborted' : 'error'
  return { ended: { status, summary: textOrEmpty(result) } }
}
