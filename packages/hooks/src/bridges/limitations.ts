// Limitations that several agents share.

export const NO_THOUGHTS = {
  afterAgentThought: 'Reasoning is not sent to hooks. The event does not occur.',
}

export const ONE_RESPONSE = {
  afterAgentResponse:
    'Only the last message of a turn is sent. The event occurs once, just before the end of the turn, without token counts.',
}

export const NO_TAB = {
  'Tab events, workspaceOpen':
    'The agent has no inline completion and opens no workspace. The events do not occur.',
}

export const FAILED_START = {
  'a bridge that cannot start':
    'The agent proceeds if a hook is missing or crashes. The entries for prompts and tool calls end with "|| exit 2", which blocks them.',
}

export const NO_GRANT = {
  allow: 'A hook cannot skip the question of the agent itself. allow counts as abstaining.',
}

export const NO_BLOCKED_START = {
  'sessionStart continue: false':
    'A session cannot be stopped from starting. Every prompt and every tool call of that session is denied.',
}

export const NO_DETAILS = {
  'tool_use_id, durations, model': 'They are not sent. They are empty, 0 and "default".',
}

export const NAMED_FILES = {
  beforeReadFile:
    'The files of read_many_files are not known before the call, so it is denied while a beforeReadFile hook fails closed (default). Text files named with @ are checked with the prompt; images and other files are not seen.',
}

export const OTHER_HOOKS = {
  'hooks of other tools':
    'Hooks that other tools or a repository add to the settings run at the same time, and can rewrite the call. Your hooks do not see those rewrites.',
}

export const followupLimit = (agent: string, count: string) => ({
  'stop followup_message': `${agent} ends a series of follow-ups after ${count}. A loop_limit above that has no further effect.`,
})

export const SEARCHED_FOLDERS = {
  'search in a folder':
    'A search in one file is checked like a read. Which files a search in a folder shows is not known before it runs; guard it with preToolUse and the matcher Grep.',
}

export const addedFolders = (option: string) => ({
  'project hooks': `Folders of ${option} are no workspace roots. Their hooks do not run.`,
})

export const NO_ATTACHMENTS = {
  attachments: 'Images and other attachments of a prompt are not sent. attachments is empty.',
}

export const secretVariables = (agent: string, names: readonly string[]) => ({
  'environment of hooks': `${agent} passes its API keys to every hook. The bridge removes ${names.join(', ')}; HOLDFAST_PASS_ENV names those that hooks need.`,
})
