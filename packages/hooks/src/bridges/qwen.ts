// Qwen Code. Events and responses as in Claude Code, tools as in Gemini CLI. It cannot rewrite a call.

import { durationOf, type PayloadReader, readEvent, withNamedFiles } from './agent-event.js'
import { CLAUDE_EVENTS, claudeReader, NOTEBOOK, outputText, toClaudeResponse } from './claude-code.js'
import { parseShellReport, resultOf as readGeminiResult } from './gemini-results.js'
import {
  addedFolders,
  FAILED_START,
  followupLimit,
  NAMED_FILES,
  NO_ATTACHMENTS,
  NO_BLOCKED_START,
  NO_TAB,
  NO_THOUGHTS,
  ONE_RESPONSE,
  SEARCHED_FOLDERS,
  secretVariables,
} from './limitations.js'
import { toNamedEntry } from './settings.js'
import { denyRewritten } from './steps.js'
import type { ToolFailure, ToolResult } from './tool-steps.js'
import {
  type AgentEvent,
  type Bridge,
  type EventKind,
  isObject,
  type Json,
  joinTexts,
  type Names,
  type StepsResult,
  textOf,
} from './types.js'

const names = {
  events: CLAUDE_EVENTS,
  tools: {
    run_shell_command: { as: 'Shell', does: 'shell', keys: { directory: 'cwd' } },
    read_file: { as: 'Read', does: 'read', keys: { absolute_path: 'file_path' } },
    read_many_files: { as: 'Read', does: 'files' },
    write_file: { as: 'Write', does: 'write' },
    edit: { as: 'Write', does: 'edit' },
    notebook_edit: NOTEBOOK,
    list_directory: { as: 'LS' },
    glob: { as: 'Grep' },
    grep_search: { as: 'Grep', does: 'search' },
    web_fetch: { as: 'WebFetch' },
    task: { as: 'Task', does: 'task' },
    agent: { as: 'Task', does: 'task' },
  },
} as const satisfies Names

const reader: PayloadReader = { ...claudeReader, names, resultOf }

function resultOf(payload: Json): ToolResult | ToolFailure {
  const { tool_name, tool_input, tool_response, error } = payload
  if (error === undefined && isObject(tool_response) && 'llmContent' in tool_response) {
    const isMcp = claudeReader.mcpOf(payload) !== null
    return { ...readGeminiResult(payload, isMcp), durationMs: durationOf(payload.duration_ms) }
  }
  const result = claudeReader.resultOf(payload)
  if (error === undefined || tool_name !== 'run_shell_command') return result
  const { text: output, ...code } = parseShellReport(textOf(error) ?? '', tool_input)
  return { ...result, output, ...code }
}

function toEvent(kind: EventKind, payload: Json): AgentEvent | string {
  const event = readEvent(reader, kind, payload)
  if (typeof event === 'string' || kind !== 'prompt') return event
  // A turn that continues after a tool call is sent as an empty prompt.
  return payload.prompt === '' ? { ...event, steps: [] } : withNamedFiles(event, payload.prompt)
}

function toResponse(event: AgentEvent, result: StepsResult): Json | null {
  const { kind } = event
  const { decision, input, output, context } = result
  if (kind === 'result' && output) {
    return { continue: false, stopReason: joinTexts(outputText(output), context) }
  }
  if (kind !== 'tool' || (decision === 'abstain' && !input)) return toClaudeResponse(event, result)
  if (input && decision !== 'deny') return toClaudeResponse(event, denyRewritten(result))
  return toClaudeResponse(event, { ...result, userMessage: result.userMessage ?? 'A hook decided this.' })
}

const SECRETS = ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY']

export const qwen: Bridge = {
  name: 'qwen',
  title: 'Qwen Code',
  version: '0.24',
  evidence: 'observed',
  names,
  canAsk: true,
  losesContext: ['compact'],
  toEvent,
  toResponse,
  config: {
    files: { user: '.qwen/settings.json', project: '.qwen/settings.json' },
    otherSettings: ['.qwen/trustedFolders.json', '/etc/qwen-code', '/Library/Application Support/QwenCode'],
    entry: toNamedEntry,
    empty: {},
    projectVariable: 'QWEN_PROJECT_DIR',
    toolVariable: 'QWEN_CODE',
    secretVariables: SECRETS,
    offSwitches: [
      {
        name: '"disableAllHooks": true',
        effect: 'Qwen Code runs no hooks. A repository can contain it.',
        setting: {
          files: ['~/.qwen/settings.json', '.qwen/settings.json'],
          key: ['disableAllHooks'],
          value: true,
        },
      },
      { name: 'a folder without trust', effect: 'Qwen Code does not read .qwen there.', only: 'project' },
    ],
  },
  limitations: {
    ...NAMED_FILES,
    ...SEARCHED_FOLDERS,
    ...NO_ATTACHMENTS,
    beforeShellExecution: 'Commands that the user types with ! run without a tool. Hooks do not see them.',
    ask: 'Without a terminal, Qwen Code cannot ask. It denies the call.',
    updated_input:
      'Qwen Code does not let hooks rewrite a call. The call is denied, and the reason asks the model to make the rewritten one.',
    updated_mcp_tool_output:
      'A result can be replaced only as if the call had failed. The model reads the new one as the reason.',
    ...NO_BLOCKED_START,
    sessionEnd: 'Without a terminal, the end of a session is not reported. The event does not occur.',
    ...followupLimit('Qwen Code', '8'),
    ...addedFolders('--include-directories'),
    ...secretVariables('Qwen Code', SECRETS),
    ...ONE_RESPONSE,
    ...NO_THOUGHTS,
    ...NO_TAB,
    ...FAILED_START,
  },
}
