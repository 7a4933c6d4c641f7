// Factory Droid, as documented: https://docs.factory.ai/reference/hooks-reference. Its events, payloads and responses are
// those of Claude Code.

import { readEvent, withAutomatic } from './agent-event.js'
import { CLAUDE_EVENTS, claudeReader, toClaudeResponse } from './claude-code.js'
import {
  FAILED_START,
  NO_ATTACHMENTS,
  NO_BLOCKED_START,
  NO_TAB,
  NO_THOUGHTS,
  OTHER_HOOKS,
  SEARCHED_FOLDERS,
  secretVariables,
} from './limitations.js'
import { toNestedEntry } from './settings.js'
import type { Bridge, Names } from './types.js'

const { PostToolUseFailure: _, ...EVENTS } = CLAUDE_EVENTS

const names = {
  events: EVENTS,
  tools: {
    Execute: { as: 'Shell', does: 'shell' },
    Read: { as: 'Read', does: 'read' },
    Create: { as: 'Write', does: 'write' },
    Write: { as: 'Write', does: 'write' },
    Edit: { as: 'Write', does: 'edit', keys: { old_str: 'old_string', new_str: 'new_string' } },
    MultiEdit: { as: 'Write', does: 'edit' },
    ApplyPatch: { as: 'Write', does: 'patch', keys: { input: 'command' } },
    Grep: { as: 'Grep', does: 'search' },
    Glob: { as: 'Grep' },
    LS: { as: 'LS' },
    FetchUrl: { as: 'WebFetch' },
    WebSearch: { as: 'WebSearch' },
    Task: { as: 'Task', does: 'task' },
  },
} as const satisfies Names

const reader = { ...claudeReader, names }

const SECRETS = ['FACTORY_API_KEY']

export const droid: Bridge = {
  name: 'droid',
  title: 'Factory Droid',
  version: '2026',
  evidence: 'documented',
  names,
  canAsk: true,
  toEvent(kind, payload) {
    const event = readEvent(reader, kind, payload)
    return typeof event === 'string' ? event : withAutomatic(event, payload, '<system-notification>')
  },
  toResponse: (event, result) => toClaudeResponse(event, { ...result, output: null }),
  config: {
    files: { user: '.factory/hooks.json', project: '.factory/hooks.json' },
    // Its events are the keys of the file.
    hooksKey: [],
    otherSettings: ['.factory/settings.json', '.factory/settings.local.json', '.factory/hooks'],
    entry: toNestedEntry,
    empty: {},
    projectVariable: 'FACTORY_PROJECT_DIR',
    nextStep:
      'If hooks.json exists, Droid does not read the "hooks" of settings.json beside it: move those to hooks.json.',
    secretVariables: SECRETS,
    offSwitches: [
      {
        name: '"hooksDisabled": true',
        effect: 'Droid runs no hooks. A repository can contain it.',
        setting: {
          files: ['~/.factory/settings.json', '.factory/settings.json', '.factory/settings.local.json'],
          key: ['hooksDisabled'],
          value: true,
        },
      },
      { name: 'a policy of the organisation', effect: 'Only hooks of the organisation run.' },
    ],
  },
  unmapped: { Notification: 'A message for the user, not an action.' },
  limitations: {
    ...NO_BLOCKED_START,
    ...SEARCHED_FOLDERS,
    ...OTHER_HOOKS,
    ...NO_ATTACHMENTS,
    postToolUseFailure: 'Droid does not report calls that fail. The event does not occur.',
    updated_mcp_tool_output: 'Results cannot be replaced. It is ignored.',
    afterAgentResponse: 'Messages of the model are not sent. The event does not occur.',
    'hooks.json':
      'Version 0.186 was seen to read other files than the documented ones. Check with a hook that denies.',
    ...secretVariables('Droid', SECRETS),
    ...NO_THOUGHTS,
    ...NO_TAB,
    ...FAILED_START,
  },
}
