// The response of each bridge to each result, and the events for each payload, called directly.

import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { durationOf, failureOf } from './agent-event.js'
import { BRIDGES, findBridge } from './index.js'
import { ABSTAIN } from './steps.js'
import type { AgentEvent, Bridge, EventKind, Json, StepsResult } from './types.js'

const bridgeOf = (name: string): Bridge => findBridge(name)!
const eventOf = (bridge: Bridge, kind: EventKind): string =>
  Object.entries(bridge.names.events).find(([, each]) => each === kind)![0]

/** The kinds that the agent reports and that a response can block. */
const gatesOf = (name: string): ('tool' | 'prompt')[] =>
  (['tool', 'prompt'] as const).filter(
    kind =>
      Object.values(bridgeOf(name).names.events).includes(kind) && !(name === 'goose' && kind === 'prompt'),
  )

const responseOf = (name: string, kind: EventKind, result: Partial<StepsResult>) => {
  const bridge = bridgeOf(name)
  const event: AgentEvent = {
    name: eventOf(bridge, kind),
    kind,
    conversation: { id: 's', subagent: null, cwd: '/project', model: null, transcriptPath: null },
    steps: [],
    input: {},
    tool: null,
  }
  return bridge.toResponse(event, { ...ABSTAIN, ...result })
}

const DENY = { decision: 'deny', userMessage: 'No.', agentMessage: 'Do not.' } as const
const output = { content: [{ type: 'text', text: 'masked' }] }

const ofTool = (fields: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } })

describe('a response', () => {
  it.each<[agent: string, kind: EventKind, result: Partial<StepsResult>, answer: unknown]>([
    [
      'claude-code',
      'tool',
      DENY,
      {
        ...ofTool({ permissionDecision: 'deny', permissionDecisionReason: 'Do not.' }),
        systemMessage: 'No.',
      },
    ],
    [
      'codex',
      'tool',
      DENY,
      {
        ...ofTool({ permissionDecision: 'deny', permissionDecisionReason: 'Do not.' }),
        systemMessage: 'No.',
      },
    ],
    [
      'qwen',
      'tool',
      DENY,
      {
        ...ofTool({ permissionDecision: 'deny', permissionDecisionReason: 'Do not.' }),
        systemMessage: 'No.',
      },
    ],
    ['gemini', 'tool', DENY, { decision: 'deny', reason: 'Do not.', systemMessage: 'No.' }],
    ['copilot', 'tool', DENY, { permissionDecision: 'deny', permissionDecisionReason: 'Do not.' }],
    ['claude-code', 'prompt', DENY, { decision: 'block', reason: 'No.' }],
    ['codex', 'prompt', DENY, { decision: 'block', reason: 'No.' }],
    ['qwen', 'prompt', DENY, { decision: 'block', reason: 'No.' }],
    ['gemini', 'prompt', DENY, { decision: 'deny', reason: 'No.' }],
    ['copilot', 'prompt', DENY, { decision: 'block', reason: 'No.' }],
  ])('of %s denies a %s with its reason', (agent, kind, result, answer) => {
    expect(responseOf(agent, kind, result)).toEqual(answer)
    // No other field weakens it.
    const more = { ...result, input: { command: 'x' }, context: 'y', followup: 'z', output }
    expect(responseOf(agent, kind, more)).toEqual(answer)
  })

  it.each(BRIDGES.map(({ name }) => [name]))('of %s denies without a message', agent => {
    for (const kind of gatesOf(agent)) {
      const text = JSON.stringify(responseOf(agent, kind, { decision: 'deny' }))
      expect(text).toMatch(/"(?:permissionDecision|decision)":"(?:deny|block)"|"continue":false/)
    }
  })

  it.each([
    ['claude-code', ofTool({ permissionDecision: 'ask', permissionDecisionReason: 'Sure?' })],
    ['qwen', ofTool({ permissionDecision: 'ask', permissionDecisionReason: 'Sure?' })],
    ['copilot', { permissionDecision: 'ask', permissionDecisionReason: 'Sure?' }],
  ])('of %s asks', (agent, answer) => {
    expect(responseOf(agent, 'tool', { decision: 'ask', userMessage: 'Sure?' })).toEqual(answer)
    expect(JSON.stringify(responseOf(agent, 'tool', { decision: 'ask' }))).toContain(
      '"permissionDecision":"ask"',
    )
  })

  it.each([
    ['claude-code', ofTool({ permissionDecision: 'allow' })],
    ['qwen', ofTool({ permissionDecision: 'allow', permissionDecisionReason: 'A hook decided this.' })],
    ['copilot', { permissionDecision: 'allow' }],
    ['codex', null],
    ['gemini', null],
  ])('of %s allows as far as the agent supports it', (agent, answer) => {
    expect(responseOf(agent, 'tool', { decision: 'allow' })).toEqual(answer)
  })

  it.each(BRIDGES.map(({ name }) => [name]))('of %s is empty if hooks abstain', agent => {
    const kinds = new Set(Object.values(bridgeOf(agent).names.events))
    expect(kinds.size).toBeGreaterThan(2)
    for (const kind of kinds) {
      // Antigravity needs a decision.
      const isDecided = agent === 'antigravity' && kind === 'tool'
      expect(responseOf(agent, kind, {})).toEqual(isDecided ? { decision: 'allow' } : null)
    }
  })

  it.each(BRIDGES.map(({ name }) => [name]))('of %s to an allowed prompt is empty', agent => {
    if (!gatesOf(agent).includes('prompt')) return
    for (const decision of ['allow', 'ask'] as const)
      expect(responseOf(agent, 'prompt', { decision, userMessage: 'x' })).toBe(null)
  })

  it.each([
    ['claude-code', 'turn', { decision: 'block', reason: 'Go on.' }],
    ['codex', 'turn', { decision: 'block', reason: 'Go on.' }],
    ['qwen', 'turn', { decision: 'block', reason: 'Go on.' }],
    ['copilot', 'turn', { decision: 'block', reason: 'Go on.' }],
    ['gemini', 'turn', { decision: 'deny', reason: 'Go on.' }],
    ['claude-code', 'subagent', { decision: 'block', reason: 'Go on.' }],
    ['codex', 'subagent', { decision: 'block', reason: 'Go on.' }],
    ['qwen', 'subagent', { decision: 'block', reason: 'Go on.' }],
    ['copilot', 'subagent', { decision: 'block', reason: 'Go on.' }],
    ['codex', 'interrupt', null],
  ] as const)('of %s at the end of a %s goes on with the message', (agent, kind, answer) => {
    expect(responseOf(agent, kind, { followup: 'Go on.' })).toEqual(answer)
  })

  const specific = (hookEventName: string, fields: object) => ({
    hookSpecificOutput: { hookEventName, ...fields },
  })
  it.each<[agent: string, answer: unknown]>([
    [
      'claude-code',
      specific('PostToolUse', { additionalContext: 'Note.', updatedMCPToolOutput: output.content }),
    ],
    [
      'codex',
      { decision: 'block', reason: 'masked', ...specific('PostToolUse', { additionalContext: 'Note.' }) },
    ],
    ['gemini', { decision: 'deny', reason: 'masked\n\nNote.' }],
    ['qwen', { continue: false, stopReason: 'masked\n\nNote.' }],
    [
      'copilot',
      {
        modifiedResult: { resultType: 'success', textResultForLlm: 'masked' },
        additionalContext: 'Note.',
      },
    ],
  ])('of %s replaces a result', (agent, answer) => {
    expect(responseOf(agent, 'result', { output, context: 'Note.' })).toEqual(answer)
  })

  it.each(['codex', 'gemini', 'qwen', 'copilot'])(
    'of %s never shows an old result for want of words',
    agent => {
      const shown = (content: unknown) => JSON.stringify(responseOf(agent, 'result', { output: { content } }))
      for (const content of [[], [{ type: 'text', text: ' \n' }]])
        expect(shown(content)).toContain('(no output)')
      // Other values than strings are shown as JSON.
      expect(shown([{ type: 'image', data: 'AAAA' }])).toContain('AAAA')
      expect(JSON.stringify(responseOf(agent, 'result', { output: { rows: 1 } }))).toContain('rows')
    },
  )

  it('of Codex ends a blocked session, and has only a message at its end', () => {
    expect(responseOf('codex', 'start', { decision: 'deny', userMessage: 'No.' })).toEqual({
      continue: false,
      stopReason: 'No.',
    })
    expect(responseOf('codex', 'end', { userMessage: 'Bye.', context: 'x' })).toEqual({
      systemMessage: 'Bye.',
    })
  })
})

describe('a payload', () => {
  let folder: string
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-payload-')))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const toolCall = (agent: string, tool: string, input: Json, more: Json = {}) =>
    agent === 'copilot'
      ? { sessionId: 's', cwd: folder, toolName: tool, toolArgs: input, ...more }
      : { session_id: 's', cwd: folder, tool_name: tool, tool_input: input, ...more }

  const eventsOf = (agent: string, kind: EventKind, payload: Json) => {
    const event = bridgeOf(agent).toEvent(kind, payload)
    if (typeof event === 'string') throw new Error(event)
    return event.steps.map(step => [step.event, step.payload(event.input)] as const)
  }
  const before = (agent: string, tool: string, input: Json) =>
    Object.fromEntries(
      eventsOf(agent, 'tool', toolCall(agent, tool, input)).filter(([, payload]) => payload !== null),
    )

  it.each([
    ['claude-code', 'Bash', { command: 'ls' }],
    ['claude-code', 'PowerShell', { command: 'ls' }],
    ['claude-code', 'Monitor', { command: 'ls' }],
    ['codex', 'Bash', { command: 'ls' }],
    ['gemini', 'run_shell_command', { command: 'ls', dir_path: 'src' }],
    ['qwen', 'run_shell_command', { command: 'ls', directory: 'src' }],
    ['copilot', 'bash', { command: 'ls' }],
    ['copilot', 'powershell', { command: 'ls' }],
  ])('of %s gates the commands of %s', (agent, tool, input) => {
    const cwd = Object.keys(input).length > 1 ? join(folder, 'src') : folder
    expect(before(agent, tool, input)).toMatchObject({
      preToolUse: { tool_name: 'Shell', tool_input: { command: 'ls' }, cwd: folder },
      beforeShellExecution: { command: 'ls', cwd },
    })
  })

  it.each([
    ['claude-code', 'Read', 'file_path', 'Read'],
    ['codex', 'view_image', 'path', 'view_image'],
    ['gemini', 'read_file', 'file_path', 'Read'],
    ['qwen', 'read_file', 'absolute_path', 'Read'],
    ['qwen', 'read_file', 'file_path', 'Read'],
    ['copilot', 'view', 'path', 'Read'],
  ])('of %s gates the reads of %s by %s', (agent, tool, key, as) => {
    writeFileSync(join(folder, 'a.txt'), 'text')
    const file_path = join(folder, 'a.txt')
    expect(before(agent, tool, { [key]: 'a.txt' })).toMatchObject({
      preToolUse: { tool_name: as },
      beforeReadFile: { file_path, content: 'text' },
    })
  })

  it.each([
    ['claude-code', 'Agent', 'prompt', 'subagent_type'],
    ['claude-code', 'Task', 'prompt', 'subagent_type'],
    ['codex', 'spawn_agent', 'message', 'agent_type'],
    ['codex', 'collaborationspawn_agent', 'message', 'agent_type'],
    ['gemini', 'invoke_agent', 'prompt', 'agent_name'],
    ['qwen', 'task', 'prompt', 'subagent_type'],
    ['qwen', 'agent', 'prompt', 'subagent_type'],
    ['copilot', 'task', 'prompt', 'agent_type'],
  ])('of %s gates the subagents of %s', (agent, tool, task, type) => {
    expect(before(agent, tool, { [task]: 'do it', [type]: 'explore' })).toMatchObject({
      preToolUse: { tool_name: 'Task' },
      subagentStart: { subagent_type: 'explore', task: 'do it', parent_conversation_id: 's' },
    })
    expect(before(agent, tool, {})).toMatchObject({ subagentStart: { subagent_type: 'generalPurpose' } })
  })

  it.each([
    ['claude-code', 'Write', 'file_path', { content: 'new' }, ''],
    ['claude-code', 'Edit', 'file_path', { old_string: 'old', new_string: 'new' }, 'old'],
    ['claude-code', 'MultiEdit', 'file_path', { edits: [{ old_string: 'old', new_string: 'new' }] }, 'old'],
    ['claude-code', 'NotebookEdit', 'notebook_path', { new_source: 'new' }, ''],
    ['gemini', 'write_file', 'file_path', { content: 'new' }, ''],
    ['gemini', 'replace', 'file_path', { old_string: 'old', new_string: 'new' }, 'old'],
    ['qwen', 'write_file', 'file_path', { content: 'new' }, ''],
    ['qwen', 'edit', 'file_path', { old_string: 'old', new_string: 'new' }, 'old'],
    ['qwen', 'notebook_edit', 'notebook_path', { new_source: 'new' }, ''],
    ['copilot', 'create', 'path', { file_text: 'new' }, ''],
    ['copilot', 'edit', 'path', { old_str: 'old', new_str: 'new' }, 'old'],
  ])('of %s reports the edits of %s', (agent, tool, key, input, old_string) => {
    const payload = toolCall(agent, tool, { [key]: 'a.txt', ...input })
    expect(before(agent, tool, { [key]: 'a.txt', ...input })).toMatchObject({
      preToolUse: { tool_name: 'Write' },
    })
    expect(Object.fromEntries(eventsOf(agent, 'result', payload))).toMatchObject({
      afterFileEdit: { file_path: join(folder, 'a.txt'), edits: [{ old_string, new_string: 'new' }] },
      postToolUse: { tool_name: 'Write' },
    })
  })

  it.each(['gemini', 'qwen'])('of %s has no files for read_many_files', agent => {
    const { beforeReadFile } = before(agent, 'read_many_files', { include: ['**'] })
    expect(beforeReadFile).toBe('Read reads files that are not known before the call. Read them one by one.')
  })

  it('has no content without a file, and does not wait for a pipe', () => {
    mkdirSync(join(folder, 'folder'))
    execFileSync('mkfifo', [join(folder, 'pipe')])
    for (const name of ['none', 'folder', 'pipe'])
      expect(before('claude-code', 'Read', { file_path: name }).beforeReadFile).toEqual({
        file_path: join(folder, name),
        content: '',
      })
  })

  const reads = (agent: string, tool: string, input: Json) =>
    eventsOf(agent, 'tool', toolCall(agent, tool, input))
      .filter(([event, payload]) => event === 'beforeReadFile' && payload !== null)
      .map(([, payload]) => (payload as Json).file_path)

  it.each([
    ['claude-code', 'Read', 'file_path'],
    ['gemini', 'read_file', 'file_path'],
    ['qwen', 'read_file', 'absolute_path'],
    ['copilot', 'view', 'path'],
    ['claude-code', 'Grep', 'path'],
    ['gemini', 'grep_search', 'dir_path'],
    ['qwen', 'grep_search', 'path'],
    ['copilot', 'rg', 'path'],
  ])('of %s reads a link with %s by both of its paths', (agent, tool, key) => {
    const [file, link] = [join(folder, 'secret.txt'), join(folder, 'notes.txt')]
    writeFileSync(file, 'text')
    symlinkSync(file, link)
    expect(reads(agent, tool, { [key]: link, pattern: '.' })).toEqual([link, file])
    expect(reads(agent, tool, { [key]: file, pattern: '.' })).toEqual([file])
  })

  it('reads a file once in a folder that is named through a link', () => {
    const linked = join(folder, 'linked')
    mkdirSync(join(folder, 'real'))
    writeFileSync(join(folder, 'real/a.txt'), 'text')
    symlinkSync(join(folder, 'real'), linked)
    const payload = { ...toolCall('claude-code', 'Read', { file_path: join(linked, 'a.txt') }), cwd: linked }
    const found = eventsOf('claude-code', 'tool', payload).filter(([, fields]) => fields !== null)
    expect(found.map(([event]) => event)).toEqual(['preToolUse', 'beforeReadFile'])
  })

  it('reads nothing for a search in a folder, or without a path', () => {
    for (const input of [{ path: folder }, {}, { path: 7 }, { path: 'none' }])
      expect(reads('claude-code', 'Grep', input)).toEqual([])
  })

  it.each([
    ['claude-code', 'ReadMcpResourceTool', 'library'],
    ['codex', 'read_mcp_resource', 'library'],
    ['gemini', 'read_mcp_resource', ''],
  ])('of %s gates %s as a call of the MCP server', (agent, tool, server) => {
    const input = { ...(server ? { server } : {}), uri: 'book://1' }
    expect(before(agent, tool, input)).toMatchObject({
      preToolUse: { tool_name: tool, tool_input: input },
      beforeMCPExecution: {
        tool_name: tool,
        mcp_server_name: server,
        tool_input: JSON.stringify(input),
      },
    })
  })

  it('rejects a file over 32 MiB', () => {
    const file = join(folder, 'large')
    writeFileSync(file, '')
    truncateSync(file, 32 * 1024 * 1024 + 1)
    expect(before('claude-code', 'Read', { file_path: file }).beforeReadFile).toBe(
      `${file} is larger than 32 MiB, the limit for hooks.`,
    )
  })

  it('is invalid without the command, the file or the name of the tool', () => {
    expect(before('claude-code', 'Bash', {}).beforeShellExecution).toBe('The call has no "command".')
    expect(before('claude-code', 'Read', { file_path: 7 }).beforeReadFile).toBe(
      'The call has no "file_path".',
    )
    for (const { name, toEvent } of BRIDGES) {
      // Their payloads have other names.
      if (name === 'antigravity' || name === 'windsurf') continue
      expect(toEvent('tool', toolCall(name, 7 as never, {}))).toBe('It has no "tool_name".')
      for (const input of ['x', [], 7])
        expect(toEvent('tool', toolCall(name, 'Bash', input as never))).toBe(
          'Its "tool_input" is not an object.',
        )
      expect(toEvent('prompt', { prompt: 7, message: 7 })).toBe('It has no "prompt".')
    }
  })

  const CLAUDE_REASONS = { clear: 'user_close', logout: 'user_close', prompt_input_exit: 'user_close' }
  it.each([
    ['claude-code', CLAUDE_REASONS],
    ['codex', CLAUDE_REASONS],
    ['gemini', CLAUDE_REASONS],
    ['qwen', CLAUDE_REASONS],
    ['copilot', { error: 'error', timeout: 'error', abort: 'aborted', user_exit: 'user_close' }],
  ])('of %s reports the reason for the end of a session', (agent, reasons) => {
    const words = { ...reasons, other: 'completed', constructor: 'completed' }
    for (const [word, reason] of Object.entries(words))
      expect(eventsOf(agent, 'end', { session_id: 's', reason: word })).toEqual([
        ['sessionEnd', { reason, generation_id: '' }],
      ])
  })

  it('reports the status of a turn', () => {
    expect(eventsOf('claude-code', 'turn', { last_assistant_message: 'Done.' })).toEqual([
      ['afterAgentResponse', { text: 'Done.' }],
      ['stop', { status: 'completed' }],
    ])
    expect(eventsOf('claude-code', 'turn', { last_assistant_message: '' })).toHaveLength(1)
    expect(eventsOf('qwen', 'turn', { error: 'x' })).toEqual([['stop', { status: 'error' }]])
    expect(eventsOf('codex', 'interrupt', {})).toEqual([['stop', { status: 'aborted' }]])
  })

  it('reports a timeout, an interruption and an exit code of a failure', () => {
    const failed = (error: string, more: Json = {}) =>
      Object.fromEntries(
        eventsOf(
          'claude-code',
          'failure',
          toolCall('claude-code', 'Bash', { command: 'ls' }, { error, ...more }),
        ),
      )
    expect(failed('Command timed out after 2m').postToolUseFailure).toMatchObject({
      failure_type: 'timeout',
      is_interrupt: false,
    })
    expect(failed('Broken', { is_interrupt: true })).toMatchObject({
      postToolUseFailure: { failure_type: 'error', is_interrupt: true },
    })
    expect(failed('Broken')).not.toHaveProperty('afterShellExecution')
    expect(failed('Exit code 3\nx').afterShellExecution).toMatchObject({ exit_code: 3, command: 'ls' })
  })
})

it('lists the secrets that each agent passes to hooks', () => {
  expect(Object.fromEntries(BRIDGES.map(({ name, config }) => [name, config.secretVariables ?? []]))).toEqual(
    {
      'claude-code': ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
      codex: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
      gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
      copilot: ['COPILOT_GITHUB_TOKEN'],
      qwen: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
      opencode: [
        'OPENCODE_API_KEY',
        'ANTHROPIC_API_KEY',
        'OPENAI_API_KEY',
        'GEMINI_API_KEY',
        'OPENROUTER_API_KEY',
      ],
      cline: ['CLINE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
      vscode: [],
      antigravity: ['GEMINI_API_KEY', 'ANTIGRAVITY_API_KEY'],
      kiro: ['KIRO_API_KEY'],
      droid: ['FACTORY_API_KEY'],
      goose: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY'],
      devin: ['DEVIN_API_KEY'],
      windsurf: [],
    },
  )
})

it.each([
  ['Exit code 3\nx', 3],
  ['Error: Command failed with exit code 4', 4],
  ['Command failed with exit code: 5', 5],
  ['The text says: exit code 6', undefined],
  ['Exit code', undefined],
])('the exit code in %j is %s', (message, code) => expect(failureOf(message).exitCode).toBe(code))

it.each([
  [5, 5],
  [0, 0],
  [-1, 0],
  [Number.NaN, 0],
  [Number.POSITIVE_INFINITY, 0],
  ['5', 0],
])('the duration %s is %s', (value, duration) => expect(durationOf(value)).toBe(duration))

it('maps every event of Claude Code, or gives the reason', () => {
  const { names, unmapped = {} } = findBridge('claude-code')!
  const all = [...Object.keys(names.events), ...Object.keys(unmapped)]
  expect([all.length, new Set(all).size]).toEqual([33, 33])
})
