// The fields of a host and the tables that decide about them, with expected values that are written down here.

import { describe, expect, it } from 'vitest'
import { SOURCES } from './config.js'
import { FIXED_VARIABLES, mayBeSet } from './environment.js'
import { isAtLeast, VERSIONS } from './event-row.js'
import { EVENT_SPECS, type EventName, findEvent } from './events.js'
import { acceptFields, inVersion } from './payload.js'
import { findProfile, PROFILES } from './profiles.js'
import {
  DECISION_WORDS,
  PERMISSION_WITHOUT_ASK,
  RESPONSE_ALIASES,
  RESPONSE_FIELDS,
} from './response-fields.js'
import { isAsking, isBlocked, type Verdict } from './verdict.js'

const accepted = (event: EventName, fields: Record<string, unknown>) => {
  const result = acceptFields(findEvent(event)!, fields)
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join(' '))
  return result.fields
}
const problems = (event: EventName, fields: Record<string, unknown>) => {
  const result = acceptFields(findEvent(event)!, fields)
  return result.ok ? [] : result.problems.map(({ message }) => message)
}

describe('the fields of a host', () => {
  it.each([
    ['beforeReadFile', { file_path: '/a', path: '/b', filePath: '/c' }, { file_path: '/a' }],
    ['beforeTabFileRead', { file_path: '/a', path: '/b' }, { file_path: '/a' }],
    ['beforeSubmitPrompt', { prompt: 'a', prompt_text: 'b' }, { prompt: 'a' }],
    ['beforeMCPExecution', { tool_name: 'q', mcp_server_name: 'a', server: 'b' }, { mcp_server_name: 'a' }],
    ['subagentStart', { subagent_type: 'x', task: 'a', prompt: 'b' }, { task: 'a' }],
  ] as const)('%s: the name of today counts before an older one', (event, given, expected) => {
    expect(accepted(event, given)).toMatchObject(expected)
  })

  it.each([
    ['beforeReadFile', { path: '/a' }, 'path', { file_path: '/a' }],
    ['beforeReadFile', { filePath: '/a' }, 'filePath', { file_path: '/a' }],
    ['afterFileEdit', { path: '/a' }, 'path', { file_path: '/a' }],
    ['beforeTabFileRead', { filePath: '/a' }, 'filePath', { file_path: '/a' }],
    ['afterTabFileEdit', { path: '/a' }, 'path', { file_path: '/a' }],
    ['beforeSubmitPrompt', { prompt_text: 'a' }, 'prompt_text', { prompt: 'a' }],
    ['beforeMCPExecution', { tool_name: 'q', server: 'a' }, 'server', { mcp_server_name: 'a' }],
    ['beforeMCPExecution', { tool_name: 'q', server_name: 'a' }, 'server_name', { mcp_server_name: 'a' }],
    ['afterMCPExecution', { tool_name: 'q', server: 'a' }, 'server', { mcp_server_name: 'a' }],
    ['afterShellExecution', { command: 'x', exitCode: 3 }, 'exitCode', { exit_code: 3 }],
    ['subagentStart', { subagent_type: 'x', prompt: 'a' }, 'prompt', { task: 'a' }],
    ['subagentStop', { subagent_type: 'x', result: 'a' }, 'result', { summary: 'a' }],
    ['subagentStop', { subagent_type: 'x', duration: 5 }, 'duration', { duration_ms: 5 }],
  ] as const)('%s: %j is accepted, and the older name is gone', (event, given, old, expected) => {
    const fields = accepted(event, given)
    expect(fields).toMatchObject(expected)
    expect(fields).not.toHaveProperty(old)
  })

  it('attachments keep the name of today', () => {
    const attachments = (item: object) => accepted('beforeReadFile', { file_path: '/', attachments: [item] })
    expect(attachments({ type: 'file', filePath: '/a' }).attachments).toEqual([
      { type: 'file', file_path: '/a' },
    ])
    const both = { type: 'file', file_path: '/a', filePath: '/b' }
    expect(attachments(both).attachments).toEqual([both])
  })

  it('the input of a tool may come as an object or as its JSON', () => {
    expect(accepted('preToolUse', { tool_name: 'q', tool_input: '{"a":1}' }).tool_input).toEqual({ a: 1 })
    expect(accepted('beforeMCPExecution', { tool_name: 'q', tool_input: { a: 1 } }).tool_input).toBe(
      '{"a":1}',
    )
    for (const tool_input of ['[1]', '7', 'null', 'no JSON', [1], 7, null])
      expect(problems('preToolUse', { tool_name: 'q', tool_input })).not.toEqual([])
    expect(problems('beforeMCPExecution', { tool_name: 'q', tool_input: 7 })).not.toEqual([])
  })

  it.each([
    ['sessionStart', []],
    ['preToolUse', ['tool_name']],
    ['subagentStart', ['subagent_type']],
    ['beforeShellExecution', ['command']],
    ['beforeMCPExecution', ['tool_name']],
    ['beforeReadFile', ['file_path']],
    ['beforeTabFileRead', ['file_path']],
    ['beforeSubmitPrompt', ['prompt']],
  ] as const)('%s requires %j', (event, required) => {
    expect(problems(event, {})).toEqual(required.map(name => `"${name}" is missing.`))
    for (const name of required)
      for (const wrong of [7, null, [], {}])
        expect(problems(event, { [name]: wrong })).toEqual([expect.stringContaining(`"${name}" is `)])
  })

  it('are sent in the words of a version', () => {
    const sent = (profile: keyof typeof PROFILES, event: EventName, fields: object) =>
      inVersion(PROFILES[profile], findEvent(event)!, { ...fields })
    const common = {
      conversation_id: 'c',
      session_id: 'c',
      user_email: 'a@example.com',
      command: 'ls',
      sandbox: true,
    }
    expect(sent('holdfast', 'beforeShellExecution', common)).toEqual(common)
    expect(sent('cursor-1.7', 'beforeShellExecution', common)).toEqual({
      conversation_id: 'c',
      command: 'ls',
    })
    expect(sent('cursor-2.4', 'sessionEnd', { session_id: 'c', reason: 'x' })).toEqual({
      session_id: 'c',
      reason: 'x',
    })
    expect(sent('cursor-2.4', 'stop', { session_id: 'c', status: 'x' })).toEqual({ status: 'x' })
    expect(sent('cursor-2.3', 'afterMCPExecution', { duration: 250 })).toEqual({ duration: 0.25 })
    expect(sent('cursor-2.4', 'afterMCPExecution', { duration: 250 })).toEqual({ duration: 250 })
    expect(sent('cursor-2.3', 'beforeSubmitPrompt', { prompt: 'x' })).toEqual({ prompt_text: 'x' })
    const attachments = [{ type: 'file', file_path: '/a' }]
    expect(sent('cursor-2.4', 'beforeSubmitPrompt', { attachments })).toEqual({
      attachments: [{ type: 'file', filePath: '/a' }],
    })
  })
})

describe('the tables', () => {
  it('rank the sources, and name those that need trust', () => {
    const rows = Object.entries(SOURCES).map(([name, { rank, needsTrust, dialect }]) => [
      name,
      rank,
      needsTrust,
      dialect,
    ])
    expect(rows).toEqual([
      ['enterprise', 0, false, 'native'],
      ['team', 1, false, 'native'],
      ['project', 2, true, 'native'],
      ['user', 3, false, 'native'],
      ['claude-local', 4, true, 'claude'],
      ['claude-project', 5, true, 'claude'],
      ['claude-user', 6, false, 'claude'],
      ['plugin', 7, false, 'native'],
    ])
  })

  it('define how each event is stopped, what ask does and what a failure does', () => {
    expect(
      Object.fromEntries(
        EVENT_SPECS.map(({ name, gate, ask, failure }) => [name, `${gate} ${ask} ${failure}`]),
      ),
    ).toEqual({
      sessionStart: 'continue none open',
      sessionEnd: 'none none recorded',
      preToolUse: 'permission asks open',
      postToolUse: 'none none recorded',
      postToolUseFailure: 'none none recorded',
      permissionRequest: 'permission none open',
      subagentStart: 'permission denies open',
      subagentStop: 'none none recorded',
      beforeShellExecution: 'permission asks open',
      afterShellExecution: 'none none recorded',
      beforeMCPExecution: 'permission asks closed',
      afterMCPExecution: 'none none recorded',
      beforeReadFile: 'permission invalid closed',
      afterFileEdit: 'none none recorded',
      beforeSubmitPrompt: 'continue none open',
      afterAgentResponse: 'none none recorded',
      afterAgentThought: 'none none recorded',
      preCompact: 'none none recorded',
      stop: 'none none recorded',
      beforeTabFileRead: 'permission invalid open',
      afterTabFileEdit: 'none none recorded',
      workspaceOpen: 'none none recorded',
    })
  })

  it('define the counted loops, the tool call that a denial ends, and the field of each matcher', () => {
    const rows = (pick: (spec: (typeof EVENT_SPECS)[number]) => unknown) =>
      Object.fromEntries(
        EVENT_SPECS.flatMap(spec => (pick(spec) === undefined ? [] : [[spec.name, pick(spec)]])),
      )
    expect(rows(({ loop }) => loop)).toEqual({
      subagentStop: 'counts',
      stop: 'counts',
      beforeSubmitPrompt: 'resets',
    })
    expect(rows(({ followupWhen }) => followupWhen)).toEqual({
      subagentStop: { field: 'status', is: 'completed' },
    })
    expect(rows(({ denies }) => denies && `${denies.tool} ${denies.input.join(' ')}`)).toEqual({
      preToolUse: '{tool_name} tool_input',
      permissionRequest: '{tool_name} tool_input',
      subagentStart: 'Task subagent_type task',
      beforeShellExecution: 'Shell command cwd',
      beforeMCPExecution: 'MCP:{tool_name} tool_input',
      beforeReadFile: 'Read file_path',
    })
    expect(rows(({ subject }) => ('field' in subject ? subject.field : undefined))).toEqual({
      sessionStart: 'composer_mode',
      sessionEnd: 'reason',
      preToolUse: 'tool_name',
      postToolUse: 'tool_name',
      postToolUseFailure: 'tool_name',
      permissionRequest: 'tool_name',
      subagentStart: 'subagent_type',
      subagentStop: 'subagent_type',
      beforeShellExecution: 'command',
      afterShellExecution: 'command',
      beforeMCPExecution: 'tool_name',
      afterMCPExecution: 'tool_name',
      beforeReadFile: 'tool_name',
      afterFileEdit: 'tool_name',
      preCompact: 'trigger',
      beforeTabFileRead: 'file_path',
      afterTabFileEdit: 'file_path',
    })
  })

  it('join each field of an answer by its rule, and read its other spellings', () => {
    expect(
      Object.fromEntries(Object.entries(RESPONSE_FIELDS).map(([name, { merge }]) => [name, merge])),
    ).toEqual({
      permission: 'strictest',
      continue: 'strictest',
      user_message: 'deciders',
      agent_message: 'deciders',
      additional_context: 'all',
      followup_message: 'highest',
      updated_input: 'judged',
      updated_prompt: 'judged',
      updated_mcp_tool_output: 'highest',
      env: 'highest-by-key',
      pluginPaths: 'highest',
    })
    expect(PERMISSION_WITHOUT_ASK.merge).toBe('strictest')
    expect(RESPONSE_ALIASES).toEqual({
      userMessage: 'user_message',
      agentMessage: 'agent_message',
      additionalContext: 'additional_context',
      followupMessage: 'followup_message',
      followUpMessage: 'followup_message',
      updatedInput: 'updated_input',
      updatedPrompt: 'updated_prompt',
      updatedMcpToolOutput: 'updated_mcp_tool_output',
      updatedMCPToolOutput: 'updated_mcp_tool_output',
      plugin_paths: 'pluginPaths',
    })
    expect(DECISION_WORDS).toEqual({
      allow: 'allow',
      approve: 'allow',
      ask: 'ask',
      deny: 'deny',
      block: 'deny',
    })
  })

  it('order the versions', () => {
    expect(VERSIONS).toEqual(['1.7', '2.0', '2.1', '2.3', '2.4', '3'])
    expect([isAtLeast('2.4', '2.4'), isAtLeast('2.3', '2.4'), isAtLeast('3', '1.7')]).toEqual([
      true,
      false,
      true,
    ])
  })

  it('name the profiles, and nothing that every object has', () => {
    expect(findProfile('holdfast')?.name).toBe('holdfast')
    for (const name of ['constructor', 'toString', '__proto__', 'cursor-9', '']) {
      expect(findProfile(name)).toBeUndefined()
      expect(findEvent(name)).toBeUndefined()
    }
  })

  it('hold a deny in the profile of Holdfast', () => {
    expect(PROFILES.holdfast).toMatchObject({
      version: '3',
      events: {},
      config: { pathBase: 'root', reload: 'watch' },
      run: { which: 'all', concurrent: true, loops: 'per-script' },
      answer: {
        messages: 'any',
        decision: 'any',
        exit2: true,
        silence: 'abstain',
        textBefore: 'tolerated',
        denyHolds: true,
      },
      failure: { crash: 'policy', invalid: 'closed' },
      merge: { permission: 'strictest', single: 'highest', context: 'all', silenceLosesContinue: false },
    })
  })
})

it.each(FIXED_VARIABLES.map(name => [name]))('no hook sets %s, in whatever case', name => {
  for (const spelt of [name, name.toLowerCase(), `${name[0]}${name.slice(1).toLowerCase()}`])
    expect(mayBeSet(spelt)).toBe(false)
  expect(mayBeSet(`${name}_2`)).toBe(true)
})

it.each(['', '1A', 'A-B', 'A B', 'A=B', 'A\n', 'Ä', 'A\0'])('%j is no name of a variable', name => {
  expect(mayBeSet(name)).toBe(false)
})

it.each<[Partial<Verdict>, isBlocked: boolean, isAsking: boolean]>([
  [{ permission: 'deny' }, true, false],
  [{ permission: 'ask' }, false, true],
  [{ permission: 'allow' }, false, false],
  [{ continue: false }, true, false],
  [{ continue: true }, false, false],
  [{ permission: 'ask', continue: false }, true, false],
  [{ permission: 'allow', continue: false }, true, false],
  [{}, false, false],
])('the verdict %j blocks: %s, asks: %s', (change, blocked, asking) => {
  const verdict = { permission: null, continue: null, ...change } as Verdict
  expect([isBlocked(verdict), isAsking(verdict)]).toEqual([blocked, asking])
})
