// The memory of a conversation decides later calls of the bridge. Each call is one process of the agent; all use one folder.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BLOCKS, SHAPES } from '../../../../tests/fixtures/agents.js'
import { Workspace } from '../../../../tests/fixtures/workspace.js'
import { runBridge } from './bridge.js'
import { loadState } from './conversation-state.js'
import { findBridge } from './index.js'
import type { Json } from './types.js'

let place: Workspace
beforeEach(() => {
  place = new Workspace()
})
afterEach(() => place.close())

const folder = () => join(place.home, 'memory')
let now = 1000

const call = (
  agent: string,
  event: string | undefined,
  payload: Json | string,
  required: readonly 'team'[] = [],
) =>
  runBridge({
    bridge: findBridge(agent)!,
    text: typeof payload === 'string' ? payload : JSON.stringify({ cwd: place.root, ...payload }),
    event,
    host: () => ({
      workspaceRoots: [place.root],
      home: place.home,
      enterpriseDir: place.enterprise,
      required,
      watch: false,
    }),
    folder: folder(),
    signal: new AbortController().signal,
    now: () => now,
  })

const respondWith = (answer: object) => ({ command: `cat > /dev/null; echo '${JSON.stringify(answer)}'` })

describe('a blocked session', () => {
  const send = (event: string, more: Json = {}) => call('claude-code', event, { session_id: 's', ...more })
  const tool = { tool_name: 'Bash', tool_input: { command: 'ls' } }
  const isBlocked = async (event: string, more: Json) => BLOCKS['claude-code'](event, await send(event, more))

  beforeEach(async () => {
    place.user({ sessionStart: [respondWith({ continue: false, user_message: 'Closed.' })] })
    await send('SessionStart', { source: 'startup' })
    // The hook does not exist any more; its answer is in the memory.
    place.user({})
  })

  it('stays blocked through all its events', async () => {
    for (const [event, more] of [
      ['Stop', {}],
      ['PostToolUse', { ...tool, tool_response: {} }],
      ['PreCompact', { trigger: 'auto' }],
      ['SessionEnd', {}],
      ['SessionStart', { source: 'resume' }],
      ['SessionStart', { source: 'compact' }],
    ] as const) {
      await send(event, more)
      expect(await isBlocked('PreToolUse', tool)).toBe(true)
      expect(await isBlocked('UserPromptSubmit', { prompt: 'hi' })).toBe(true)
    }
  })

  it('is blocked for its subagents', async () => {
    expect(await isBlocked('PreToolUse', { ...tool, agent_id: 'a1', agent_type: 'x' })).toBe(true)
  })

  it('blocks no other session, and the same session can start again', async () => {
    expect(await isBlocked('PreToolUse', { ...tool, session_id: 'other' })).toBe(false)
    await send('SessionStart', { source: 'startup' })
    expect(await isBlocked('PreToolUse', tool)).toBe(false)
  })
})

describe('a blocked prompt that the agent sends anyway', () => {
  const send = (event: string, more: Json = {}) => call('copilot', event, { sessionId: 's', ...more })
  const tool = { toolName: 'bash', toolArgs: { command: 'ls' } }
  const isBlocked = async (more: Json = {}) =>
    BLOCKS.copilot('preToolUse', await send('preToolUse', { ...tool, ...more }))

  beforeEach(async () => {
    const { command } = respondWith({ continue: false, user_message: 'Secret.' })
    place.user({ beforeSubmitPrompt: [{ command: `grep -q '"prompt":"x"' || exit 0; ${command}` }] })
    await send('userPromptSubmitted', { prompt: 'x' })
  })

  it('denies every tool call up to the next prompt, also in subagents', async () => {
    for (const event of ['postToolUse', 'agentStop', 'preCompact']) {
      await send(event, tool)
      expect(await isBlocked()).toBe(true)
    }
    expect(await isBlocked({ sessionId: 'a', agentId: 'a', parentAgentId: 's' })).toBe(true)
    await send('userPromptSubmitted', { prompt: 'y' })
    expect(await isBlocked()).toBe(false)
  })

  it('does not deny them if the agent stops the prompt', async () => {
    place.user({ beforeSubmitPrompt: [respondWith({ continue: false })] })
    await call('claude-code', 'UserPromptSubmit', { session_id: 'c', prompt: 'x' })
    const more = { session_id: 'c', tool_name: 'Bash', tool_input: { command: 'ls' } }
    expect(BLOCKS['claude-code']('PreToolUse', await call('claude-code', 'PreToolUse', more))).toBe(false)
  })
})

describe('the context of a session', () => {
  const context = 'The canary word is plover.'
  const startOf = (agent: string, source: string) =>
    call(agent, agent === 'copilot' ? 'sessionStart' : 'SessionStart', {
      session_id: 's',
      sessionId: 's',
      source,
    })

  it.each([
    ['claude-code', 'compact', true],
    ['claude-code', 'resume', false],
    ['codex', 'compact', true],
    ['codex', 'resume', false],
    ['gemini', 'resume', true],
    ['qwen', 'compact', true],
    ['copilot', 'resume', false],
  ])('is given again by %s on %s: %s', async (agent, source, isAgain) => {
    place.user({
      sessionStart: [
        { command: `${respondWith({ additional_context: context }).command}; echo >> ${place.base}/runs` },
      ],
    })
    expect((await startOf(agent, 'startup')).stdout).toContain(context)
    for (let count = 0; count < 2; count++)
      expect((await startOf(agent, source)).stdout.includes(context)).toBe(isAgain)
    expect(place.read(join(place.base, 'runs'))).toBe('\n')
  })
})

describe('a question', () => {
  const ask = async (entrypoint: string) => {
    vi.stubEnv('CLAUDE_CODE_ENTRYPOINT', entrypoint)
    const response = { permission: 'ask', user_message: 'Really?', agent_message: 'Ask the release team.' }
    place.user({ beforeShellExecution: [respondWith(response)] })
    const tool = { session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' } }
    const { stdout } = await call('claude-code', 'PreToolUse', tool)
    vi.unstubAllEnvs()
    return JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason
  }

  it('of Claude Code without a terminal has the text for the model', async () => {
    expect(await ask('sdk-cli')).toMatch(/Really\?[\s\S]*Ask the release team\./)
    expect(await ask('cli')).not.toContain('release team')
  })
})

describe('the state of a conversation', () => {
  const send = (event: string, more: Json = {}) => call('claude-code', event, { session_id: 's', ...more })

  it('fires the end of a session once, with its duration', async () => {
    place.user({ sessionEnd: [{ command: `cat >> ${place.base}/end` }] })
    await send('SessionStart', { source: 'startup' })
    now += 5000
    await send('SessionEnd')
    await send('SessionEnd')
    expect(JSON.parse(place.read(join(place.base, 'end')))).toMatchObject({ duration_ms: 5000 })
    expect(loadState(folder(), 's')?.ended).toBe(true)
    await send('SessionStart', { source: 'resume' })
    expect(loadState(folder(), 's')?.ended).toBe(false)
  })

  it('does not change a verdict if it cannot be saved', async () => {
    place.user({ beforeShellExecution: [respondWith({ permission: 'deny' })] })
    writeFileSync(folder(), 'a file in place of the folder')
    const answered = await send('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } })
    expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
    const prompted = await send('UserPromptSubmit', { prompt: 'x' })
    expect(prompted.stderr).toContain('The state of the conversation cannot be saved')
  })

  it('is not saved for a conversation without an id', async () => {
    await call('claude-code', 'UserPromptSubmit', { prompt: 'x' })
    expect(loadState(folder(), '')).toBeUndefined()
  })

  it('counts the follow-ups of a subagent and of its parent separately', async () => {
    place.user({
      subagentStop: [{ ...respondWith({ followup_message: 'More.' }), loop_limit: 1 }],
    })
    const end = async (more: Json) => (await send('SubagentStop', { agent_type: 'x', ...more })).stdout
    await send('SessionStart', { source: 'startup' })
    expect(await end({})).toContain('More.')
    expect(await end({})).toBe('')
    expect(await end({ agent_id: 'a1' })).toContain('More.')
  })
})

it('denies an invalid payload if the hooks cannot be loaded', async () => {
  for (const [event, payload] of [
    ['PreToolUse', { tool_name: 7 }],
    ['UserPromptSubmit', { prompt: 7 }],
  ] as const) {
    expect(BLOCKS['claude-code'](event, await call('claude-code', event, payload, ['team']))).toBe(true)
    expect(BLOCKS['claude-code'](event, await call('claude-code', event, payload))).toBe(false)
  }
})

it('uses the event of the payload if the agent has it, else the event of the entry', async () => {
  place.user({ beforeShellExecution: [respondWith({ permission: 'deny' })] })
  const tool = { tool_name: 'Bash', tool_input: { command: 'ls' } }
  for (const hook_event_name of ['PreToolUse', 'LaterName', 'constructor', 7, undefined]) {
    const answered = await call('claude-code', 'PreToolUse', { ...tool, hook_event_name })
    expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
  }
  const after = await call('claude-code', 'PreToolUse', { ...tool, hook_event_name: 'PostToolUse' })
  expect(after.stdout).toBe('')
  // Every object has this name; no agent has such an event.
  const unknown = await call('claude-code', undefined, { ...tool, hook_event_name: 'constructor' })
  expect(unknown).toMatchObject({ stdout: '', exitCode: 0 })
  expect(unknown.stderr).toContain('unknown event "constructor". No hook ran.')
})

it('reads a payload with a byte order mark', async () => {
  place.user({ beforeShellExecution: [respondWith({ permission: 'deny' })] })
  const tool = { cwd: place.root, tool_name: 'Bash', tool_input: { command: 'ls' } }
  const answered = await call('claude-code', 'PreToolUse', `\ufeff${JSON.stringify(tool)}`)
  expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
})

it('denies a payload without an event by exit code 2 if a hook could have denied it', async () => {
  place.user({ beforeShellExecution: [respondWith({})] })
  expect(await call('claude-code', undefined, {})).toMatchObject({ stdout: '', exitCode: 2 })
  place.user({ afterShellExecution: [respondWith({})] })
  expect(await call('claude-code', undefined, {})).toMatchObject({ stdout: '', exitCode: 0 })
})

it.each([
  ['an array', []],
  ['a text', 'ls'],
  ['nested too deep', JSON.parse(`${'['.repeat(4000)}${']'.repeat(4000)}`)],
])('denies a call whose input hooks cannot be given: %s', async (_, input) => {
  place.user({ preToolUse: [respondWith({ permission: 'deny' })] })
  const payload = {
    tool_name: 'Bash',
    tool_input: typeof input === 'object' && _ !== 'an array' ? { command: input } : input,
  }
  const { stdout, exitCode } = await call('claude-code', 'PreToolUse', payload)
  expect(exitCode === 2 || stdout.includes('"deny"')).toBe(true)
})

it.each(['claude-code', 'codex', 'gemini', 'qwen', 'copilot'] as const)(
  'denies each prompt and call of %s when the engine throws, and nothing else',
  async agent => {
    const bridge = findBridge(agent)!
    const failing = (event: string, payload: Json | string) =>
      runBridge({
        bridge,
        text: typeof payload === 'string' ? payload : JSON.stringify({ cwd: place.root, ...payload }),
        event,
        host: () => {
          throw new Error('no disk')
        },
        folder: folder(),
        signal: new AbortController().signal,
      })
    const { tool, prompt, shell, ask } = SHAPES[agent]
    for (const [event, payload] of [
      [tool, shell('ls')],
      [tool, '{'],
      [tool, { tool_name: 7, toolName: 7 }],
      [prompt, ask('hi')],
      [prompt, '{'],
    ] as const) {
      const answered = await failing(event, payload)
      expect(BLOCKS[agent](event, answered), `${event} ${JSON.stringify(payload)}`).toBe(true)
      expect(answered.stderr).toContain('no disk')
    }
    const [turn] = Object.entries(bridge.names.events).find(([, moment]) => moment === 'turn')!
    expect(await failing(turn, { session_id: 's' })).toMatchObject({ stdout: '', exitCode: 0 })
  },
)

describe.each(['claude-code', 'codex', 'gemini', 'qwen', 'copilot'] as const)('a deny of %s', agent => {
  const { tool, shell } = SHAPES[agent]

  it.each([50_000, 550_000])('is kept with texts of %d emoji, and they are cut', async count => {
    const text = place.write(join(place.base, 'text'), '🙂'.repeat(count))
    const response = '{"user_message":"%s","permission":"deny","agent_message":"a%s"}'
    const script = `#!/bin/bash\ncat > /dev/null; printf '${response}' "$(cat ${text})" "$(cat ${text})"`
    place.user({ beforeShellExecution: [{ command: place.write(join(place.base, 'deny.sh'), script) }] })
    const answered = await call(agent, tool, shell('ls'))
    expect(BLOCKS[agent](tool, answered)).toBe(true)
    expect(answered.stdout.length).toBeLessThan(100_000)
    expect(answered.stdout).toContain(count > 500_000 ? 'Its message is lost' : '… (cut)')
    expect(answered.stdout).not.toMatch(/\\ud[89ab]../)
  })

  it.each(['exit 1', 'echo no json'])('names the agent and no other: %s', async command => {
    place.user({ beforeShellExecution: [{ command: `cat > /dev/null; ${command}`, failClosed: true }] })
    const answered = await call(agent, tool, shell('ls'))
    expect(BLOCKS[agent](tool, answered)).toBe(true)
    expect(answered.stdout).not.toContain('Cursor')
  })
})

describe('the events of one call', () => {
  const tool = { session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' } }
  const decision = async () => {
    const { stdout } = await call('claude-code', 'PreToolUse', tool)
    return stdout === '' ? 'none' : JSON.parse(stdout).hookSpecificOutput.permissionDecision
  }

  it.each([
    ['ask', null, 'ask'],
    ['ask', 'allow', 'ask'],
    ['allow', 'ask', 'ask'],
    ['allow', null, 'allow'],
    [null, 'allow', 'allow'],
    ['allow', 'deny', 'deny'],
    ['ask', 'deny', 'deny'],
    ['deny', 'allow', 'deny'],
    [null, null, 'none'],
  ])('%s of the first and %s of the second are %s', async (first, second, expected) => {
    const entry = (permission: string | null) => [respondWith(permission === null ? {} : { permission })]
    place.user({ preToolUse: entry(first), beforeShellExecution: entry(second) })
    expect(await decision()).toBe(expected)
  })

  it('keep the texts of both and the first follow-up', async () => {
    place.user({
      preToolUse: [respondWith({ permission: 'ask', user_message: 'One?' })],
      beforeShellExecution: [respondWith({ permission: 'ask', user_message: 'Two?' })],
      subagentStop: [respondWith({ followup_message: 'Again.' })],
      postToolUse: [respondWith({})],
    })
    const { stdout } = await call('claude-code', 'PreToolUse', tool)
    expect(JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason).toMatch(/One\?[\s\S]*Two\?/)
    const ended = await call('gemini', 'AfterTool', {
      session_id: 's',
      tool_name: 'invoke_agent',
      tool_input: { agent_name: 'a', prompt: 'do' },
      tool_response: {
        llmContent: 'x',
        returnDisplay: { isSubagentProgress: true, result: 'y', terminateReason: 'GOAL' },
      },
    })
    expect(JSON.parse(ended.stdout).hookSpecificOutput.additionalContext).toBe('Again.')
  })
})
