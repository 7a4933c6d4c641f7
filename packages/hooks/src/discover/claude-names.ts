// The other agent's names for our events and tools.

import type { EventName } from '../protocol/events.js'

export const CLAUDE_EVENTS: Readonly<Record<string, EventName>> = {
  PreToolUse: 'preToolUse',
  PostToolUse: 'postToolUse',
  UserPromptSubmit: 'beforeSubmitPrompt',
  Stop: 'stop',
  SubagentStop: 'subagentStop',
  SessionStart: 'sessionStart',
  SessionEnd: 'sessionEnd',
  PreCompact: 'preCompact',
}

export const findClaudeEvent = (name: string): EventName | undefined =>
  Object.hasOwn(CLAUDE_EVENTS, name) ? CLAUDE_EVENTS[name] : undefined

/** Only the names that differ; the others are the same in both. */
export const CLAUDE_TOOLS: Readonly<Record<string, string>> = {
  Bash: 'Shell',
  Edit: 'Write',
  MultiEdit: 'Write',
  NotebookEdit: 'Write',
  Glob: 'Grep',
}
