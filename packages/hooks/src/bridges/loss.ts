// What several agents cannot carry, in the same words.

import type { Loss } from './shape.js'

export const NO_THOUGHTS: Loss = {
  what: 'afterAgentThought',
  lost: 'Reasoning is not shown to hooks.',
  instead: 'The event does not come.',
}

export const ONE_RESPONSE: Loss = {
  what: 'afterAgentResponse',
  lost: 'Only the last message of a turn is told.',
  instead: 'The event comes once, just before the end of the turn; token counts are absent.',
}

export const NO_TAB: Loss = {
  what: 'Tab events, workspaceOpen',
  lost: 'There is no inline completion and no workspace to open.',
  instead: 'The events do not come; nothing happens that they would have seen.',
}

export const FAILED_START: Loss = {
  what: 'a bridge that cannot start',
  lost: 'The agent goes on when a hook is missing or crashes.',
  instead: 'The entries for prompts and tool calls end with "|| exit 2", which blocks them.',
}

export const NO_GRANT: Loss = {
  what: 'allow',
  lost: 'A hook cannot spare the person the question of the agent itself.',
  instead: 'allow counts as no opinion.',
}
