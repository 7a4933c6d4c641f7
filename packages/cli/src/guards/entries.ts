// The events at which each guard runs, as entries of hooks.json.

import type { NewEntry } from '../init/hooks-file.js'

interface Row {
  readonly events: readonly string[]
  /** A hook that only records or formats must not block. */
  readonly isOpen?: true
  readonly timeout?: number
  readonly matcher?: string
  readonly loops?: number
}

const ROWS: Readonly<Record<string, Row>> = {
  shell: { events: ['beforeShellExecution'] },
  paths: { events: ['beforeReadFile', 'beforeShellExecution', 'preToolUse'] },
  secrets: { events: ['beforeSubmitPrompt', 'beforeReadFile', 'preToolUse', 'postToolUse'] },
  git: { events: ['beforeShellExecution'] },
  network: { events: ['beforeShellExecution', 'beforeMCPExecution', 'preToolUse'] },
  sql: { events: ['beforeShellExecution', 'beforeMCPExecution'] },
  packages: { events: ['beforeShellExecution'] },
  mcp: { events: ['beforeMCPExecution'] },
  kubernetes: { events: ['beforeShellExecution'] },
  audit: {
    events: [
      'sessionStart',
      'beforeSubmitPrompt',
      'preToolUse',
      'postToolUse',
      'postToolUseFailure',
      'stop',
      'sessionEnd',
    ],
    isOpen: true,
  },
  format: { events: ['afterFileEdit'], isOpen: true, timeout: 30 },
  grind: { events: ['stop'], isOpen: true, timeout: 330, loops: 5 },
}

/** Reads and other tools are judged by events of their own, so a guard is not asked twice. */
const EDITS = 'Write|Edit|StrReplace|MultiEdit|ApplyPatch|Delete|EditNotebook|WebFetch'

export const entriesOf = (name: string): readonly NewEntry[] => {
  const { events, isOpen, timeout = 10, loops } = ROWS[name]!
  return events.map(event => ({
    event,
    entry: {
      command: `holdfast guard ${name}`,
      ...(event === 'preToolUse' && !isOpen ? { matcher: EDITS } : {}),
      ...(isOpen ? {} : { failClosed: true }),
      timeout,
      ...(loops === undefined ? {} : { loop_limit: loops }),
    },
  }))
}

/** Guards that only record, format or test must not stop the agent when they fail. */
export const decides = (name: string): boolean => ROWS[name]!.isOpen !== true

/** What a response can do at an event. */
export function responseKind(
  payload: Readonly<Record<string, unknown>>,
): 'asks' | 'denies' | 'prompt' | 'observes' {
  const event = payload.hook_event_name
  if (event === 'beforeSubmitPrompt' || 'prompt' in payload) return 'prompt'
  if (event === 'beforeShellExecution' || event === 'beforeMCPExecution') return 'asks'
  if (event === 'beforeReadFile' || event === 'preToolUse') return 'denies'
  if ('tool_output' in payload || 'status' in payload || 'edits' in payload) return 'observes'
  return 'command' in payload || 'tool_input' in payload ? 'asks' : 'denies'
}
