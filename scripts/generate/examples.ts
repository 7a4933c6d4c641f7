// One small hook for each event: an entry of hooks.json and a script in plain sh that responds. The tests run every
// script with the sample payload. An event without an example here gets one from its row.

import type { EventName, EventSpec } from '../../packages/hooks/src/protocol/events.js'

export interface Example {
  /** What the hook does, as a sentence. */
  readonly does: string
  /** Name of the script, without folder and extension. */
  readonly name: string
  readonly matcher?: string
  /** Further keys of the entry. */
  readonly entry?: Readonly<Record<string, unknown>>
  /** The script without its first line. */
  readonly script: string
}

/** Reads stdin, searches it for a text, and responds in one of two ways. */
const lookFor = (pattern: string, found: unknown, otherwise: unknown = {}) =>
  [
    'input=$(cat)',
    'case $input in',
    `  ${pattern}) echo '${JSON.stringify(found)}' ;;`,
    `  *) echo '${JSON.stringify(otherwise)}' ;;`,
    'esac',
  ].join('\n')

const answerWith = (answer: unknown) => ['cat > /dev/null', `echo '${JSON.stringify(answer)}'`].join('\n')

/** Appends what it reads to a file, one line per event, and abstains. */
const keepIn = (file: string) =>
  [
    'cat >> "${TMPDIR:-/tmp}/FILE"'.replace('FILE', file),
    'echo >> "${TMPDIR:-/tmp}/FILE"'.replace('FILE', file),
    "echo '{}'",
  ].join('\n')

const OWN: Readonly<Partial<Record<EventName, Example>>> = {
  sessionStart: {
    does: 'gives the model a rule of the project and sets a variable for later hooks',
    name: 'house-rules',
    script: answerWith({
      additional_context: 'Run the tests before you report that you are done.',
      env: { PROJECT_RULES: '1' },
    }),
  },
  preToolUse: {
    does: 'keeps the agent from deleting files',
    name: 'no-delete',
    matcher: '^Delete$',
    script: answerWith({
      permission: 'deny',
      user_message: 'A hook stopped a deletion.',
      agent_message: 'Do not delete files. Say which file should go, and why.',
    }),
  },
  postToolUse: {
    does: 'reminds the model of the formatter after each write',
    name: 'after-write',
    matcher: '^Write$',
    script: answerWith({ additional_context: 'Run the formatter before you commit.' }),
  },
  postToolUseFailure: {
    does: 'gives the model a hint when a call timed out',
    name: 'timeout-hint',
    script: lookFor('*\'"failure_type":"timeout"\'*', {
      additional_context: 'The call timed out. Try a smaller step.',
    }),
  },
  subagentStart: {
    does: 'allows only subagents that explore',
    name: 'explore-only',
    script: lookFor(
      '*\'"subagent_type":"explore"\'*',
      { permission: 'allow' },
      { permission: 'deny', user_message: 'Only explore subagents may start.' },
    ),
  },
  subagentStop: {
    does: 'asks a subagent that changed nothing to name its findings',
    name: 'findings',
    entry: { loop_limit: 1 },
    script: lookFor('*\'"modified_files":[]\'*', { followup_message: 'List the files that you looked at.' }),
  },
  beforeShellExecution: {
    does: 'stops forced pushes',
    name: 'no-force-push',
    matcher: 'git push',
    script: lookFor('*--force*', {
      permission: 'deny',
      user_message: 'A hook stopped a forced push.',
      agent_message: 'Push without --force, or ask the user to do it.',
    }),
  },
  beforeMCPExecution: {
    does: 'asks the user before a database is queried',
    name: 'ask-before-query',
    matcher: '^query$',
    script: answerWith({ permission: 'ask', user_message: 'May the agent query the database?' }),
  },
  beforeReadFile: {
    does: 'keeps .env files from the model',
    name: 'no-env-files',
    script: lookFor("*'/.env\"'*", { permission: 'deny', user_message: '.env files stay private.' }),
  },
  beforeSubmitPrompt: {
    does: 'stops messages that hold a private key',
    name: 'no-keys',
    script: lookFor('*"BEGIN PRIVATE KEY"*', {
      continue: false,
      user_message: 'The message holds a private key.',
    }),
  },
  preCompact: {
    does: 'tells the user that the conversation is about to be compacted',
    name: 'say-compact',
    matcher: 'auto',
    script: answerWith({ user_message: 'The conversation is about to be compacted.' }),
  },
  stop: {
    does: 'asks the agent once to run the tests before it ends',
    name: 'tests-first',
    entry: { loop_limit: 1 },
    script: lookFor('*\'"status":"completed"\'*', {
      followup_message: 'Run the tests, and fix what fails.',
    }),
  },
  beforeTabFileRead: {
    does: 'keeps inline completion away from .env files',
    name: 'no-env-completion',
    matcher: '\\.env$',
    script: answerWith({ permission: 'deny', user_message: '.env files stay private.' }),
  },
  workspaceOpen: {
    does: 'names a further plugin folder',
    name: 'more-plugins',
    script: answerWith({ pluginPaths: ['/opt/agent-plugins/review'] }),
  },
}

export const exampleFor = (spec: EventSpec): Example => OWN[spec.name] ?? fromRow(spec)

function fromRow(spec: EventSpec): Example {
  if (spec.gate === 'permission') {
    return { does: 'has no objection', name: 'allow', script: answerWith({ permission: 'allow' }) }
  }
  if (spec.gate === 'continue') {
    return { does: 'has no objection', name: 'go-on', script: answerWith({ continue: true }) }
  }
  const file = `${spec.name}.jsonl`
  return { does: 'keeps a line for each event', name: 'keep', script: keepIn(file) }
}

export const scriptPath = (example: Example): string => `.cursor/hooks/${example.name}.sh`

export const scriptText = (example: Example): string => `#!/bin/sh\n${example.script}\n`

export const entryOf = (example: Example): Record<string, unknown> => ({
  command: scriptPath(example),
  ...(example.matcher === undefined ? {} : { matcher: example.matcher }),
  ...example.entry,
})

export const hooksJson = (spec: EventSpec, example: Example): unknown => ({
  version: 1,
  hooks: { [spec.name]: [entryOf(example)] },
})
